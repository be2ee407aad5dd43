-- Write a stretch of synthetic history: so many messages of each queue that end in it, drawn from the queue's profile,
-- and what becomes of the dead ones. The same seed draws the same rows. Answers how many rows. Locks nothing.
-- Times are seconds since 1970 up to the last step: with timestamps and intervals it took half as long again.
WITH profile AS MATERIALIZED (
    SELECT *
      FROM unnest(
               %(queue_id)s::bigint[], %(dlq_id)s::bigint[], %(messages)s::int[],
               %(visibility_timeout)s::int[], %(max_deliveries)s::int[], %(retention_seconds)s::int[],
               %(processing_median)s::float8[], %(processing_spread)s::float8[], %(wait_mean)s::float8[],
               %(failing)s::float8[], %(poisoned)s::float8[], %(ignored)s::float8[],
               %(tenants)s::int[], %(noisy)s::float8[], %(first_error)s::int[], %(errors)s::int[]
           ) AS profile (
               queue_id, dlq_id, messages,
               visibility_timeout, max_deliveries, retention_seconds,
               processing_median, processing_spread, wait_mean,
               failing, poisoned, ignored,
               tenants, noisy, first_error, errors
           )
),
seeded AS MATERIALIZED (
    SELECT setseed(%(seed)s::float8)
),
-- All that chance decides, once for each message.
drawn AS MATERIALIZED (
    SELECT queue_id, dlq_id, visibility_timeout, max_deliveries, retention_seconds,
           %(starts_at)s::float8 + random() * %(seconds)s::float8       AS finished,
           processing_median * exp(processing_spread * random_normal()) AS processing,
           wait_mean * -ln(1 - random())                                AS waited,
           floor(ln(1 - random()) / ln(failing))::int                   AS failures,
           random() < poisoned                                          AS is_poison,
           random() < ignored                                           AS is_ignored,
           random()                                                     AS silence,
           first_error + floor(errors * random() ^ 2)::int              AS error,
           CASE
               WHEN random() < noisy THEN 1
               WHEN tenants > 0 THEN 2 + floor((tenants - 1) * random() ^ 2)::int
           END                                                          AS tenant,
           least(64 + exp(6 + 1.2 * random_normal()), 200000)::int      AS size_bytes,
           CASE WHEN random() < 0.05 THEN 5 ELSE 0 END                  AS priority,
           1800 + 18000 * random()                                      AS mourned,
           random(0::bigint, (1::bigint << 62) - 1)                     AS id_bits
      FROM seeded
     CROSS JOIN profile
     CROSS JOIN LATERAL generate_series(1, messages)
),
-- A delivery that outlasts its lease fails as well. Who fails as often as allowed is dead.
fated AS (
    SELECT drawn.*,
           CASE
               WHEN is_ignored THEN 0
               WHEN is_poison THEN max_deliveries
               ELSE least(failures + (processing > visibility_timeout)::int, max_deliveries)
           END AS failed
      FROM drawn
),
-- A quarter of the failures report nothing: the lease runs out. Poison always reports what is wrong.
told AS (
    SELECT fated.*,
           CASE
               WHEN is_ignored THEN 'expired'
               WHEN failed = max_deliveries THEN 'dead_lettered'
               ELSE 'acked'
           END AS outcome,
           CASE
               WHEN is_poison THEN 0
               WHEN processing > visibility_timeout THEN least(failed, 1)
               ELSE floor(failed * 0.25 + silence)::int
           END AS expiries
      FROM fated
),
counted AS (
    SELECT told.*,
           failed - expiries                   AS nacks,
           failed + (outcome = 'acked')::int   AS deliveries,
           finished - processing               AS last_delivered
      FROM told
),
timed AS (
    SELECT counted.*,
           last_delivered - greatest(deliveries - 1, 0)
               * (0.5 + (nacks * processing + expiries * visibility_timeout) / greatest(failed, 1)) AS first_delivered,
           finished + least(mourned, (%(until)s::float8 - finished) / 2)                            AS left_dlq
      FROM counted
),
stay AS (
    SELECT timed.*,
           CASE WHEN is_ignored THEN finished - retention_seconds ELSE first_delivered - waited END AS entered,
           left_dlq + least(processing, (%(until)s::float8 - left_dlq) / 2)                         AS finished_again,
           CASE WHEN nacks > 0 THEN CASE WHEN is_poison THEN %(poison)s::int ELSE error END END     AS reported
      FROM timed
),
named AS MATERIALIZED (
    SELECT stay.*,
           -- As uuidv7() draws them: milliseconds and the version, then the variant and bits of chance.
           ('0' || to_hex((entered * 1000)::bigint * 0x10000 + 0x7000 + (id_bits & 0xFFF))
                || to_hex(id_bits | (1::bigint << 63)))::uuid AS message_id,
           'tenant-' || tenant                                  AS group_id,
           (%(error_types)s::text[])[reported]                  AS error_type,
           (%(fingerprints)s::text[])[reported]                 AS fingerprint
      FROM stay
),
-- Somebody looks after the dead: poison is thrown away, the others go back and succeed. What a message was
-- before its death stays with it, as in the service: see message/dead_letter.sql and message/retry.sql
ended AS (
    SELECT message_id, queue_id, entered, first_delivered, last_delivered, finished, deliveries, nacks, expiries,
           size_bytes, priority, outcome, group_id, error_type, fingerprint
      FROM named
     UNION ALL
    SELECT message_id, dlq_id, finished, first_delivered, last_delivered, left_dlq, deliveries, nacks, expiries,
           size_bytes, priority, CASE WHEN is_poison THEN 'discarded' ELSE 'requeued' END,
           group_id, error_type, fingerprint
      FROM named
     WHERE outcome = 'dead_lettered'
     UNION ALL
    SELECT message_id, queue_id, left_dlq, left_dlq, left_dlq, finished_again, 1, nacks, expiries,
           size_bytes, priority, 'acked', group_id, error_type, fingerprint
      FROM named
     WHERE outcome = 'dead_lettered'
       AND NOT is_poison
),
logged AS (
    INSERT INTO message_log (
        message_id, team_id, queue_id, enqueued_at, first_delivered_at, last_delivered_at, finished_at,
        delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome,
        group_id, error_type, fingerprint
    )
    SELECT message_id, %(team_id)s::bigint, queue_id, to_timestamp(entered),
           CASE WHEN deliveries > 0 THEN to_timestamp(first_delivered) END,
           CASE WHEN deliveries > 0 THEN to_timestamp(last_delivered) END,
           to_timestamp(finished), deliveries, nacks, expiries, size_bytes, priority, outcome,
           group_id, error_type, fingerprint
      FROM ended
     ORDER BY finished
    RETURNING queue_id
)
SELECT count(*) AS written
  FROM logged
