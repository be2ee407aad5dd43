-- A consumer gives a message back and says why. It waits as long as asked for, else by the queue's backoff, else
-- not at all; with its deliveries used up it is exhausted. Its receipt holds nothing any more.
-- The backoff is base * factor ^ (deliveries - 1), capped (by the exponent, which else could overflow), give or
-- take the jitter. Answers no row when there is no such message, else whether the receipt held it.
-- A dead letter stays in the group it is counted in, whatever those report who look at it.
-- Locks the message.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
found AS MATERIALIZED (
    SELECT id,
           receipt IS NOT DISTINCT FROM %(receipt)s::uuid AND state IN ('ready', 'leased', 'delayed') AS held,
           %(mortal)s::boolean
             AND dead_lettered_at IS NULL
             AND COALESCE(delivery_count >= COALESCE(max_deliveries, %(max_deliveries)s::int), false) AS used_up,
           COALESCE(
               %(delay_seconds)s::float8,
               %(backoff_base)s::float8
                 * exp(LEAST(
                       (delivery_count - 1) * ln(%(backoff_factor)s::float8),
                       ln(%(backoff_max)s::float8 / %(backoff_base)s::float8)
                   ))
                 * (1 + %(backoff_jitter)s::float8 * (2 * COALESCE(%(chance)s::float8, random()) - 1)),
               0
           ) AS wait
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id = %(id)s::uuid
       FOR UPDATE
),
nacked AS (
    UPDATE message
       SET state = CASE
               WHEN used_up THEN 'exhausted'
               WHEN wait > 0 THEN 'delayed'
               ELSE 'ready'
           END,
           visible_at = clock.now + make_interval(secs => wait),
           receipt = NULL,
           nack_count = nack_count + 1,
           first_failed_at = COALESCE(first_failed_at, clock.now),
           last_failed_at = clock.now,
           last_error = COALESCE(%(error)s::jsonb, last_error),
           error_type = CASE
               WHEN %(error)s::jsonb IS NULL OR dead_lettered_at IS NOT NULL THEN error_type
               ELSE %(error_type)s::text
           END,
           fingerprint = CASE
               WHEN %(error)s::jsonb IS NULL OR dead_lettered_at IS NOT NULL THEN fingerprint
               ELSE %(fingerprint)s::text
           END,
           history = CASE
                         WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                         ELSE COALESCE(history, '[]')
                     END || jsonb_strip_nulls(jsonb_build_object(
                         'event', 'nacked', 'at', clock.now, 'leased_at', last_delivered_at, 'by', leased_by,
                         'error', %(error_in_brief)s::jsonb
                     ))
      FROM clock, found
     WHERE message.queue_id = %(queue_id)s::bigint
       AND message.id = (SELECT id FROM found WHERE held)
    RETURNING state, visible_at
)
SELECT held, state, visible_at
  FROM found
  LEFT JOIN nacked ON true
