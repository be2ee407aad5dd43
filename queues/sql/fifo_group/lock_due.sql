-- Groups of a FIFO queue that are due for a look, those first that have been due longest.
-- Locks their rows until the transaction ends, passing over those that another consumer looks at.
SELECT group_id
  FROM fifo_group
 WHERE queue_id = %(queue_id)s::bigint
   AND look_at <= COALESCE(%(now)s::timestamptz, statement_timestamp())
 ORDER BY look_at
 LIMIT %(groups)s::int
   FOR UPDATE SKIP LOCKED
