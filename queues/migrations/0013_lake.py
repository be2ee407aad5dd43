"""Days of the log that are in a lake, and the digest by which it is known that they are there whole.

The digest does not depend on the order of rows. Spark computes the same of what it reads back from the lake; see
`spark_jobs/transforms/digest.py`.
"""

from django.db import migrations, models

DIGEST = r"""
CREATE FUNCTION message_log_digest(day date, OUT rows bigint, OUT checksum text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT count(*),
           COALESCE(
               sum(('x' || left(md5(concat_ws(
                   '|',
                   message_id,
                   team_id,
                   queue_id,
                   COALESCE((extract(epoch FROM enqueued_at) * 1000000)::bigint::text, '\N'),
                   COALESCE((extract(epoch FROM first_delivered_at) * 1000000)::bigint::text, '\N'),
                   COALESCE((extract(epoch FROM last_delivered_at) * 1000000)::bigint::text, '\N'),
                   COALESCE((extract(epoch FROM finished_at) * 1000000)::bigint::text, '\N'),
                   COALESCE((extract(epoch FROM left_at) * 1000000)::bigint::text, '\N'),
                   delivery_count,
                   nack_count,
                   lease_expiry_count,
                   size_bytes,
                   priority,
                   outcome,
                   COALESCE(group_id, '\N'),
                   COALESCE(error_type, '\N'),
                   COALESCE(fingerprint, '\N'),
                   COALESCE(redrive_id::text, '\N')
               )), 15))::bit(60)::bigint),
               0
           )::text
      FROM message_log
     WHERE finished_at >= day::timestamp AT TIME ZONE 'UTC'
       AND finished_at < (day + 1)::timestamp AT TIME ZONE 'UTC';
END
"""
DIGEST_BACK = "DROP FUNCTION message_log_digest"


class Migration(migrations.Migration):
    dependencies = [
        ("queues", "0012_message_statistics"),
    ]

    operations = [
        migrations.CreateModel(
            name="ArchivedDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "lake", "day", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("lake", models.TextField()),
                ("day", models.DateField()),
                ("rows", models.BigIntegerField()),
                ("checksum", models.TextField()),
                ("archived_at", models.DateTimeField()),
            ],
            options={
                "db_table": "archived_day",
            },
        ),
        migrations.AddField(
            model_name="metricsrun",
            name="exported_to",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.RunSQL(DIGEST, DIGEST_BACK),
    ]
