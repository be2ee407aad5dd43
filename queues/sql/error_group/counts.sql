-- How many dead letters of all groups each queue has; a queue without any is left out. Locks nothing.
SELECT queue_id,
       sum(count)::bigint AS count
  FROM (
           SELECT queue_id, count FROM error_group WHERE queue_id = ANY (%(queue_ids)s::bigint[])
            UNION ALL
           SELECT queue_id, count FROM error_group_delta WHERE queue_id = ANY (%(queue_ids)s::bigint[])
       ) AS counted
 GROUP BY queue_id
HAVING sum(count) <> 0
