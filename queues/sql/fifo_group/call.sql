-- Make groups due for a look: a lease of theirs has changed.
-- Locks their rows in order, until the transaction ends; the last thing it locks.
WITH locked AS MATERIALIZED (
    SELECT group_id
      FROM fifo_group
     WHERE queue_id = %(queue_id)s::bigint
       AND group_id = ANY (%(group_ids)s::text[])
     ORDER BY group_id
       FOR UPDATE
)
UPDATE fifo_group
   SET look_at = LEAST(look_at, COALESCE(%(now)s::timestamptz, statement_timestamp()))
 WHERE queue_id = %(queue_id)s::bigint
   AND group_id = ANY (ARRAY(SELECT group_id FROM locked))
