-- Make due messages ready: delays that are over, leases that ran out. A lease that was the last one leaves
-- the message exhausted. Answers one row: how many moved, how many of them exhausted, the lowest id, when it
-- was, and what it cost.
-- Locks the due rows, oldest first, passing over those another process is moving.
-- `floor` passes over dead index entries that a long transaction elsewhere keeps from being vacuumed.
WITH due AS MATERIALIZED (
    SELECT id
      FROM message
     WHERE parked_in = %(queue_id)s::bigint
       AND visible_at <= COALESCE(%(now)s::timestamptz, statement_timestamp())
       AND visible_at >= COALESCE(%(floor)s::timestamptz, '-infinity')
     ORDER BY visible_at
     LIMIT %(batch)s::int
       FOR UPDATE SKIP LOCKED
),
promoted AS (
    UPDATE message
       SET state = CASE
               WHEN %(mortal)s::boolean
                AND dead_lettered_at IS NULL
                AND state = 'leased'
                AND delivery_count >= COALESCE(max_deliveries, %(max_deliveries)s::int) THEN 'exhausted'
               ELSE 'ready'
           END,
           lease_expiry_count = lease_expiry_count + (state = 'leased')::int,
           first_failed_at = CASE
               WHEN state = 'leased' THEN COALESCE(first_failed_at, visible_at)
               ELSE first_failed_at
           END,
           last_failed_at = CASE WHEN state = 'leased' THEN visible_at ELSE last_failed_at END,
           error_type = CASE WHEN state = 'leased' THEN COALESCE(error_type, 'LeaseExpired') ELSE error_type END,
           history = CASE
               WHEN state <> 'leased' THEN history
               ELSE CASE
                        WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                        ELSE COALESCE(history, '[]')
                    END || jsonb_build_object(
                        'event', 'lease_expired', 'at', visible_at, 'leased_at', last_delivered_at, 'by', leased_by
                    )
           END
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM due))
    RETURNING id, state
)
SELECT count(*)                                    AS moved,
       count(*) FILTER (WHERE state = 'exhausted') AS exhausted,
       min(id::text COLLATE "C")::uuid             AS lowest,
       statement_timestamp()                       AS at,
       clock_timestamp() - statement_timestamp()   AS cost
  FROM promoted
