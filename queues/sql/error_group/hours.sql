-- How many letters died in each hour, by group: the folded hours and the deltas that wait. Locks nothing.
SELECT fingerprint,
       bucket,
       sum(arrived)::bigint AS arrived
  FROM (
           SELECT fingerprint, bucket, arrived
             FROM error_group_hour
            WHERE queue_id = %(queue_id)s::bigint
              AND fingerprint = ANY (%(fingerprints)s::text[])
              AND bucket >= %(since)s::timestamptz
            UNION ALL
           SELECT fingerprint, date_bin('1 hour', at, 'epoch'), arrived
             FROM error_group_delta
            WHERE queue_id = %(queue_id)s::bigint
              AND fingerprint = ANY (%(fingerprints)s::text[])
              AND at >= %(since)s::timestamptz
              AND arrived > 0
       ) AS counted
 GROUP BY fingerprint, bucket
