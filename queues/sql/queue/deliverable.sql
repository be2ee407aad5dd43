-- Which of these queues have something for those who wait: how many messages are ready, or parked and due,
-- counted no further than as many wait for them. Of a FIFO queue the groups are counted that are due for a look: one
-- that is blocked is not. A paused queue has nothing; of a deleted one we say so.
-- Locks nothing. Runs every 50 ms in each process in which somebody waits.
-- Queues are looked up one by one, which the limit sees to: a join could be planned as a walk over all of them.
SELECT waited.queue_id,
       queue.deleted_at IS NOT NULL OR queue.id IS NULL       AS deleted,
       least(
           CASE queue.mode WHEN 'fifo' THEN groups.due ELSE ready.messages + due.messages END, waited.most
       )::int                                                 AS messages
  FROM unnest(%(queue_ids)s::bigint[], %(most)s::int[]) AS waited (queue_id, most)
  LEFT JOIN LATERAL (
           SELECT id, mode, paused, deleted_at
             FROM queue
            WHERE id = waited.queue_id
            LIMIT 1
       ) AS queue ON true
 CROSS JOIN LATERAL (
           SELECT count(*) AS messages
             FROM (SELECT FROM message WHERE ready_in = queue.id LIMIT waited.most) AS bounded
       ) AS ready
 CROSS JOIN LATERAL (
           SELECT count(*) AS messages
             FROM (
                      SELECT
                        FROM message
                       WHERE parked_in = queue.id
                         AND visible_at <= COALESCE(%(now)s::timestamptz, statement_timestamp())
                       LIMIT waited.most
                  ) AS bounded
       ) AS due
 CROSS JOIN LATERAL (
           SELECT count(*) AS due
             FROM (
                      (
                          SELECT
                            FROM fifo_group
                           WHERE queue.mode = 'fifo'
                             AND queue_id = queue.id
                             AND look_at <= COALESCE(%(now)s::timestamptz, statement_timestamp())
                           LIMIT waited.most
                      )
                       UNION ALL
                      (SELECT FROM fifo_nudge WHERE queue.mode = 'fifo' AND queue_id = queue.id LIMIT 1)
                  ) AS bounded
       ) AS groups
 WHERE queue.id IS NULL
    OR queue.deleted_at IS NOT NULL
    OR (
           NOT queue.paused
           AND CASE queue.mode WHEN 'fifo' THEN groups.due ELSE ready.messages + due.messages END > 0
       )
