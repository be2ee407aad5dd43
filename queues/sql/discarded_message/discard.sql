-- Move messages into the trash: each whole row as JSON, from which `restore` makes it again. Their places are given
-- back, and dead letters are counted out of their groups.
-- Left alone are those a consumer holds just now, who may be about to ack, and expired ones, which are gone already.
-- It stays in the trash as long as the queue would have kept it, and a day at the least: somebody who discards
-- what is about to expire can still change his mind. Answers one row: how many.
-- Locks the messages in id order, then one slot row nobody holds; when all are held, a new one is added.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
found AS MATERIALIZED (
    SELECT id
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (%(ids)s::uuid[])
       AND state <> 'expired'
       AND NOT (state = 'leased' AND visible_at > (SELECT now FROM clock))
     ORDER BY id
       FOR UPDATE
),
gone AS (
    DELETE FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM found))
    RETURNING *
),
kept AS (
    INSERT INTO discarded_message (
        message_id, team_id, queue_id, discarded_at, discarded_by, reason, replaced_by, expires_at,
        size_bytes, error_type, fingerprint, row
    )
    SELECT id,
           %(team_id)s::bigint,
           queue_id,
           clock.now,
           %(by)s::text,
           %(reason)s::text,
           %(replaced_by)s::uuid,
           GREATEST(
               entered_at + make_interval(secs => %(retention_seconds)s::int), clock.now + interval '1 day'
           ),
           size_bytes,
           error_type,
           fingerprint,
           to_jsonb(gone) || jsonb_build_object(
               'history', CASE
                              WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                              ELSE COALESCE(history, '[]')
                          END || jsonb_strip_nulls(jsonb_build_object(
                              'event', CASE WHEN %(replaced_by)s::uuid IS NULL THEN 'discarded' ELSE 'replaced' END,
                              'at', clock.now, 'requested_by', %(by)s::text,
                              'reason', NULLIF(%(reason)s::text, ''), 'message', %(replaced_by)s::uuid
                          ))
           )
      FROM gone, clock
     ORDER BY id
),
ungrouped AS (
    INSERT INTO error_group_delta (queue_id, fingerprint, count, at)
    SELECT queue_id, fingerprint, -count(*), (SELECT now FROM clock)
      FROM gone
     WHERE dead_lettered_at IS NOT NULL
       AND fingerprint IS NOT NULL
     GROUP BY queue_id, fingerprint
),
slot AS MATERIALIZED (
    SELECT id
      FROM queue_slot
     WHERE %(bounded)s::boolean
       AND queue_id = %(queue_id)s::bigint
     ORDER BY id DESC
     LIMIT 1
       FOR UPDATE SKIP LOCKED
),
credited AS (
    UPDATE queue_slot
       SET free = free + (SELECT count(*) FROM gone)
     WHERE queue_id = %(queue_id)s::bigint
       AND id = (SELECT id FROM slot)
),
added AS (
    INSERT INTO queue_slot (queue_id, free)
    SELECT %(queue_id)s::bigint, count(*)
      FROM gone
     WHERE %(bounded)s::boolean
       AND NOT EXISTS (SELECT FROM slot)
    HAVING count(*) > 0
)
SELECT count(*) AS discarded
  FROM gone
