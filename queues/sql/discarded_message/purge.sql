-- Remove what has lain in the trash long enough, a batch at the most, and log it. The log counts it as finished
-- now, not when it was discarded: a row dated back would be missed by readers who have passed that day.
-- Answers one row: how many.
-- Locks the rows, those that are due longest first, passing over one that somebody is restoring.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
due AS MATERIALIZED (
    SELECT id
      FROM discarded_message
     WHERE expires_at <= (SELECT now FROM clock)
     ORDER BY expires_at
     LIMIT %(batch)s::int
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM discarded_message
     WHERE id = ANY (ARRAY(SELECT id FROM due))
    RETURNING *
),
logged AS (
    INSERT INTO message_log (
        message_id, team_id, queue_id, enqueued_at, first_delivered_at, last_delivered_at, finished_at, left_at,
        delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome,
        group_id, error_type, fingerprint, redrive_id
    )
    SELECT gone.message_id, gone.team_id, gone.queue_id, was.entered_at, was.first_delivered_at,
           was.last_delivered_at, clock.now, gone.discarded_at,
           was.delivery_count, was.nack_count, was.lease_expiry_count, was.size_bytes, was.priority, 'discarded',
           was.group_id, was.error_type, was.fingerprint, was.redrive_id
      FROM gone
     CROSS JOIN clock
     CROSS JOIN LATERAL jsonb_populate_record(NULL::message, gone.row) AS was
)
SELECT count(*) AS removed
  FROM gone
