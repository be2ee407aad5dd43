-- Give back places. Locks one slot nobody holds; when all are held, a new one is added: it never waits.
WITH slot AS MATERIALIZED (
    SELECT id
      FROM queue_slot
     WHERE queue_id = %(queue_id)s::bigint
     ORDER BY id DESC
     LIMIT 1
       FOR UPDATE SKIP LOCKED
),
credited AS (
    UPDATE queue_slot
       SET free = free + %(count)s::int
     WHERE queue_id = %(queue_id)s::bigint
       AND id = (SELECT id FROM slot)
)
INSERT INTO queue_slot (queue_id, free)
SELECT %(queue_id)s::bigint, %(count)s::int
 WHERE NOT EXISTS (SELECT FROM slot)
