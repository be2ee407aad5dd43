-- Put messages that were to be tried afresh back among the dead, as they were: see `retry`.
-- The caller holds the rows.
UPDATE message
   SET queue_id = %(dlq_id)s::bigint,
       rank = (history -> -1 -> 'was' ->> 'rank')::bigint,
       source_queue_id = (history -> -1 -> 'was' ->> 'source_queue_id')::bigint,
       visible_at = t.now,
       entered_at = (history -> -1 -> 'was' ->> 'entered_at')::timestamptz,
       dead_lettered_at = (history -> -1 -> 'was' ->> 'dead_lettered_at')::timestamptz,
       dead_letter_reason = history -> -1 -> 'was' ->> 'dead_letter_reason',
       delivery_count = (history -> -1 -> 'was' ->> 'delivery_count')::int,
       first_delivered_at = (history -> -1 -> 'was' ->> 'first_delivered_at')::timestamptz,
       last_delivered_at = (history -> -1 -> 'was' ->> 'last_delivered_at')::timestamptz,
       redrive_count = redrive_count - 1,
       redrive_id = (history -> -1 -> 'was' ->> 'redrive_id')::bigint,
       history = CASE
                     WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                     ELSE history
                 END || jsonb_build_object(
                     'event', %(event)s::text, 'at', t.now,
                     'from', %(queue_id)s::bigint, 'to', %(dlq_id)s::bigint, 'requested_by', %(by)s::text
                 )
  FROM (SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now) AS t
 WHERE queue_id = %(queue_id)s::bigint
   AND id = ANY (%(ids)s::uuid[])
