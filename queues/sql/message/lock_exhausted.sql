-- The oldest exhausted messages of a queue, for moving to its dead-letter queue.
-- Locks them until the transaction ends, passing over those another process is moving.
SELECT id
  FROM message
 WHERE ended_in = %(queue_id)s::bigint
   AND state = 'exhausted'
 ORDER BY id
 LIMIT %(batch)s::int
   FOR UPDATE SKIP LOCKED
