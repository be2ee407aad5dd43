-- End the stay of messages in a queue: remove them, write their log rows, give back their places, count dead
-- letters out of their groups.
-- A message whose receipt is given is removed only if that lease is still its latest.
-- Answers a row for each message and receipt found: whether that receipt held it.
-- Locks the messages in id order, then one slot row nobody holds; when all are held, a new one is added.
WITH wanted AS MATERIALIZED (
    SELECT id, receipt
      FROM unnest(%(ids)s::uuid[], %(receipts)s::uuid[]) AS wanted (id, receipt)
),
found AS MATERIALIZED (
    SELECT m.id,
           wanted.receipt,
           wanted.receipt IS NULL OR wanted.receipt IS NOT DISTINCT FROM m.receipt AS held
      FROM message AS m
      JOIN wanted ON wanted.id = m.id
     WHERE m.queue_id = %(queue_id)s::bigint
       AND m.id = ANY (%(ids)s::uuid[])
     ORDER BY m.id
       FOR UPDATE OF m
),
gone AS (
    DELETE FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id = ANY (ARRAY(SELECT id FROM found WHERE held))
    RETURNING *
),
logged AS (
    INSERT INTO message_log (
        message_id, team_id, queue_id, enqueued_at, first_delivered_at, last_delivered_at, finished_at,
        delivery_count, nack_count, lease_expiry_count, size_bytes, priority, outcome,
        group_id, error_type, fingerprint, redrive_id
    )
    SELECT id, %(team_id)s::bigint, queue_id, entered_at, first_delivered_at, last_delivered_at,
           COALESCE(%(now)s::timestamptz, statement_timestamp()),
           delivery_count, nack_count, lease_expiry_count, size_bytes, priority, %(outcome)s::text,
           group_id, error_type, fingerprint, redrive_id
      FROM gone
),
ungrouped AS (
    INSERT INTO error_group_delta (queue_id, fingerprint, count, at)
    SELECT queue_id, fingerprint, -count(*), COALESCE(%(now)s::timestamptz, statement_timestamp())
      FROM gone
     WHERE dead_lettered_at IS NOT NULL
       AND fingerprint IS NOT NULL
     GROUP BY queue_id, fingerprint
),
slot AS MATERIALIZED (
    SELECT id
      FROM queue_slot
     WHERE %(bounded)s::boolean
       AND queue_id = %(queue_id)s::bigint
     ORDER BY id DESC
     LIMIT 1
       FOR UPDATE SKIP LOCKED
),
credited AS (
    UPDATE queue_slot
       SET free = free + (SELECT count(*) FROM gone)
     WHERE queue_id = %(queue_id)s::bigint
       AND id = (SELECT id FROM slot)
),
added AS (
    INSERT INTO queue_slot (queue_id, free)
    SELECT %(queue_id)s::bigint, count(*)
      FROM gone
     WHERE %(bounded)s::boolean
       AND NOT EXISTS (SELECT FROM slot)
    HAVING count(*) > 0
)
SELECT id, receipt, held
  FROM found
