-- Fold a batch of deltas into the totals and into the ten seconds they fell in.
-- Locks the deltas, passing over those another process folds, then totals and buckets in order of queue.
WITH picked AS MATERIALIZED (
    SELECT id
      FROM queue_tally_delta
     ORDER BY id
     LIMIT %(batch)s::int
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM queue_tally_delta
     WHERE id = ANY (ARRAY(SELECT id FROM picked))
    RETURNING *
),
totals AS (
    INSERT INTO queue_tally AS tally (queue_id, live)
    SELECT queue_id, sum(live)
      FROM gone
     GROUP BY queue_id
     ORDER BY queue_id
    ON CONFLICT (queue_id) DO UPDATE SET live = tally.live + excluded.live
),
buckets AS (
    INSERT INTO queue_activity AS activity (
        queue_id, bucket, sent, received, nacked, acked, dead_lettered, expired
    )
    SELECT queue_id,
           date_bin('10 seconds', at, 'epoch') AS bucket,
           sum(sent),
           sum(received),
           sum(nacked),
           sum(acked),
           sum(dead_lettered),
           sum(expired)
      FROM gone
     GROUP BY queue_id, bucket
     ORDER BY queue_id, bucket
    ON CONFLICT (queue_id, bucket) DO UPDATE
       SET sent = activity.sent + excluded.sent,
           received = activity.received + excluded.received,
           nacked = activity.nacked + excluded.nacked,
           acked = activity.acked + excluded.acked,
           dead_lettered = activity.dead_lettered + excluded.dead_lettered,
           expired = activity.expired + excluded.expired
)
SELECT count(*) AS folded
  FROM gone
