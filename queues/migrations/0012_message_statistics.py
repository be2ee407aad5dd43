"""Plans of statements on messages no longer depend on when the table was analysed last.

Queues fill and empty within minutes; a dead-letter queue may be born and hold a million letters before the
planner hears of it. To its statistics such a queue has no rows, so any index seems as good as any other, and a
page of fifty letters was made by walking and sorting all of them. Without statistics of the columns it takes
every queue for a fair part of the table, whatever its size is by then. Tests hold the plans for that.
"""

from django.db import migrations

WITHOUT = """
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT attname
          FROM pg_attribute
         WHERE attrelid = 'message'::regclass
           AND attnum > 0
           AND NOT attisdropped
    LOOP
        EXECUTE format('ALTER TABLE message ALTER COLUMN %I SET STATISTICS 0', name);
        PERFORM pg_clear_attribute_stats(current_schema()::text, 'message', name, false);
    END LOOP;
END $$
"""
WITH_THEM = """
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT attname
          FROM pg_attribute
         WHERE attrelid = 'message'::regclass
           AND attnum > 0
           AND NOT attisdropped
    LOOP
        EXECUTE format('ALTER TABLE message ALTER COLUMN %I SET STATISTICS DEFAULT', name);
    END LOOP;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [
        ("queues", "0011_metrics"),
    ]

    operations = [migrations.RunSQL(WITHOUT, WITH_THEM)]
