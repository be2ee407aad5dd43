-- Messages whose retention or own time to live is over, a batch at the most, for the log and removal.
-- Three short index scans: own time to live; sent too long ago (ids are in order of time); dead too long ago.
-- A lease that still runs is left alone: its consumer may be about to ack. Locks nothing.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now,
           COALESCE(%(now)s::timestamptz, statement_timestamp())
             - make_interval(secs => %(retention_seconds)s::int) AS cutoff
)
(
    SELECT id
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND expires_at <= (SELECT now FROM clock)
       AND NOT (state = 'leased' AND visible_at > (SELECT now FROM clock))
     ORDER BY expires_at
     LIMIT %(batch)s::int
)
UNION
(
    SELECT id
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id < %(oldest_kept)s::uuid
       AND dead_lettered_at IS NULL
       AND entered_at <= (SELECT cutoff FROM clock)
       AND NOT (state = 'leased' AND visible_at > (SELECT now FROM clock))
     ORDER BY id
     LIMIT %(batch)s::int
)
UNION
(
    SELECT id
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND dead_lettered_at IS NOT NULL
       AND entered_at <= (SELECT cutoff FROM clock)
       AND NOT (state = 'leased' AND visible_at > (SELECT now FROM clock))
     ORDER BY entered_at
     LIMIT %(batch)s::int
)
