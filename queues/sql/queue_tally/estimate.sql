-- The folded total of a queue and the deltas that wait to be folded. Locks nothing.
SELECT COALESCE((SELECT live FROM queue_tally WHERE queue_id = %(queue_id)s::bigint), 0)
     + COALESCE((SELECT sum(live) FROM queue_tally_delta WHERE queue_id = %(queue_id)s::bigint), 0) AS live
