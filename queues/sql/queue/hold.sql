-- A queue that is not deleted, kept from being deleted until the transaction ends.
-- Locks its row in share mode: holders do not wait for each other, only a change of the queue waits for them.
SELECT id
  FROM queue
 WHERE id = %(queue_id)s::bigint
   AND deleted_at IS NULL
   FOR SHARE
