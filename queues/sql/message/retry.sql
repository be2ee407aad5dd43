-- Move dead letters to a queue, to be tried afresh and seen at once: one that is requeued, or many by a redrive.
-- What they were among the dead becomes the last entry of their history, from which `undo_retry` brings it back.
-- The caller holds the rows.
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
       redrive_id = COALESCE(%(redrive_id)s::bigint, redrive_id),
       history = CASE
                     WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                     ELSE COALESCE(history, '[]')
                 END || jsonb_build_object(
                     'event', %(event)s::text, 'at', t.now, 'deliveries', delivery_count,
                     'from', %(queue_id)s::bigint, 'to', %(target_id)s::bigint, 'requested_by', %(by)s::text,
                     'was', jsonb_build_object(
                         'rank', rank,
                         'source_queue_id', source_queue_id,
                         'entered_at', entered_at,
                         'dead_lettered_at', dead_lettered_at,
                         'dead_letter_reason', dead_letter_reason,
                         'delivery_count', delivery_count,
                         'first_delivered_at', first_delivered_at,
                         'last_delivered_at', last_delivered_at,
                         'redrive_id', redrive_id
                     )
                 )
  FROM (SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now) AS t
 WHERE queue_id = %(queue_id)s::bigint
   AND id = ANY (%(ids)s::uuid[])
