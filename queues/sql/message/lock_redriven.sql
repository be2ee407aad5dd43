-- Messages of a redrive that nobody received yet, a batch at the most, for pulling them back.
-- Locks them until the transaction ends, passing over those a consumer is taking: it never waits, so any order
-- will do.
SELECT id, queue_id
  FROM message
 WHERE redrive_id = %(redrive_id)s::bigint
   AND queue_id <> %(dlq_id)s::bigint
   AND state = 'ready'
   AND delivery_count = 0
   AND history -> -1 ->> 'event' = 'redriven'
 LIMIT %(batch)s::int
   FOR UPDATE SKIP LOCKED
