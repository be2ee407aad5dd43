WITH next AS MATERIALIZED (
    SELECT id
      FROM bench_plain_message
     WHERE queue_id = %(queue_id)s::bigint
       AND visible_at <= statement_timestamp()
     ORDER BY visible_at, id
     LIMIT 1
       FOR UPDATE SKIP LOCKED
),
claimed AS (
    UPDATE bench_plain_message AS message
       SET visible_at = statement_timestamp() + make_interval(secs => %(visibility_timeout)s::int),
           receipt = gen_random_uuid(),
           delivery_count = delivery_count + 1
      FROM next
     WHERE message.id = next.id
    RETURNING message.id, message.receipt, message.data
)
SELECT id, receipt, data
  FROM claimed
