-- Set the slots the caller holds to new values and drop the rows that are left over.
WITH target AS (
    SELECT id, free
      FROM unnest(%(ids)s::bigint[], %(free)s::int[]) AS target (id, free)
),
dropped AS (
    DELETE FROM queue_slot
     WHERE id = ANY (%(surplus)s::bigint[])
)
UPDATE queue_slot
   SET free = target.free
  FROM target
 WHERE queue_slot.id = target.id
