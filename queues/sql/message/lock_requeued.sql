-- A message that was requeued out of a dead-letter queue, in whichever queue of the team it is now, and whether it
-- can be pulled back: nobody has received it, and nothing else has happened to it since. Or that it is back.
-- Locks it until the transaction ends; a consumer who is taking it is waited for, and has it then.
-- The queues are handed on as an array: a join could be planned as a scan of the table when statistics lie.
SELECT id,
       queue_id,
       state = 'ready'
         AND delivery_count = 0
         AND history -> -1 ->> 'event' = 'requeued'
         AND (history -> -1 ->> 'from')::bigint = %(dlq_id)s::bigint AS untouched,
       queue_id = %(dlq_id)s::bigint
         AND history -> -1 ->> 'event' = 'requeue_undone' AS undone
  FROM message
 WHERE queue_id = ANY (ARRAY(
           SELECT id
             FROM queue
            WHERE team_id = %(team_id)s::bigint
              AND deleted_at IS NULL
       ))
   AND id = %(id)s::uuid
   AND state <> 'expired'
   FOR UPDATE
