-- What happened in some queues in each step of time since a moment, oldest first, from the folded buckets and
-- the deltas not folded yet. Locks nothing.
SELECT date_bin(make_interval(secs => %(step)s::int), at, %(since)s::timestamptz) AS bucket,
       sum(sent)::bigint                                                         AS sent,
       sum(received)::bigint                                                     AS received,
       sum(nacked)::bigint                                                       AS nacked,
       sum(acked)::bigint                                                        AS acked,
       sum(dead_lettered)::bigint                                                AS dead_lettered
  FROM (
           SELECT bucket AS at, sent, received, nacked, acked, dead_lettered
             FROM queue_activity
            WHERE queue_id = ANY (%(queue_ids)s::bigint[])
              AND bucket >= %(since)s::timestamptz
            UNION ALL
           SELECT at, sent, received, nacked, acked, dead_lettered
             FROM queue_tally_delta
            WHERE queue_id = ANY (%(queue_ids)s::bigint[])
              AND at >= %(since)s::timestamptz
       ) AS recent
 GROUP BY bucket
 ORDER BY bucket
