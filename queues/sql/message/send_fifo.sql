-- Store messages of a FIFO queue in the order given and answer their ids and places in the line in that order; a
-- delayed one starts parked. A group that had none gets its row.
-- Locks one slot row of a bounded queue, as `send` does, and then the gates of the groups, in order. Places are
-- drawn behind the gates, which are held until the commit: so the order of places is the order of commits.
-- It never locks the rows of groups: with producers at it one after the other, consumers would find them locked
-- all the time. A row that is there stays there while its gate is held: see `fifo_group/forget`.
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
gates AS MATERIALIZED (
    SELECT count(pg_advisory_xact_lock((%(queue_id)s::bigint & 2147483647)::int, gate)) AS held
      FROM unnest(%(gates)s::int[]) AS gate
     WHERE NOT %(bounded)s::boolean OR EXISTS (SELECT FROM room)
),
input AS MATERIALIZED (
    SELECT uuidv7() AS id,
           nextval('message_sequence') AS sequence,
           COALESCE(%(now)s::timestamptz, statement_timestamp()) AS sent_at,
           entry.*
      FROM gates
     CROSS JOIN unnest(
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
     WHERE gates.held > 0
),
grouped AS (
    INSERT INTO fifo_group (queue_id, group_id, look_at)
    SELECT DISTINCT ON (group_id)
           %(queue_id)s::bigint,
           group_id,
           sent_at + make_interval(secs => delay_seconds)
      FROM input
     ORDER BY group_id, place
        ON CONFLICT DO NOTHING
),
stored AS (
    INSERT INTO message (
        id, queue_id, rank, enqueued_at, entered_at, visible_at, expires_at, sequence,
        max_deliveries, size_bytes, priority, state, data, attributes, group_id, trace_id
    )
    SELECT id,
           %(queue_id)s::bigint,
           COALESCE((extract(epoch FROM sent_at) * 1000)::bigint - priority * %(rank_step)s::bigint, -priority),
           sent_at,
           sent_at,
           sent_at + make_interval(secs => delay_seconds),
           sent_at + make_interval(secs => ttl_seconds),
           sequence,
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
SELECT id, sequence
  FROM input
 ORDER BY place
