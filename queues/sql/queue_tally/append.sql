-- Add what changed in each queue since the last time. Locks nothing: rows are only ever added.
INSERT INTO queue_tally_delta (queue_id, live, sent, received, nacked, acked, dead_lettered, expired)
SELECT *
  FROM unnest(
           %(queue_ids)s::bigint[],
           %(live)s::bigint[],
           %(sent)s::bigint[],
           %(received)s::bigint[],
           %(nacked)s::bigint[],
           %(acked)s::bigint[],
           %(dead_lettered)s::bigint[],
           %(expired)s::bigint[]
       )
