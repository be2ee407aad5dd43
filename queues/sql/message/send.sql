-- Store messages in the order given and answer their ids in that order; a delayed one starts parked.
-- Locks one slot row of a bounded queue, the first that nobody holds and that has room for all of them.
-- No row comes back when there is no such slot, or when another slot owes places because the queue has become
-- smaller than what it holds: the caller then asks `queue_slot/lock`, which waits.
-- The slot is looked for beside the update: one looked for within it is looked for once more when it has changed
-- meanwhile, from the first slot on and with another slot locked, against the order in which others wait.
WITH slot AS MATERIALIZED (
    SELECT id
      FROM queue_slot
     WHERE %(bounded)s::boolean
       AND queue_id = %(queue_id)s::bigint
       AND free >= %(count)s::int
       AND NOT EXISTS (SELECT FROM queue_slot WHERE queue_id = %(queue_id)s::bigint AND free < 0)
     ORDER BY id
     LIMIT 1
       FOR UPDATE SKIP LOCKED
),
room AS (
    UPDATE queue_slot
       SET free = free - %(count)s::int
     WHERE queue_id = %(queue_id)s::bigint
       AND id = (SELECT id FROM slot)
    RETURNING id
),
input AS MATERIALIZED (
    SELECT uuidv7() AS id,
           COALESCE(%(now)s::timestamptz, statement_timestamp()) AS sent_at,
           entry.*
      FROM unnest(
               %(data)s::text[],
               %(attributes)s::jsonb[],
               %(delay_seconds)s::int[],
               %(priority)s::smallint[],
               %(group_id)s::text[],
               %(ttl_seconds)s::int[],
               %(max_deliveries)s::int[],
               %(trace_id)s::text[],
               %(size_bytes)s::int[]
           ) WITH ORDINALITY AS entry (
               data, attributes, delay_seconds, priority, group_id, ttl_seconds, max_deliveries, trace_id,
               size_bytes, place
           )
     WHERE NOT %(bounded)s::boolean OR EXISTS (SELECT FROM room)
),
stored AS (
    INSERT INTO message (
        id, queue_id, rank, enqueued_at, entered_at, visible_at, expires_at,
        max_deliveries, size_bytes, priority, state, data, attributes, group_id, trace_id
    )
    SELECT id,
           %(queue_id)s::bigint,
           COALESCE((extract(epoch FROM sent_at) * 1000)::bigint - priority * %(rank_step)s::bigint, -priority),
           sent_at,
           sent_at,
           sent_at + make_interval(secs => delay_seconds),
           sent_at + make_interval(secs => ttl_seconds),
           max_deliveries,
           size_bytes,
           priority,
           CASE WHEN delay_seconds > 0 THEN 'delayed' ELSE 'ready' END,
           data,
           attributes,
           group_id,
           trace_id
      FROM input
     ORDER BY place
)
SELECT id
  FROM input
 ORDER BY place
