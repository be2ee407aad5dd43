-- Fold a batch of deltas into the groups and into the hours in which letters died.
-- Locks the deltas, passing over those another process folds, then groups and hours in order.
WITH picked AS MATERIALIZED (
    SELECT id
      FROM error_group_delta
     ORDER BY id
     LIMIT %(batch)s::int
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM error_group_delta
     WHERE id = ANY (ARRAY(SELECT id FROM picked))
    RETURNING *
),
groups AS (
    INSERT INTO error_group AS g (
        queue_id, fingerprint, count, first_seen, last_seen, title, error_type, note, noted_by
    )
    SELECT queue_id,
           fingerprint,
           sum(count),
           min(at) FILTER (WHERE arrived > 0),
           max(at) FILTER (WHERE arrived > 0),
           COALESCE((array_agg(title ORDER BY id DESC) FILTER (WHERE title IS NOT NULL))[1], ''),
           (array_agg(error_type ORDER BY id DESC) FILTER (WHERE title IS NOT NULL))[1],
           '',
           ''
      FROM gone
     GROUP BY queue_id, fingerprint
     ORDER BY queue_id, fingerprint
    ON CONFLICT (queue_id, fingerprint) DO UPDATE
       SET count = g.count + excluded.count,
           first_seen = LEAST(g.first_seen, excluded.first_seen),
           last_seen = GREATEST(g.last_seen, excluded.last_seen),
           title = COALESCE(NULLIF(excluded.title, ''), g.title),
           error_type = CASE WHEN excluded.title = '' THEN g.error_type ELSE excluded.error_type END
),
hours AS (
    INSERT INTO error_group_hour AS h (queue_id, fingerprint, bucket, arrived)
    SELECT queue_id,
           fingerprint,
           date_bin('1 hour', at, 'epoch') AS bucket,
           sum(arrived)
      FROM gone
     WHERE arrived > 0
     GROUP BY queue_id, fingerprint, bucket
     ORDER BY queue_id, fingerprint, bucket
    ON CONFLICT (queue_id, fingerprint, bucket) DO UPDATE SET arrived = h.arrived + excluded.arrived
)
SELECT count(*) AS folded
  FROM gone
