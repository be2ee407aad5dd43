-- The oldest exhausted messages of a queue, for moving to its dead-letter queue.
-- Locks them until the transaction ends, passing over those another process is moving.
SELECT id
  FROM message
 WHERE queue_id = %(queue_id)s::bigint
   AND state IN ('exhausted', 'expired')
   AND state = 'exhausted'
 ORDER BY id
 LIMIT %(batch)s::int
   FOR UPDATE SKIP LOCKED
