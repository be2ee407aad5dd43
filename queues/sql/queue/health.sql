-- What each of these queues holds, since when the oldest ready message waits, and how many were received in the
-- last five minutes. Counts no further than `most`, and takes the running total beyond; leases no further than
-- `most_parked`. Walks the first row of each rank, 64 at the most, as message/head does. Locks nothing.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
)
SELECT queue.id,
       CASE
           WHEN counted.messages <= %(most)s::int THEN counted.messages
           WHEN queue.queue_size IS NOT NULL THEN GREATEST(
               counted.messages,
               queue.queue_size - (SELECT COALESCE(sum(free), 0) FROM queue_slot WHERE queue_id = queue.id)
           )
           ELSE GREATEST(
               counted.messages,
               COALESCE((SELECT live FROM queue_tally WHERE queue_id = queue.id), 0)
               + COALESCE((SELECT sum(live) FROM queue_tally_delta WHERE queue_id = queue.id), 0)
           )
       END::bigint                        AS depth,
       counted.messages <= %(most)s::int  AS exact,
       leased.messages                    AS in_flight,
       (extract(epoch FROM clock.now - head.waiting_since))::float8 AS oldest_age,
       received.messages::bigint          AS received
  FROM clock
 CROSS JOIN queue
 CROSS JOIN LATERAL (
           SELECT count(*) AS messages
             FROM (SELECT FROM message WHERE queue_id = queue.id LIMIT %(most)s::int + 1) AS bounded
       ) AS counted
 CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE state = 'leased') AS messages
             FROM (
                      SELECT state
                        FROM message
                       WHERE parked_in = queue.id
                         AND visible_at > clock.now
                       LIMIT %(most_parked)s::int
                  ) AS bounded
       ) AS leased
 CROSS JOIN LATERAL (
           WITH RECURSIVE first AS (
               (
                   SELECT rank, entered_at, 1 AS ranks
                     FROM message
                    WHERE ready_in = queue.id
                    ORDER BY rank, id
                    LIMIT 1
               )
               UNION ALL
               SELECT later.rank, later.entered_at, first.ranks + 1
                 FROM first
                CROSS JOIN LATERAL (
                          SELECT rank, entered_at
                            FROM message
                           WHERE ready_in = queue.id
                             AND rank > first.rank
                           ORDER BY rank, id
                           LIMIT 1
                      ) AS later
                WHERE first.ranks < 64
           )
           SELECT min(entered_at) AS waiting_since
             FROM first
       ) AS head
 CROSS JOIN LATERAL (
           SELECT COALESCE(sum(received), 0) AS messages
             FROM (
                      SELECT received
                        FROM queue_activity
                       WHERE queue_id = queue.id
                         AND bucket > clock.now - interval '5 minutes'
                       UNION ALL
                      SELECT received
                        FROM queue_tally_delta
                       WHERE queue_id = queue.id
                         AND at > clock.now - interval '5 minutes'
                  ) AS recent
       ) AS received
 WHERE queue.id = ANY (%(queue_ids)s::bigint[])
   AND queue.deleted_at IS NULL
