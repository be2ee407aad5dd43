-- Groups of one queue, the largest first: the folded rows and the deltas that wait to be folded, in one snapshot.
-- With a fingerprint only that group, even if it is empty by now. Locks nothing.
-- A queue may have as many groups as letters, so only those are read that can be among the largest: the groups with
-- deltas, and the largest folded ones, as many more as deltas could push out of place.
WITH changing AS MATERIALIZED (
    SELECT DISTINCT fingerprint
      FROM error_group_delta
     WHERE queue_id = %(queue_id)s::bigint
       AND %(fingerprint)s::text IS NULL
),
wanted AS MATERIALIZED (
    SELECT %(fingerprint)s::text AS fingerprint
     UNION
    SELECT fingerprint
      FROM changing
     UNION
    (
        SELECT fingerprint
          FROM error_group
         WHERE queue_id = %(queue_id)s::bigint
           AND %(fingerprint)s::text IS NULL
         ORDER BY count DESC
         LIMIT %(most)s::int + (SELECT count(*) FROM changing)
    )
),
folded AS (
    SELECT *
      FROM error_group
     WHERE queue_id = %(queue_id)s::bigint
       AND fingerprint = ANY (ARRAY(SELECT fingerprint FROM wanted))
),
waiting AS (
    SELECT fingerprint,
           sum(count) AS count,
           min(at) FILTER (WHERE arrived > 0) AS first_seen,
           max(at) FILTER (WHERE arrived > 0) AS last_seen,
           (array_agg(title ORDER BY id DESC) FILTER (WHERE title IS NOT NULL))[1] AS title,
           (array_agg(error_type ORDER BY id DESC) FILTER (WHERE title IS NOT NULL))[1] AS error_type
      FROM error_group_delta
     WHERE queue_id = %(queue_id)s::bigint
       AND fingerprint = ANY (ARRAY(SELECT fingerprint FROM wanted))
     GROUP BY fingerprint
),
shown AS (
    SELECT fingerprint,
           COALESCE(waiting.title, folded.title, '') AS title,
           CASE WHEN waiting.title IS NULL THEN folded.error_type ELSE waiting.error_type END AS error_type,
           (COALESCE(folded.count, 0) + COALESCE(waiting.count, 0))::bigint AS count,
           LEAST(folded.first_seen, waiting.first_seen) AS first_seen,
           GREATEST(folded.last_seen, waiting.last_seen) AS last_seen,
           COALESCE(folded.note, '') AS note,
           COALESCE(folded.noted_by, '') AS noted_by
      FROM folded
      FULL JOIN waiting USING (fingerprint)
)
SELECT *
  FROM shown
 WHERE count > 0
    OR %(fingerprint)s::text IS NOT NULL
 ORDER BY count DESC, last_seen DESC NULLS LAST, fingerprint
 LIMIT %(most)s::int
