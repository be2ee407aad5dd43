-- Whether this connection is, or has just become, the one that does maintenance. Kept until it closes.
SELECT pg_try_advisory_lock(hashtext('simplemq.maintenance')) AS ours
