-- Make due messages ready: delays that are over, leases that ran out. A lease that was the last one leaves
-- the message exhausted. Answers one row: how many moved, how many of them exhausted, the lowest id,
-- when it was, and what it cost.
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
                AND state = 'leased'
                AND delivery_count >= COALESCE(max_deliveries, %(max_deliveries)s::int) THEN 'exhausted'
               ELSE 'ready'
           END,
           lease_expiry_count = lease_expiry_count + (state = 'leased')::int
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM due))
    RETURNING id, state
)
SELECT count(*)                                      AS moved,
       count(*) FILTER (WHERE state = 'exhausted')   AS exhausted,
       (SELECT id FROM promoted ORDER BY id LIMIT 1) AS lowest,
       statement_timestamp()                         AS at,
       clock_timestamp() - statement_timestamp()     AS cost
  FROM promoted
