-- Let the last %(rows)s messages of the log happen once more, so that they end in the time from %(start)s up to %(stop)s.
-- Locks nothing.
INSERT INTO message_log (
    message_id, team_id, queue_id, enqueued_at, first_delivered_at, last_delivered_at, finished_at,
    delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome, group_id, error_type, fingerprint
)
SELECT uuidv7(ends_at - finished_at + enqueued_at - now()), team_id, queue_id, enqueued_at + (ends_at - finished_at),
       first_delivered_at + (ends_at - finished_at), last_delivered_at + (ends_at - finished_at), ends_at,
       delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome, group_id, error_type, fingerprint
  FROM (
           SELECT last.*,
                  %(start)s::timestamptz
                    + (%(stop)s::timestamptz - %(start)s::timestamptz)
                      * ((row_number() OVER (ORDER BY finished_at) - 1) / %(rows)s::float8) AS ends_at
             FROM (
                      SELECT *
                        FROM message_log
                       WHERE finished_at < %(until)s
                       ORDER BY finished_at DESC
                       LIMIT %(rows)s
                  ) AS last
       ) AS last
