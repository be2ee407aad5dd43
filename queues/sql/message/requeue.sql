-- Move dead letters back to a queue, to be tried afresh and seen at once. The caller holds the rows.
UPDATE message
   SET queue_id = %(target_id)s::bigint,
       rank = COALESCE(
           (extract(epoch FROM enqueued_at) * 1000)::bigint - priority * %(rank_step)s::bigint, -priority
       ),
       source_queue_id = NULL,
       state = 'ready',
       visible_at = t.now,
       entered_at = t.now,
       dead_lettered_at = NULL,
       dead_letter_reason = NULL,
       receipt = NULL,
       delivery_count = 0,
       first_delivered_at = NULL,
       last_delivered_at = NULL,
       redrive_count = redrive_count + 1,
       history = CASE
                     WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                     ELSE COALESCE(history, '[]')
                 END || jsonb_build_object(
                     'event', 'requeued', 'at', t.now, 'deliveries', delivery_count,
                     'from', %(queue_id)s::bigint, 'to', %(target_id)s::bigint
                 )
  FROM (SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now) AS t
 WHERE queue_id = %(queue_id)s::bigint
   AND id = ANY (%(ids)s::uuid[])
