-- Drop one day of the log. Locks the whole log for a moment; gives up rather than let acks queue up behind it.
SET LOCAL lock_timeout = '2s';
DROP TABLE {partition};
