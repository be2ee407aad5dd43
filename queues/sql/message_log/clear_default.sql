-- Remove rows that outlived the retention from the default partition, which caught them because maintenance was
-- away for longer than partitions are made ahead. Locks the rows it removes.
WITH outlived AS MATERIALIZED (
    SELECT ctid AS place
      FROM message_log_default
     WHERE finished_at < %(before)s::timestamptz
     LIMIT %(batch)s::int
),
gone AS (
    DELETE FROM message_log_default
     WHERE ctid = ANY (ARRAY(SELECT place FROM outlived))
    RETURNING message_id
)
SELECT count(*) AS removed
  FROM gone
