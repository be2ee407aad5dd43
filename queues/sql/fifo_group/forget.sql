-- Drop groups that hold no message any more. The caller has their rows locked, and in a statement before this one
-- has taken their gates: a producer who was at one has committed, and what he sent is seen here.
-- The look at the messages is a subquery of its own: as a join it could be planned as a walk over the queue.
DELETE FROM fifo_group
 WHERE queue_id = %(queue_id)s::bigint
   AND group_id = ANY (%(group_ids)s::text[])
   AND (
           SELECT true
             FROM message
            WHERE message.queue_id = %(queue_id)s::bigint
              AND message.group_id = fifo_group.group_id
              AND state = ANY ('{ready,leased,delayed}')
              AND sequence IS NOT NULL
            LIMIT 1
       ) IS NULL
