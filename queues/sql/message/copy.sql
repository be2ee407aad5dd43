-- Store one message in each of these queues and answer the ids in that order; a delayed copy starts parked.
-- Locks nothing: it takes no place, so it is for queues without a bound.
WITH input AS MATERIALIZED (
    SELECT uuidv7() AS id,
           COALESCE(%(now)s::timestamptz, statement_timestamp()) AS sent_at,
           entry.*
      FROM unnest(
               %(queue_id)s::bigint[],
               %(rank_step)s::bigint[],
               %(delay_seconds)s::int[]
           ) WITH ORDINALITY AS entry (queue_id, rank_step, delay_seconds, place)
),
stored AS (
    INSERT INTO message (
        id, queue_id, rank, enqueued_at, entered_at, visible_at, expires_at,
        max_deliveries, size_bytes, priority, state, data, attributes, group_id, trace_id
    )
    SELECT id,
           queue_id,
           COALESCE(
               (extract(epoch FROM sent_at) * 1000)::bigint - %(priority)s::smallint * rank_step,
               -%(priority)s::smallint
           ),
           sent_at,
           sent_at,
           sent_at + make_interval(secs => delay_seconds),
           sent_at + make_interval(secs => %(ttl_seconds)s::int),
           %(max_deliveries)s::int,
           %(size_bytes)s::int,
           %(priority)s::smallint,
           CASE WHEN delay_seconds > 0 THEN 'delayed' ELSE 'ready' END,
           %(data)s::text,
           %(attributes)s::jsonb,
           %(group_id)s::text,
           %(trace_id)s::text
      FROM input
     ORDER BY place
)
SELECT id
  FROM input
 ORDER BY place
