-- How many places the slots of a queue lack; negative when they promise too many. From one snapshot, in which
-- messages and free places add up: every send and every removal changes both in one commit. Locks nothing.
SELECT %(queue_size)s::bigint
     - (SELECT count(*) FROM message WHERE queue_id = %(queue_id)s::bigint)
     - (SELECT COALESCE(sum(free), 0) FROM queue_slot WHERE queue_id = %(queue_id)s::bigint) AS places
