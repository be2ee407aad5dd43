-- What happened in a queue since a moment, from the folded buckets and the deltas not folded yet. Locks nothing.
SELECT COALESCE(sum(sent), 0)          AS sent,
       COALESCE(sum(received), 0)      AS received,
       COALESCE(sum(acked), 0)         AS acked,
       COALESCE(sum(dead_lettered), 0) AS dead_lettered,
       COALESCE(sum(expired), 0)       AS expired
  FROM (
           SELECT sent, received, acked, dead_lettered, expired
             FROM queue_activity
            WHERE queue_id = %(queue_id)s::bigint
              AND bucket >= %(since)s::timestamptz
            UNION ALL
           SELECT sent, received, acked, dead_lettered, expired
             FROM queue_tally_delta
            WHERE queue_id = %(queue_id)s::bigint
              AND at >= %(since)s::timestamptz
       ) AS recent
