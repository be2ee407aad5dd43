-- The oldest ready message over all ranks: the floor below which a claim need not look, when the one that
-- waits longest came into the queue, and what finding out cost. Walks the first row of each rank, 64 ranks at the most; with more of them there is no useful floor.
-- Locks nothing.
WITH RECURSIVE head AS (
    (
        SELECT rank, id, entered_at, 1 AS ranks
          FROM message
         WHERE ready_in = %(queue_id)s::bigint
         ORDER BY rank, id
         LIMIT 1
    )
    UNION ALL
    SELECT later.rank, later.id, later.entered_at, head.ranks + 1
      FROM head
     CROSS JOIN LATERAL (
               SELECT rank, id, entered_at
                 FROM message
                WHERE ready_in = %(queue_id)s::bigint
                  AND rank > head.rank
                ORDER BY rank, id
                LIMIT 1
           ) AS later
     WHERE head.ranks < 64
)
SELECT (SELECT id FROM head ORDER BY id LIMIT 1) AS id,
       (SELECT min(entered_at) FROM head)        AS waiting_since,
       (SELECT count(*) FROM head)               AS ranks,
       statement_timestamp()                     AS at,
       clock_timestamp() - statement_timestamp() AS cost
