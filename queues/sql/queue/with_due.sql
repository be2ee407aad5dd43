-- Queues that hold messages whose delay or lease is over, for queues nobody polls. Locks nothing.
SELECT queue.id
  FROM queue
 WHERE deleted_at IS NULL
   AND EXISTS (
           SELECT
             FROM message
            WHERE parked_in = queue.id
              AND visible_at <= COALESCE(%(now)s::timestamptz, statement_timestamp())
       )
 ORDER BY id
