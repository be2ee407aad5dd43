-- Look at the next `look` ready messages in delivery order and split them: up to `batch` live ones are leased;
-- those whose retention is over or whose deliveries are used up leave the READY index for a state of their own.
-- Filtering them out inside the scan would make one receive walk every dead row at the head.
-- Locks the rows it takes, passing over those another consumer is taking.
-- `floor` passes over dead index entries that a long transaction elsewhere keeps from being vacuumed.
-- Ids are handed on as arrays: a join could be planned as a scan of the table when statistics lie.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
head AS MATERIALIZED (
    SELECT rank,
           id,
           CASE
               WHEN expires_at <= (SELECT now FROM clock)
                 OR entered_at <= (SELECT now FROM clock) - make_interval(secs => %(retention_seconds)s::int)
                   THEN 'expired'
               WHEN %(mortal)s::boolean AND dead_lettered_at IS NULL
                AND delivery_count >= COALESCE(max_deliveries, %(max_deliveries)s::int)
                   THEN 'exhausted'
               ELSE 'leased'
           END AS fate
      FROM message
     WHERE ready_in = %(queue_id)s::bigint
       AND id >= COALESCE(%(floor)s::uuid, '00000000-0000-0000-0000-000000000000')
     ORDER BY rank, id
     LIMIT %(look)s::int
       FOR UPDATE SKIP LOCKED
),
leased AS (
    UPDATE message
       SET state = 'leased',
           visible_at = clock.now + make_interval(secs => %(visibility_timeout)s::int),
           receipt = gen_random_uuid(),
           leased_by = %(by)s::bigint,
           delivery_count = delivery_count + 1,
           first_delivered_at = COALESCE(first_delivered_at, clock.now),
           last_delivered_at = clock.now
      FROM clock
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(
               SELECT id FROM head WHERE fate = 'leased' ORDER BY rank, id LIMIT %(batch)s::int
           ))
    RETURNING id, receipt, data, attributes, delivery_count, enqueued_at, first_delivered_at,
              visible_at AS invisible_until, group_id, priority, key, sequence, last_error,
              source_queue_id, dead_lettered_at, dead_letter_reason, fingerprint, redrive_count, rank
),
expired AS (
    UPDATE message
       SET state = 'expired'
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM head WHERE fate = 'expired'))
    RETURNING id
),
exhausted AS (
    UPDATE message
       SET state = 'exhausted'
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM head WHERE fate = 'exhausted'))
    RETURNING id
)
-- One row at the least, so that the two counts arrive even when nothing was leased.
SELECT (SELECT count(*) FROM expired)   AS expired,
       (SELECT count(*) FROM exhausted) AS exhausted,
       leased.*
  FROM (SELECT) AS answer
  LEFT JOIN leased ON true
 ORDER BY leased.rank, leased.id
