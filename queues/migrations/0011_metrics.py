"""The history of queues that the Spark job writes, and the one view of messages it reads."""

from django.db import migrations, models

# A message that lay in the trash left its queue long before its stay is logged.
LEFT_AT = "ALTER TABLE message_log ADD COLUMN left_at timestamptz;"
LEFT_AT_BACK = "ALTER TABLE message_log DROP COLUMN left_at;"

# What the Spark job may read: every stay of a message in a queue, ended or not, and no body. `logged_at` tells
# the settled past from the present: it is infinite for what is not in the log yet, so that a range of it reads
# either partitions of the log and nothing else, or the live messages and the newest of the log in one snapshot.
# `touched_at` is when anything last happened to it.
STAYS = """
    CREATE VIEW message_stay AS
    SELECT m.id AS message_id,
           q.team_id,
           m.queue_id,
           m.entered_at AS enqueued_at,
           m.first_delivered_at,
           m.last_delivered_at,
           NULL::timestamptz AS ended_at,
           'infinity'::timestamptz AS logged_at,
           GREATEST(
               m.entered_at, m.last_delivered_at, CASE WHEN m.state <> 'delayed' THEN m.visible_at END
           ) AS touched_at,
           CASE WHEN m.state = 'leased' THEN m.visible_at END AS leased_until,
           NULL::varchar(16) AS outcome,
           m.delivery_count,
           m.nack_count,
           m.lease_expiry_count,
           m.size_bytes,
           m.group_id,
           m.error_type,
           m.fingerprint
      FROM message AS m
      JOIN queue AS q ON q.id = m.queue_id
     UNION ALL
    SELECT trash.message_id,
           trash.team_id,
           trash.queue_id,
           (trash.row ->> 'entered_at')::timestamptz,
           (trash.row ->> 'first_delivered_at')::timestamptz,
           (trash.row ->> 'last_delivered_at')::timestamptz,
           trash.discarded_at,
           'infinity',
           trash.discarded_at,
           NULL,
           'discarded',
           (trash.row ->> 'delivery_count')::int,
           (trash.row ->> 'nack_count')::int,
           (trash.row ->> 'lease_expiry_count')::int,
           trash.size_bytes,
           trash.row ->> 'group_id',
           trash.error_type,
           trash.fingerprint
      FROM discarded_message AS trash
     UNION ALL
    SELECT message_id,
           team_id,
           queue_id,
           enqueued_at,
           first_delivered_at,
           last_delivered_at,
           COALESCE(left_at, finished_at),
           finished_at,
           finished_at,
           NULL,
           outcome,
           delivery_count,
           nack_count,
           lease_expiry_count,
           size_bytes,
           group_id,
           error_type,
           fingerprint
      FROM message_log;
"""
STAYS_BACK = "DROP VIEW message_stay;"


