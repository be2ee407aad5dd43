-- Queues with messages that are exhausted or expired and have not been moved or removed yet. Locks nothing.
SELECT queue.id
  FROM queue
 WHERE deleted_at IS NULL
   AND EXISTS (
           SELECT
             FROM message
            WHERE ended_in = queue.id
       )
 ORDER BY id
