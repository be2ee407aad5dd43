-- Lease messages of these groups of a FIFO queue, up to `batch` in all: of each group what is ready before its first
-- delayed message, in order, and nothing while one of its messages is leased. Those whose retention is over or
-- whose deliveries are used up get a state of their own, as in `claim`, and the group goes on behind them.
-- The caller has locked the rows of the groups, in a statement before this one: it has to see what the consumer
-- has done who held them until then.
-- Locks the messages it takes. It waits for none: one that somebody else is changing stops its group for now.
-- Each group is then due again when what it waits for is over. Of those without any message the gates are taken, if
-- nobody holds them; they are answered as `idle`.
WITH RECURSIVE clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
-- One group after the other, as long as there is room.
reached AS (
    SELECT 0 AS place, NULL::text AS group_id, NULL::timestamptz AS blocked_until, '{}'::uuid[] AS ids,
           %(batch)s::int AS room
     UNION ALL
    SELECT reached.place + 1,
           (%(group_ids)s::text[])[reached.place + 1],
           COALESCE(leased.visible_at, delayed.visible_at),
           ready.ids,
           reached.room - cardinality(ready.ids)
      FROM reached
      LEFT JOIN LATERAL (
               SELECT visible_at
                 FROM message
                WHERE queue_id = %(queue_id)s::bigint
                  AND group_id = (%(group_ids)s::text[])[reached.place + 1]
                  AND state = 'leased'
                  AND sequence IS NOT NULL
                LIMIT 1
           ) AS leased ON true
      LEFT JOIN LATERAL (
               SELECT sequence, visible_at
                 FROM message
                WHERE queue_id = %(queue_id)s::bigint
                  AND group_id = (%(group_ids)s::text[])[reached.place + 1]
                  AND state = 'delayed'
                  AND sequence IS NOT NULL
                ORDER BY sequence
                LIMIT 1
           ) AS delayed ON true
     CROSS JOIN LATERAL (
               SELECT COALESCE(array_agg(id ORDER BY sequence), '{}') AS ids
                 FROM (
                          SELECT id, sequence
                            FROM message
                           WHERE leased.visible_at IS NULL
                             AND queue_id = %(queue_id)s::bigint
                             AND group_id = (%(group_ids)s::text[])[reached.place + 1]
                             AND state = 'ready'
                             AND sequence < COALESCE(delayed.sequence, 9223372036854775807)
                           ORDER BY sequence
                           LIMIT reached.room
                      ) AS first
           ) AS ready
     WHERE reached.room > 0
       AND reached.place < cardinality(%(group_ids)s::text[])
),
locked AS MATERIALIZED (
    SELECT id,
           CASE
               WHEN expires_at <= (SELECT now FROM clock)
                 OR entered_at <= (SELECT now FROM clock) - make_interval(secs => %(retention_seconds)s::int)
                   THEN 'expired'
               WHEN %(mortal)s::boolean AND dead_lettered_at IS NULL
                AND delivery_count >= COALESCE(max_deliveries, %(max_deliveries)s::int)
                   THEN 'exhausted'
               ELSE 'leased'
           END AS fate
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT unnest(ids) FROM reached))
       AND state = 'ready'
       FOR UPDATE SKIP LOCKED
),
line AS MATERIALIZED (
    SELECT reached.place,
           head.id,
           locked.fate,
           bool_and(locked.id IS NOT NULL) OVER (PARTITION BY reached.place ORDER BY head.place) AS sure
      FROM reached
     CROSS JOIN LATERAL unnest(reached.ids) WITH ORDINALITY AS head (id, place)
      LEFT JOIN locked ON locked.id = head.id
),
leased AS (
    UPDATE message
       SET state = 'leased',
           visible_at = clock.now + make_interval(secs => %(visibility_timeout)s::int),
           receipt = gen_random_uuid(),
           leased_by = %(by)s::bigint,
           delivery_count = delivery_count + 1,
           first_delivered_at = COALESCE(first_delivered_at, clock.now),
           last_delivered_at = clock.now
      FROM clock
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM line WHERE sure AND fate = 'leased'))
    RETURNING id, receipt, data, attributes, delivery_count, enqueued_at, first_delivered_at,
              visible_at AS invisible_until, group_id, priority, key, sequence, last_error,
              source_queue_id, dead_lettered_at, dead_letter_reason, fingerprint, redrive_count, rank
),
expired AS (
    UPDATE message
       SET state = 'expired'
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM line WHERE sure AND fate = 'expired'))
    RETURNING id
),
exhausted AS (
    UPDATE message
       SET state = 'exhausted'
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM line WHERE sure AND fate = 'exhausted'))
    RETURNING id
),
looked_at AS MATERIALIZED (
    SELECT place,
           group_id,
           CASE
               WHEN EXISTS (SELECT FROM line WHERE line.place = reached.place AND sure AND fate = 'leased')
                   THEN (SELECT now FROM clock) + make_interval(secs => %(visibility_timeout)s::int)
               WHEN cardinality(ids) = 0
                   THEN blocked_until
               WHEN EXISTS (SELECT FROM line WHERE line.place = reached.place AND sure)
                   THEN (SELECT now FROM clock)
               -- Somebody is at its first message. He leaves word when he is done, unless he fails.
               ELSE (SELECT now FROM clock) + interval '1 second'
           END AS look_at
      FROM reached
     WHERE place > 0
),
put_off AS (
    UPDATE fifo_group
       SET look_at = looked_at.look_at
      FROM looked_at
     WHERE fifo_group.queue_id = %(queue_id)s::bigint
       AND fifo_group.group_id = ANY (%(group_ids)s::text[])
       AND fifo_group.group_id = looked_at.group_id
       AND looked_at.look_at IS NOT NULL
)
-- One row at the least, so that the counts arrive even when nothing was leased.
SELECT (SELECT count(*) FROM expired)   AS expired,
       (SELECT count(*) FROM exhausted) AS exhausted,
       ARRAY(
           SELECT group_id
             FROM looked_at
            WHERE look_at IS NULL
              AND pg_try_advisory_xact_lock(
                      (%(queue_id)s::bigint & 2147483647)::int, (%(gates)s::int[])[place]
                  )
       )                                AS idle,
       leased.*
  FROM (SELECT) AS answer
  LEFT JOIN leased ON true
  LEFT JOIN line ON line.id = leased.id
 ORDER BY line.place, leased.sequence
