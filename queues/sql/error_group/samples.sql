-- The newest dead letters of each of these groups, with the beginnings of their bodies. Locks nothing.
-- A group is asked for as a range and in the order of its index, or the planner, when the group is rare, might walk
-- the whole queue for its newest ids.
SELECT wanted.fingerprint, letter.id, letter.dead_lettered_at, letter.beginning
  FROM unnest(%(fingerprints)s::text[]) AS wanted (fingerprint)
 CROSS JOIN LATERAL (
     SELECT fingerprint, id, dead_lettered_at, left(data, %(characters)s::int) AS beginning
       FROM message
      WHERE queue_id = %(queue_id)s::bigint
        AND fingerprint BETWEEN wanted.fingerprint AND wanted.fingerprint
        AND dead_lettered_at IS NOT NULL
        AND state <> 'expired'
      ORDER BY fingerprint DESC, id DESC
      LIMIT %(most)s::int
 ) AS letter
 ORDER BY letter.id DESC
