from django.db import migrations, models

# What was computed before knows how many died, and therefore how fast.
KNOWN = """
    UPDATE queue_metrics
       SET dead_lettered_per_second = dead_lettered::float8 / bucket_seconds
     WHERE dead_lettered > 0
"""


class Migration(migrations.Migration):
    dependencies = [("queues", "0014_dead_letter_archive")]

    operations = [
        migrations.AddField(
            model_name="queuemetrics",
            name="dead_lettered_per_second",
            field=models.FloatField(default=0),
        ),
        migrations.RunSQL(KNOWN, migrations.RunSQL.noop),
    ]
