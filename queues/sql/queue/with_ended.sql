-- Queues with messages that are exhausted or expired and have not been moved or removed yet. Locks nothing.
SELECT queue.id
  FROM queue
 WHERE deleted_at IS NULL
   AND EXISTS (
           SELECT
             FROM message
            WHERE message.queue_id = queue.id
              AND state IN ('exhausted', 'expired')
       )
 ORDER BY id
