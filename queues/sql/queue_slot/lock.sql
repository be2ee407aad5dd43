-- Every slot of a queue, waiting for those that are held: what they add up to is then exact.
-- Locks them in id order until the transaction ends.
SELECT id, free
  FROM queue_slot
 WHERE queue_id = %(queue_id)s::bigint
 ORDER BY id
   FOR UPDATE
