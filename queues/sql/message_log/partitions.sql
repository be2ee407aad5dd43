-- The names of the log's partitions. Locks nothing.
SELECT child.relname AS name
  FROM pg_inherits
  JOIN pg_class AS child ON child.oid = inhrelid
 WHERE inhparent = 'message_log'::regclass
 ORDER BY child.relname
