-- Add what changed in each queue since the last time. Locks nothing: rows are only ever added.
INSERT INTO queue_tally_delta (queue_id, live)
SELECT queue_id, live
  FROM unnest(%(queue_ids)s::bigint[], %(live)s::bigint[]) AS delta (queue_id, live)
