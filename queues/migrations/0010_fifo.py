from django.db import migrations, models

# One line for all queues: a message keeps its place on the way to a dead-letter queue and back, wherever others
# come from. Every number is drawn from the server: with a cache, a connection could hand out an old one late.
SEQUENCE = "CREATE SEQUENCE message_sequence CACHE 1"
SEQUENCE_BACK = "DROP SEQUENCE message_sequence"

# Rows are updated or gone after every look: as in 0002, leave room for the next version, and vacuum early.
CHURN = """
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0
"""
STORAGE = f"""
    ALTER TABLE fifo_group SET (fillfactor = 70, {CHURN});
    ALTER TABLE fifo_nudge SET ({CHURN});
"""


class Migration(migrations.Migration):
    dependencies = [
        ("queues", "0009_topics"),
    ]

    operations = [
        migrations.RunSQL(SEQUENCE, SEQUENCE_BACK),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                models.F("queue_id"),
                models.F("group_id"),
                models.F("state"),
                models.F("sequence"),
                condition=models.Q(("sequence__isnull", False)),
                name="message_in_line",
            ),
        ),
        migrations.CreateModel(
            name="FifoGroup",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queue_id",
                        "group_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("queue_id", models.BigIntegerField()),
                ("group_id", models.CharField(max_length=128)),
                ("look_at", models.DateTimeField()),
            ],
            options={
                "db_table": "fifo_group",
                "indexes": [models.Index(fields=["queue_id", "look_at"], name="fifo_group_due")],
            },
        ),
        migrations.CreateModel(
            name="FifoNudge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("queue_id", models.BigIntegerField()),
                ("group_id", models.CharField(max_length=128)),
            ],
            options={
                "db_table": "fifo_nudge",
                "indexes": [models.Index(fields=["queue_id", "id"], name="fifo_nudge_of_queue")],
            },
        ),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
    ]
