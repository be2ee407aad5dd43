-- Make messages of their rows in the trash again: as they were, ready at once, under no lease. The time they lay
-- here does not count against their retention or time to live, or some would be gone the moment they are back.
-- One that is in the queue already stays in the trash. Answers the ids of those that came back.
-- The caller holds the rows of the trash, and has taken a place for each.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now
),
restored AS (
    INSERT INTO message (
        id, queue_id, rank, enqueued_at, entered_at, visible_at, expires_at, first_delivered_at,
        last_delivered_at, sequence, receipt, delivery_count, max_deliveries, lease_expiry_count, nack_count,
        size_bytes, priority, state, data, attributes, group_id, deduplication_id, key, trace_id, leased_by,
        history,
        first_failed_at, last_failed_at, last_error, error_type, fingerprint, source_queue_id,
        dead_lettered_at, dead_letter_reason, redrive_count, redrive_id
    )
    SELECT was.id,
           was.queue_id,
           COALESCE(
               (extract(epoch FROM was.enqueued_at) * 1000)::bigint - was.priority * %(rank_step)s::bigint,
               -was.priority
           ),
           was.enqueued_at,
           was.entered_at + (clock.now - trash.discarded_at),
           clock.now,
           was.expires_at + (clock.now - trash.discarded_at),
           was.first_delivered_at,
           was.last_delivered_at, was.sequence, NULL, was.delivery_count, was.max_deliveries,
           was.lease_expiry_count, was.nack_count, was.size_bytes, was.priority, 'ready', was.data,
           was.attributes, was.group_id, was.deduplication_id, was.key, was.trace_id, was.leased_by,
           CASE
               WHEN jsonb_array_length(was.history) >= %(kept_entries)s::int THEN was.history - 0
               ELSE COALESCE(was.history, '[]')
           END || jsonb_build_object('event', 'restored', 'at', clock.now, 'requested_by', %(by)s::text),
           was.first_failed_at, was.last_failed_at, was.last_error, was.error_type, was.fingerprint,
           was.source_queue_id, was.dead_lettered_at, was.dead_letter_reason, was.redrive_count, was.redrive_id
      FROM discarded_message AS trash
     CROSS JOIN clock
     CROSS JOIN LATERAL jsonb_populate_record(NULL::message, trash.row) AS was
     WHERE trash.queue_id = %(queue_id)s::bigint
       AND trash.message_id = ANY (%(ids)s::uuid[])
        ON CONFLICT DO NOTHING
    RETURNING id
),
emptied AS (
    DELETE FROM discarded_message
     WHERE queue_id = %(queue_id)s::bigint
       AND message_id = ANY (ARRAY(SELECT id FROM restored))
)
SELECT id
  FROM restored
