INSERT INTO bench_plain_message (queue_id, data)
VALUES (%(queue_id)s::bigint, %(body)s::text)