class Migration(migrations.Migration):
    dependencies = [
        ("queues", "0010_fifo"),
    ]

    operations = [
        migrations.CreateModel(
            name="MetricsWatermark",
            fields=[
                ("bucket_seconds", models.IntegerField(primary_key=True, serialize=False)),
                ("computed_until", models.DateTimeField()),
                ("run_id", models.BigIntegerField()),
            ],
            options={
                "db_table": "metrics_watermark",
            },
        ),
        migrations.CreateModel(
            name="QueueAdvice",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queue_id", "kind", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("team_id", models.BigIntegerField()),
                ("queue_id", models.BigIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("visibility_timeout", "Visibility Timeout"),
                            ("max_deliveries", "Max Deliveries"),
                            ("high_water_mark", "High Water Mark"),
                            ("workers", "Workers"),
                            ("drain_workers", "Drain Workers"),
                            ("lease_expiry", "Lease Expiry"),
                            ("retention_risk", "Retention Risk"),
                            ("expiry_forecast", "Expiry Forecast"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("ok", "Ok"),
                            ("change", "Change"),
                            ("warning", "Warning"),
                            ("critical", "Critical"),
                        ],
                        max_length=8,
                    ),
                ),
                ("current_value", models.FloatField(null=True)),
                ("suggested_value", models.FloatField(null=True)),
                ("figures", models.JSONField()),
                ("sample_size", models.BigIntegerField()),
                (
                    "confidence",
                    models.CharField(
                        choices=[("low", "Low"), ("medium", "Medium"), ("high", "High")], max_length=6
                    ),
                ),
                ("observed_from", models.DateTimeField()),
                ("observed_to", models.DateTimeField()),
                ("computed_at", models.DateTimeField()),
                ("run_id", models.BigIntegerField()),
            ],
            options={
                "db_table": "queue_advice",
            },
        ),
        migrations.CreateModel(
            name="DlqErrorMetrics",
            fields=[
                ("team_id", models.BigIntegerField()),
                ("queue_id", models.BigIntegerField()),
                ("bucket_seconds", models.IntegerField()),
                ("bucket_start", models.DateTimeField()),
                ("run_id", models.BigIntegerField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queue_id",
                        "bucket_seconds",
                        "bucket_start",
                        "fingerprint",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("fingerprint", models.CharField(max_length=64)),
                ("error_type", models.CharField(max_length=200, null=True)),
                ("dead_lettered", models.BigIntegerField(default=0)),
                ("trailing_average", models.FloatField()),
                (
                    "trend",
                    models.CharField(
                        choices=[
                            ("new", "New"),
                            ("rising", "Rising"),
                            ("steady", "Steady"),
                            ("falling", "Falling"),
                        ],
                        max_length=8,
                    ),
                ),
            ],
            options={
                "db_table": "dlq_error_metrics",
                "indexes": [
                    models.Index(fields=["bucket_seconds", "bucket_start"], name="dlq_error_metrics_bucket")
                ],
            },
        ),
        migrations.CreateModel(
            name="MetricsRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed")],
                        max_length=9,
                    ),
                ),
                ("bucket_seconds", models.IntegerField()),
                ("window_from", models.DateTimeField()),
                ("window_to", models.DateTimeField()),
                ("settled_until", models.DateTimeField()),
                ("queue_id", models.BigIntegerField(null=True)),
                ("stays_read", models.BigIntegerField(null=True)),
                ("rows_written", models.BigIntegerField(null=True)),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True, default="")),
            ],
            options={
                "db_table": "metrics_run",
                "indexes": [models.Index(fields=["bucket_seconds", "-id"], name="metrics_run_latest")],
            },
        ),
        migrations.CreateModel(
            name="QueueGroupMetrics",
            fields=[
                ("team_id", models.BigIntegerField()),
                ("queue_id", models.BigIntegerField()),
                ("bucket_seconds", models.IntegerField()),
                ("bucket_start", models.DateTimeField()),
                ("run_id", models.BigIntegerField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queue_id",
                        "bucket_seconds",
                        "bucket_start",
                        "group_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("group_id", models.CharField(max_length=128)),
                ("sent", models.BigIntegerField(default=0)),
                ("acked", models.BigIntegerField(default=0)),
                ("dead_lettered", models.BigIntegerField(default=0)),
                ("bytes_sent", models.BigIntegerField(default=0)),
                ("processing_sum", models.FloatField(default=0)),
                ("sent_share", models.FloatField()),
                ("processing_share", models.FloatField()),
                ("noisy", models.BooleanField()),
            ],
            options={
                "db_table": "queue_group_metrics",
                "indexes": [
                    models.Index(fields=["bucket_seconds", "bucket_start"], name="queue_group_metrics_bucket")
                ],
            },
        ),
        migrations.CreateModel(
            name="QueueMetrics",
            fields=[
                ("team_id", models.BigIntegerField()),
                ("queue_id", models.BigIntegerField()),
                ("bucket_seconds", models.IntegerField()),
                ("bucket_start", models.DateTimeField()),
                ("run_id", models.BigIntegerField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queue_id",
                        "bucket_seconds",
                        "bucket_start",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("sent", models.BigIntegerField(default=0)),
                ("received", models.BigIntegerField(default=0)),
                ("received_estimated", models.BigIntegerField(default=0)),
                ("acked", models.BigIntegerField(default=0)),
                ("dead_lettered", models.BigIntegerField(default=0)),
                ("expired", models.BigIntegerField(default=0)),
                ("requeued", models.BigIntegerField(default=0)),
                ("redriven", models.BigIntegerField(default=0)),
                ("discarded", models.BigIntegerField(default=0)),
                ("purged", models.BigIntegerField(default=0)),
                ("queue_deleted", models.BigIntegerField(default=0)),
                ("nacks", models.BigIntegerField(default=0)),
                ("lease_expiries", models.BigIntegerField(default=0)),
                ("bytes_sent", models.BigIntegerField(default=0)),
                ("bytes_acked", models.BigIntegerField(default=0)),
                ("sent_per_second", models.FloatField()),
                ("received_per_second", models.FloatField()),
                ("acked_per_second", models.FloatField()),
                ("first_attempt_acked", models.BigIntegerField(default=0)),
                ("first_attempt_success_rate", models.FloatField(null=True)),
                ("retries_histogram", models.JSONField()),
                ("queueing_delay_count", models.BigIntegerField(default=0)),
                ("queueing_delay_p50", models.FloatField(null=True)),
                ("queueing_delay_p90", models.FloatField(null=True)),
                ("queueing_delay_p95", models.FloatField(null=True)),
                ("queueing_delay_p99", models.FloatField(null=True)),
                ("queueing_delay_max", models.FloatField(null=True)),
                ("processing_count", models.BigIntegerField(default=0)),
                ("processing_p50", models.FloatField(null=True)),
                ("processing_p90", models.FloatField(null=True)),
                ("processing_p95", models.FloatField(null=True)),
                ("processing_p99", models.FloatField(null=True)),
                ("processing_max", models.FloatField(null=True)),
                ("processing_sum", models.FloatField(default=0)),
                ("processing_sketch", models.JSONField()),
                ("end_to_end_count", models.BigIntegerField(default=0)),
                ("end_to_end_p50", models.FloatField(null=True)),
                ("end_to_end_p90", models.FloatField(null=True)),
                ("end_to_end_p95", models.FloatField(null=True)),
                ("end_to_end_p99", models.FloatField(null=True)),
                ("end_to_end_max", models.FloatField(null=True)),
                ("depth", models.BigIntegerField(default=0)),
                ("depth_max", models.BigIntegerField(default=0)),
                ("depth_avg", models.FloatField(default=0)),
                ("oldest_age_seconds", models.FloatField(null=True)),
                ("oldest_age_max_seconds", models.FloatField(null=True)),
                ("in_flight", models.BigIntegerField(default=0)),
                ("in_flight_avg", models.FloatField(default=0)),
                ("in_flight_estimated", models.BigIntegerField(default=0)),
                ("group_count", models.IntegerField(default=0)),
                ("noisy_group_count", models.IntegerField(default=0)),
            ],
            options={
                "db_table": "queue_metrics",
                "indexes": [
                    models.Index(fields=["bucket_seconds", "bucket_start"], name="queue_metrics_bucket")
                ],
            },
        ),
        migrations.RunSQL(LEFT_AT, LEFT_AT_BACK),
        migrations.RunSQL(STAYS, STAYS_BACK),
    ]
