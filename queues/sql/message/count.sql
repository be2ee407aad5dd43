-- How many messages of each state a queue holds, reading no more than `most` rows of each index.
-- A parked row whose time has come counts as due: it is ready for whoever asks next. Locks nothing.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
parked AS MATERIALIZED (
    SELECT state
      FROM message
     WHERE parked_in = %(queue_id)s::bigint
       AND visible_at > (SELECT now FROM clock)
     LIMIT %(most)s::int
),
ended AS MATERIALIZED (
    SELECT state
      FROM message
     WHERE ended_in = %(queue_id)s::bigint
     LIMIT %(most)s::int
)
SELECT (
           SELECT count(*)
             FROM (SELECT FROM message WHERE ready_in = %(queue_id)s::bigint LIMIT %(most)s::int) AS ready
       ) AS ready,
       (
           SELECT count(*)
             FROM (
                      SELECT
                        FROM message
                       WHERE parked_in = %(queue_id)s::bigint
                         AND visible_at <= (SELECT now FROM clock)
                       LIMIT %(most)s::int
                  ) AS due
       ) AS due,
       (SELECT count(*) FROM parked)                            AS parked,
       (SELECT count(*) FROM parked WHERE state = 'leased')     AS leased,
       (SELECT count(*) FROM parked WHERE state = 'delayed')    AS delayed,
       (SELECT count(*) FROM ended)                             AS ended,
       (SELECT count(*) FROM ended WHERE state = 'exhausted')   AS exhausted
