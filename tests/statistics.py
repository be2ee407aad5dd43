"""What the planner knows of tables outlives their rows: tests of plans forget what others left."""

from django.db import connection

FORGET = """
SELECT pg_clear_attribute_stats(schemaname::text, tablename::text, attname::text, inherited)
  FROM pg_stats
 WHERE schemaname = 'public';
SELECT pg_clear_relation_stats('public', relname::text)
  FROM pg_class
 WHERE relnamespace = 'public'::regnamespace
   AND relkind IN ('r', 'p')
"""


def forget() -> None:
    """Every table is as if it had never been analysed."""
    with connection.cursor() as cursor:
        for statement in FORGET.split(";"):
            cursor.execute(statement)
