-- The queue most people would write: one table, one index, nothing else.
CREATE TABLE bench_plain_message (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue_id       bigint NOT NULL,
    visible_at     timestamptz NOT NULL DEFAULT statement_timestamp(),
    receipt        uuid,
    delivery_count integer NOT NULL DEFAULT 0,
    data           text NOT NULL
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX bench_plain_message_next ON bench_plain_message (queue_id, visible_at, id);
