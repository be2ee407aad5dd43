-- A team's queue by its public id: every call that names a queue begins here. Locks nothing.
-- The columns are named: a prepared `*` would fail once a migration has added one.
SELECT id, uid, team_id, name, mode, queue_size, visibility_timeout, max_deliveries, delay_seconds,
       retention_seconds, max_message_bytes, receive_wait_seconds, backoff, priority_aging_seconds,
       ranks_by_time, target_age_seconds, allow_edit, tags, description, dlq_id, dlq_is_lazy, is_dlq, paused,
       created_at, updated_at, deleted_at, slots_unsettled_at
  FROM queue
 WHERE uid = %(uid)s::uuid
   AND team_id = %(team_id)s::bigint
   AND deleted_at IS NULL
