-- How many messages of each state a queue holds, counting no further than `most` of a state, and the age of
-- the oldest one that waits for a consumer. A parked row whose time has come counts as visible. Locks nothing.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
)
SELECT (SELECT count(*) FROM (
            SELECT FROM message
             WHERE queue_id = %(queue_id)s::bigint AND state = 'ready'
             LIMIT %(most)s::int) AS ready)      AS ready,
       (SELECT count(*) FROM (
            SELECT FROM message
             WHERE queue_id = %(queue_id)s::bigint AND state IN ('leased', 'delayed')
               AND visible_at <= (SELECT now FROM clock)
             LIMIT %(most)s::int) AS due)        AS due,
       (SELECT count(*) FROM (
            SELECT FROM message
             WHERE queue_id = %(queue_id)s::bigint AND state IN ('leased', 'delayed') AND state = 'leased'
               AND visible_at > (SELECT now FROM clock)
             LIMIT %(most)s::int) AS leased)     AS leased,
       (SELECT count(*) FROM (
            SELECT FROM message
             WHERE queue_id = %(queue_id)s::bigint AND state IN ('leased', 'delayed') AND state = 'delayed'
               AND visible_at > (SELECT now FROM clock)
             LIMIT %(most)s::int) AS delayed)    AS delayed,
       (SELECT count(*) FROM (
            SELECT FROM message
             WHERE queue_id = %(queue_id)s::bigint AND state IN ('exhausted', 'expired') AND state = 'exhausted'
             LIMIT %(most)s::int) AS exhausted)  AS exhausted
