-- The days before an instant of which the default partition has rows, because no partition was there for them.
-- Locks nothing.
SELECT DISTINCT (finished_at AT TIME ZONE 'UTC')::date AS day
  FROM message_log_default
 WHERE finished_at < %(before)s::timestamptz
