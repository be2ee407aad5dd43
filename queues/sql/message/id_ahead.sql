-- The id that is `look` messages further in a queue, in id order; no row when fewer are left.
-- Reads only the index, so that a filter which matches next to nothing still works through a queue in short
-- steps. Locks nothing.
SELECT id
  FROM message
 WHERE queue_id = %(queue_id)s::bigint
   AND id > %(after)s::uuid
 ORDER BY id
OFFSET %(look)s::int - 1
 LIMIT 1
