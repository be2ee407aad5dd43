-- How many queues and buckets the job or the query {other} has, and of how many they do not say the same. Locks nothing.
-- Spans are rounded to the millisecond in both, but not by the same arithmetic.
WITH job AS (
    SELECT *,
           extract(epoch FROM bucket_start)::bigint                     AS bucket,
           coalesce((retries_histogram ->> '1')::bigint, 0)             AS retries_1,
           coalesce((retries_histogram ->> '2')::bigint, 0)             AS retries_2
      FROM queue_metrics
     WHERE bucket_seconds = 300
       AND bucket_start < to_timestamp({stop})
),
compared AS (
    SELECT job.queue_id IS NULL OR other.queue_id IS NULL
        OR (job.depth, job.sent, job.received, job.acked, job.dead_lettered, job.expired, job.redriven, job.bytes_sent)
           IS DISTINCT FROM
           (other.depth, other.sent, other.received, other.acked, other.dead_lettered, other.expired, other.redriven,
            other.bytes_sent)
        OR (job.first_attempt_acked, job.retries_1, job.retries_2)
           IS DISTINCT FROM
           (other.first_attempt_acked, other.retries_1, other.retries_2)
        OR EXISTS (
               SELECT
                 FROM unnest(
                          ARRAY[job.first_attempt_success_rate, job.queueing_delay_p50, job.queueing_delay_p99,
                                job.queueing_delay_max, job.processing_p50, job.processing_p95, job.processing_max,
                                job.end_to_end_p50, job.end_to_end_p90, job.end_to_end_max],
                          ARRAY[other.first_attempt_success_rate, other.queueing_delay_p50, other.queueing_delay_p99,
                                other.queueing_delay_max, other.processing_p50, other.processing_p95,
                                other.processing_max, other.end_to_end_p50, other.end_to_end_p90,
                                other.end_to_end_max]
                      ) AS figure (of_job, of_other)
                WHERE (of_job IS NULL) <> (of_other IS NULL)
                   OR abs(of_job - of_other) > 0.0011
           ) AS differs
      FROM job
      FULL JOIN {other} AS other ON other.queue_id = job.queue_id AND other.bucket = job.bucket
)
SELECT count(*), count(*) FILTER (WHERE differs)
  FROM compared
