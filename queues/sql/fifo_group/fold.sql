-- Take in the nudges of a queue, a batch at the most: their groups are due now. Answers one row: how many nudges.
-- Locks the nudges, passing over those that another process takes in, then the rows of the groups in their order.
WITH oldest AS MATERIALIZED (
    SELECT id
      FROM fifo_nudge
     WHERE queue_id = %(queue_id)s::bigint
     ORDER BY id
     LIMIT %(batch)s::int
       FOR UPDATE SKIP LOCKED
),
taken AS (
    DELETE FROM fifo_nudge
     WHERE id = ANY (ARRAY(SELECT id FROM oldest))
    RETURNING group_id
),
called AS (
    INSERT INTO fifo_group (queue_id, group_id, look_at)
    SELECT %(queue_id)s::bigint, group_id, COALESCE(%(now)s::timestamptz, statement_timestamp())
      FROM taken
     GROUP BY group_id
     ORDER BY group_id
        ON CONFLICT (queue_id, group_id) DO UPDATE
       SET look_at = LEAST(fifo_group.look_at, EXCLUDED.look_at)
)
SELECT count(*) AS nudges
  FROM taken
