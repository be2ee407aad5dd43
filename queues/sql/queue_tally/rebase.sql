-- Set the totals of shallow queues from a true count: a process that was killed never wrote its last second.
-- Counts no further than `most`; a queue with more keeps its estimate. Locks the totals, passing over those that
-- are being folded: they are set right at the next pass.
WITH shallow AS MATERIALIZED (
    SELECT tally.queue_id,
           tally.live,
           counted.live AS true_live
      FROM queue_tally AS tally
     CROSS JOIN LATERAL (
               SELECT count(*) AS live
                 FROM (
                          SELECT
                            FROM message
                           WHERE message.queue_id = tally.queue_id
                           LIMIT %(most)s::int
                      ) AS bounded
           ) AS counted
     WHERE counted.live < %(most)s::int
       AND counted.live <> tally.live
     ORDER BY tally.queue_id
       FOR UPDATE OF tally SKIP LOCKED
)
UPDATE queue_tally
   SET live = shallow.true_live
  FROM shallow
 WHERE queue_tally.queue_id = shallow.queue_id
RETURNING queue_tally.queue_id
