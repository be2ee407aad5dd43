-- Depth, leases and oldest waiting message of every queue, for the metrics page; none counted further than
-- `most`. The age is that of the first message in delivery order. Locks nothing.
SELECT team.name                                                  AS team,
       queue.name                                                 AS queue,
       depth.messages                                             AS depth,
       leased.messages                                            AS leased,
       extract(epoch FROM statement_timestamp() - head.entered_at) AS oldest_age
  FROM queue
  JOIN team ON team.id = queue.team_id
 CROSS JOIN LATERAL (
           SELECT count(*) AS messages
             FROM (SELECT FROM message WHERE queue_id = queue.id LIMIT %(most)s::int) AS bounded
       ) AS depth
 CROSS JOIN LATERAL (
           SELECT count(*) AS messages
             FROM (
                      SELECT
                        FROM message
                       WHERE parked_in = queue.id
                         AND state = 'leased'
                         AND visible_at > statement_timestamp()
                       LIMIT %(most)s::int
                  ) AS bounded
       ) AS leased
  LEFT JOIN LATERAL (
           SELECT entered_at
             FROM message
            WHERE ready_in = queue.id
            ORDER BY rank, id
            LIMIT 1
       ) AS head ON true
 WHERE queue.deleted_at IS NULL
