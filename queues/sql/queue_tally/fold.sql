-- Fold a batch of deltas into the totals. Locks the deltas, passing over those another process folds.
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
    RETURNING queue_id, live
),
folded AS (
    INSERT INTO queue_tally AS tally (queue_id, live)
    SELECT queue_id, sum(live)
      FROM gone
     GROUP BY queue_id
     ORDER BY queue_id
    ON CONFLICT (queue_id) DO UPDATE SET live = tally.live + excluded.live
)
SELECT count(*) AS folded
  FROM gone
