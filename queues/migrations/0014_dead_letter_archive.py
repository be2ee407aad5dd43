"""The one view of dead letters that the Spark job archives them from."""

from django.db import migrations

# Every dead letter with its body and all that is known of it, for a role that may see nothing else. A letter
# expires as `message/expire.sql` decides: by the retention of its queue, or by its own time to live if that is
# earlier. `retention_seconds` and `ttl_expires_at` are there for conditions that its indexes can serve; what a
# reader does not name, the checksum above all, is not computed, and the last two tables are not joined then.
LETTERS = """
    CREATE VIEW dead_letter AS
    SELECT m.id AS message_id,
           q.team_id,
           t.name AS team_name,
           m.queue_id,
           q.name AS queue_name,
           m.source_queue_id,
           source.name AS source_queue_name,
           m.dead_lettered_at,
           m.dead_letter_reason,
           m.enqueued_at,
           m.entered_at,
           q.retention_seconds,
           m.expires_at AS ttl_expires_at,
           LEAST(m.entered_at + make_interval(secs => q.retention_seconds), m.expires_at) AS expires_at,
           m.first_delivered_at,
           m.last_delivered_at,
           m.first_failed_at,
           m.last_failed_at,
           m.delivery_count,
           m.nack_count,
           m.lease_expiry_count,
           m.redrive_count,
           m.max_deliveries,
           m.priority,
           m.sequence,
           m.group_id,
           m.deduplication_id,
           m.key,
           m.trace_id,
           m.attributes,
           m.error_type,
           m.fingerprint,
           m.last_error,
           m.history,
           m.size_bytes,
           m.data AS body,
           encode(sha256(convert_to(m.data, 'UTF8')), 'hex') AS body_sha256
      FROM message AS m
      JOIN queue AS q ON q.id = m.queue_id
                     AND q.deleted_at IS NULL
      LEFT JOIN team AS t ON t.id = q.team_id
      LEFT JOIN queue AS source ON source.id = m.source_queue_id
     WHERE m.dead_lettered_at IS NOT NULL;
"""
LETTERS_BACK = "DROP VIEW dead_letter;"


class Migration(migrations.Migration):
    dependencies = [
        ("queues", "0013_lake"),
    ]

    operations = [migrations.RunSQL(LETTERS, LETTERS_BACK)]
