-- Move messages into a dead-letter queue: the same rows, with where they came from and why.
-- delivery_count stays: it tells how often the message was tried. A fingerprint is given for those that died without
-- a word. The caller holds the rows.
UPDATE message
   SET queue_id = %(dlq_id)s::bigint,
       rank = COALESCE(
           (extract(epoch FROM enqueued_at) * 1000)::bigint - priority * %(rank_step)s::bigint, -priority
       ),
       source_queue_id = %(queue_id)s::bigint,
       state = 'ready',
       visible_at = t.now,
       entered_at = t.now,
       dead_lettered_at = t.now,
       dead_letter_reason = %(reason)s::text,
       fingerprint = COALESCE(wanted.fingerprint, message.fingerprint),
       receipt = NULL,
       expires_at = NULL,
       key = NULL,
       history = CASE
                     WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                     ELSE COALESCE(history, '[]')
                 END || jsonb_build_object(
                     'event', 'dead_lettered', 'at', t.now, 'deliveries', delivery_count,
                     'from', %(queue_id)s::bigint, 'to', %(dlq_id)s::bigint, 'reason', %(reason)s::text
                 )
  FROM (SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now) AS t,
       unnest(%(ids)s::uuid[], %(fingerprints)s::text[]) AS wanted (id, fingerprint)
 WHERE queue_id = %(queue_id)s::bigint
   AND message.id = ANY (%(ids)s::uuid[])
   AND message.id = wanted.id
