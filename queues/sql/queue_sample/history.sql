-- The peaks of a queue's samples in each step of time since a moment, oldest first. Locks nothing.
SELECT date_bin(make_interval(secs => %(step)s::int), at, %(since)s::timestamptz) AS bucket,
       max(depth)                                                                AS depth,
       max(in_flight)                                                            AS in_flight,
       max(oldest_age_seconds)                                                   AS oldest_age,
       max(at)                                                                   AS at
  FROM queue_sample
 WHERE queue_id = %(queue_id)s::bigint
   AND at >= %(since)s::timestamptz
 GROUP BY bucket
 ORDER BY bucket
