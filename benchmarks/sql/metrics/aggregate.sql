-- What the metrics job says of each queue and bucket of {size} seconds, as one query over the log of finished messages.
-- PostgreSQL and DuckDB both run this very text. Times are seconds since 1970, from {start} up to {stop}.
WITH stay AS (
    SELECT queue_id, outcome, size_bytes,
           date_part('epoch', enqueued_at) AS began,
           date_part('epoch', greatest(coalesce(left_at, finished_at), enqueued_at)) AS ended,
           -- A dead letter carries the deliveries of the queue it died in.
           CASE WHEN last_delivered_at >= enqueued_at
                THEN date_part('epoch', CASE WHEN first_delivered_at < enqueued_at
                                             THEN last_delivered_at ELSE first_delivered_at END)
           END AS first_delivered,
           CASE WHEN last_delivered_at >= enqueued_at
                THEN date_part('epoch', last_delivered_at)
           END AS last_delivered,
           first_delivered_at < enqueued_at AS is_carried,
           CASE WHEN last_delivered_at >= enqueued_at AND first_delivered_at < enqueued_at THEN 1
                WHEN last_delivered_at >= enqueued_at THEN delivery_count
                ELSE 0
           END AS deliveries
      FROM message_log
),
happened AS (
    SELECT queue_id, outcome, size_bytes, deliveries, what, number,
           CAST(floor(instant / {size}) AS bigint) * {size} AS bucket,
           CASE WHEN what = 'delivered' AND NOT is_carried THEN round((instant - began) * 1000) / 1000 END AS queueing_delay,
           CASE WHEN what = 'left' AND outcome = 'acked' THEN round((instant - last_delivered) * 1000) / 1000 END AS processing,
           CASE WHEN what = 'left' AND outcome = 'acked' THEN round((instant - began) * 1000) / 1000 END AS end_to_end
      FROM stay
     CROSS JOIN LATERAL (
               VALUES ('arrived', began, 1),
                      ('delivered', first_delivered, 1),
                      ('redelivered', CASE WHEN deliveries > 1 THEN last_delivered END, deliveries - 1),
                      ('left', ended, 1)
           ) AS event (what, instant, number)
     WHERE instant < {stop}
),
summed AS (
    SELECT queue_id,
           greatest(bucket, {start} - {size}) AS bucket,
           sum(CASE what WHEN 'arrived' THEN 1 WHEN 'left' THEN -1 ELSE 0 END) AS depth_change,
           count(*) FILTER (WHERE what = 'arrived') AS sent,
           coalesce(sum(number) FILTER (WHERE what IN ('delivered', 'redelivered')), 0) AS received,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'acked') AS acked,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'dead_lettered') AS dead_lettered,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'expired') AS expired,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'redriven') AS redriven,
           coalesce(sum(size_bytes) FILTER (WHERE what = 'arrived'), 0) AS bytes_sent,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'acked' AND deliveries <= 1) AS first_attempt_acked,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'acked' AND deliveries = 2) AS retries_1,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'acked' AND deliveries = 3) AS retries_2,
           count(*) FILTER (WHERE what = 'left' AND outcome = 'acked' AND deliveries > 3) AS retries_more,
           percentile_cont(ARRAY[0.5, 0.9, 0.95, 0.99]) WITHIN GROUP (ORDER BY queueing_delay) AS queueing_delay,
           percentile_cont(ARRAY[0.5, 0.9, 0.95, 0.99]) WITHIN GROUP (ORDER BY processing) AS processing,
           percentile_cont(ARRAY[0.5, 0.9, 0.95, 0.99]) WITHIN GROUP (ORDER BY end_to_end) AS end_to_end,
           max(queueing_delay) AS queueing_delay_max,
           max(processing) AS processing_max,
           max(end_to_end) AS end_to_end_max
      FROM happened
     GROUP BY queue_id, greatest(bucket, {start} - {size})
),
-- A queue that holds messages has a row for each bucket, also where nothing happened.
grid AS (
    SELECT queue_id, bucket
      FROM (SELECT DISTINCT queue_id FROM summed) AS queue
     CROSS JOIN generate_series({start} - {size}, {stop} - {size}, {size}) AS bucket (bucket)
),
running AS (
    SELECT grid.queue_id, grid.bucket, summed.queue_id IS NOT NULL AS is_busy,
           sum(coalesce(depth_change, 0)) OVER (PARTITION BY grid.queue_id ORDER BY grid.bucket) AS depth,
           sent, received, acked, dead_lettered, expired, redriven, bytes_sent,
           first_attempt_acked, retries_1, retries_2, retries_more,
           queueing_delay, processing, end_to_end, queueing_delay_max, processing_max, end_to_end_max
      FROM grid
      LEFT JOIN summed ON summed.queue_id = grid.queue_id AND summed.bucket = grid.bucket
)
SELECT queue_id, bucket, CAST(depth AS bigint) AS depth,
       coalesce(sent, 0) AS sent,
       CAST(coalesce(received, 0) AS bigint) AS received,
       coalesce(acked, 0) AS acked,
       coalesce(dead_lettered, 0) AS dead_lettered,
       coalesce(expired, 0) AS expired,
       coalesce(redriven, 0) AS redriven,
       CAST(coalesce(bytes_sent, 0) AS bigint) AS bytes_sent,
       coalesce(first_attempt_acked, 0) AS first_attempt_acked,
       first_attempt_acked / CAST(nullif(acked + dead_lettered, 0) AS double precision) AS first_attempt_success_rate,
       coalesce(retries_1, 0) AS retries_1,
       coalesce(retries_2, 0) AS retries_2,
       coalesce(retries_more, 0) AS retries_more,
       queueing_delay[1] AS queueing_delay_p50, queueing_delay[2] AS queueing_delay_p90,
       queueing_delay[3] AS queueing_delay_p95, queueing_delay[4] AS queueing_delay_p99, queueing_delay_max,
       processing[1] AS processing_p50, processing[2] AS processing_p90,
       processing[3] AS processing_p95, processing[4] AS processing_p99, processing_max,
       end_to_end[1] AS end_to_end_p50, end_to_end[2] AS end_to_end_p90,
       end_to_end[3] AS end_to_end_p95, end_to_end[4] AS end_to_end_p99, end_to_end_max
  FROM running
 WHERE bucket >= {start}
   AND (is_busy OR depth > 0)
