-- Every slot of these queues, waiting for those that are held: what they add up to is then exact.
-- Locks them in the order of the queues, then of their ids, until the transaction ends.
SELECT queue_id, id, free
  FROM queue_slot
 WHERE queue_id = ANY (%(queue_ids)s::bigint[])
 ORDER BY queue_id, id
   FOR UPDATE
