from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("queues", "0015_metrics_rates")]

    operations = [
        migrations.AddField(
            model_name=name,
            name="nacked",
            field=models.BigIntegerField(default=0, db_default=0),
        )
        for name in ("queueactivity", "queuetallydelta")
    ]
