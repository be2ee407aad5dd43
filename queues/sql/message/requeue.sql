-- Move dead letters back to a queue, to be tried afresh and seen at once. The caller holds the rows.
UPDATE message
   SET queue_id = %(target_id)s::bigint,
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
       redrive_count = redrive_count + 1
  FROM (SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now) AS t
 WHERE queue_id = %(queue_id)s::bigint
   AND id = ANY (%(ids)s::uuid[])
