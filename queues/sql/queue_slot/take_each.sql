-- Take a place in each of these queues, in its first slot that nobody holds and that has room; as message/send
-- does, in none that owes places. Says of each queue whether that was done, and whether it has room at all: one
-- without is full, one with room in slots that others hold has to be asked again by `queue_slot/lock`.
-- Locks one slot of each queue and waits for nobody. One that has filled up just now may stay locked, too.
WITH asked AS MATERIALIZED (
    SELECT wanted.queue_id,
           (SELECT sum(free) > 0 FROM queue_slot WHERE queue_id = wanted.queue_id) AS has_room,
           (
               SELECT id
                 FROM queue_slot
                WHERE queue_id = wanted.queue_id
                  AND free > 0
                  AND NOT EXISTS (SELECT FROM queue_slot WHERE queue_id = wanted.queue_id AND free < 0)
                ORDER BY id
                LIMIT 1
                  FOR UPDATE SKIP LOCKED
           ) AS slot_id
      FROM unnest(%(queue_ids)s::bigint[]) AS wanted (queue_id)
),
taken AS (
    UPDATE queue_slot
       SET free = free - 1
      FROM asked
     WHERE queue_slot.queue_id = asked.queue_id
       AND queue_slot.id = asked.slot_id
    RETURNING queue_slot.queue_id
)
SELECT asked.queue_id,
       asked.has_room,
       taken.queue_id IS NOT NULL AS taken
  FROM asked
  LEFT JOIN taken USING (queue_id)
