-- Log the end of a stay for messages that are about to move to another queue. The caller holds their rows.
-- Locks nothing.
INSERT INTO message_log (
    message_id, team_id, queue_id, enqueued_at, first_delivered_at, last_delivered_at, finished_at,
    delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome,
    group_id, error_type, fingerprint, redrive_id
)
SELECT id, %(team_id)s::bigint, queue_id, entered_at, first_delivered_at, last_delivered_at,
       COALESCE(%(now)s::timestamptz, statement_timestamp()),
       delivery_count, nack_count, lease_expiry_count, size_bytes, priority, %(outcome)s::text,
       group_id, error_type, fingerprint, COALESCE(%(redrive_id)s::bigint, redrive_id)
  FROM message
 WHERE queue_id = %(queue_id)s::bigint
   AND id = ANY (%(ids)s::uuid[])
