-- Which of these receipts hold their messages, on a FIFO queue: those whose lease still runs. A lease that ran out
-- holds nothing, even if nobody received the message since. Without a receipt, whoever names a message holds it.
-- Answers a row for each message and receipt found.
-- Locks the messages in id order, until the transaction ends.
SELECT m.id,
       m.group_id,
       wanted.receipt,
       wanted.receipt IS NULL
         OR COALESCE(wanted.receipt = m.receipt, false)
            AND m.state = 'leased'
            AND m.visible_at > COALESCE(%(now)s::timestamptz, statement_timestamp()) AS held
  FROM message AS m
  JOIN unnest(%(ids)s::uuid[], %(receipts)s::uuid[]) AS wanted (id, receipt) ON wanted.id = m.id
 WHERE m.queue_id = %(queue_id)s::bigint
   AND m.id = ANY (%(ids)s::uuid[])
 ORDER BY m.id
   FOR UPDATE OF m
