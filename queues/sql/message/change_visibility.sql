-- Move the end of a lease. 0 seconds release the message: it is ready, and its receipt still good for an ack.
-- A lease that ran out begins again as long as nobody has received the message since.
-- Answers no row when there is no such message, else whether the receipt holds it and the lease is not too long.
-- Locks the message.
WITH clock AS MATERIALIZED (
    SELECT COALESCE(%(now)s::timestamptz, statement_timestamp()) AS now,
           COALESCE(%(now)s::timestamptz, statement_timestamp())
             + make_interval(secs => %(visibility_timeout)s::int) AS ends_at
),
found AS MATERIALIZED (
    SELECT id,
           receipt IS NOT DISTINCT FROM %(receipt)s::uuid AND state IN ('ready', 'leased', 'delayed') AS held,
           %(visibility_timeout)s::int = 0
             OR (SELECT ends_at FROM clock)
                  <= last_delivered_at + make_interval(secs => %(total_seconds)s::int) AS fits
      FROM message
     WHERE queue_id = %(queue_id)s::bigint
       AND id = %(id)s::uuid
       FOR UPDATE
),
changed AS (
    UPDATE message
       SET state = CASE WHEN %(visibility_timeout)s::int > 0 THEN 'leased' ELSE 'ready' END,
           visible_at = clock.ends_at,
           history = CASE
               WHEN %(visibility_timeout)s::int > 0 OR state <> 'leased' THEN history
               ELSE CASE
                        WHEN jsonb_array_length(history) >= %(kept_entries)s::int THEN history - 0
                        ELSE COALESCE(history, '[]')
                    END || jsonb_build_object(
                        'event', 'released', 'at', clock.now, 'leased_at', last_delivered_at, 'by', leased_by
                    )
           END
      FROM clock
     WHERE queue_id = %(queue_id)s::bigint
       AND id = (SELECT id FROM found WHERE held AND fits)
    RETURNING visible_at
)
SELECT held,
       fits,
       (SELECT visible_at FROM changed) AS visible_at
  FROM found
