-- Make one day's partition, with the rows that the default one has caught for that day.
-- Locks the default partition against everybody, and the log against other changes of its partitions; an ack
-- waits only if its row would go into the default partition. Gives up rather than let acks queue up behind it.
SET LOCAL lock_timeout = '2s';
LOCK TABLE message_log_default IN ACCESS EXCLUSIVE MODE;
CREATE TABLE {partition} (LIKE message_log INCLUDING STORAGE);
WITH caught AS (
    DELETE FROM message_log_default
     WHERE finished_at >= {start}
       AND finished_at < {stop}
    RETURNING *
)
INSERT INTO {partition}
SELECT * FROM caught;
ALTER TABLE message_log ATTACH PARTITION {partition} FOR VALUES FROM ({start}) TO ({stop});
