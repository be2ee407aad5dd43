-- Say that the groups of these messages have to be looked at: after messages have come into a queue, before they
-- leave it. Locks nothing: rows are only ever added.
INSERT INTO fifo_nudge (queue_id, group_id)
SELECT DISTINCT queue_id, group_id
  FROM message
 WHERE queue_id = %(queue_id)s::bigint
   AND id = ANY (%(ids)s::uuid[])
   AND sequence IS NOT NULL
