"""Counts the dead letters that were there before error groups were, and lets the largest groups be found.

What is missing is worked out from one snapshot and added, so that nobody has to stop: who moves letters
meanwhile counts them himself, and a second run finds nothing to add. No more than a batch of rows is locked
at a time, and none while they are counted.
"""

from collections.abc import Iterator

from django.db import migrations, models
from django.db.backends.utils import CursorWrapper

# Fingerprints have to be those that the living code gives, whichever version of it runs this.
from queues import fingerprints

BATCH = 1_000

QUEUES = """
SELECT id
  FROM queue
 WHERE EXISTS (SELECT FROM message WHERE queue_id = queue.id AND dead_lettered_at IS NOT NULL)
 ORDER BY id
"""

WITHOUT_A_FINGERPRINT = """
SELECT id, COALESCE(source_queue_id, queue_id), CASE WHEN size_bytes <= %(longest)s THEN data END
  FROM message
 WHERE queue_id = %(queue_id)s
   AND dead_lettered_at IS NOT NULL
   AND fingerprint IS NULL
 ORDER BY queue_id, fingerprint, id
 LIMIT %(batch)s
"""

GIVE_FINGERPRINTS = """
WITH wanted AS MATERIALIZED (
    SELECT message.id, given.fingerprint
      FROM message
      JOIN unnest(%(ids)s::uuid[], %(fingerprints)s::text[]) AS given (id, fingerprint) ON given.id = message.id
     WHERE queue_id = %(queue_id)s
       AND message.id = ANY (%(ids)s::uuid[])
     ORDER BY message.id
       FOR UPDATE OF message
)
UPDATE message
   SET fingerprint = wanted.fingerprint
  FROM wanted
 WHERE queue_id = %(queue_id)s
   AND message.id = ANY (%(ids)s::uuid[])
   AND message.id = wanted.id
   AND dead_lettered_at IS NOT NULL
   AND message.fingerprint IS NULL
"""

COUNT = """
WITH letters AS MATERIALIZED (
    SELECT fingerprint,
           date_bin('1 hour', dead_lettered_at, 'epoch') AS bucket,
           count(*)                                      AS letters,
           min(dead_lettered_at)                         AS first_seen,
           max(dead_lettered_at)                         AS last_seen
      FROM message
     WHERE queue_id = %(queue_id)s
       AND dead_lettered_at IS NOT NULL
       AND fingerprint IS NOT NULL
     GROUP BY fingerprint, bucket
),
there AS (
    SELECT fingerprint, sum(letters) AS count, min(first_seen) AS first_seen, max(last_seen) AS last_seen
      FROM letters
     GROUP BY fingerprint
),
counted AS (
    SELECT fingerprint, sum(count) AS count
      FROM (
               SELECT fingerprint, count FROM error_group WHERE queue_id = %(queue_id)s
                UNION ALL
               SELECT fingerprint, count FROM error_group_delta WHERE queue_id = %(queue_id)s
           ) AS both_of_them
     GROUP BY fingerprint
),
missing AS MATERIALIZED (
    SELECT fingerprint,
           COALESCE(there.count, 0) - COALESCE(counted.count, 0) AS count,
           first_seen,
           last_seen
      FROM there
      FULL JOIN counted USING (fingerprint)
     WHERE COALESCE(there.count, 0) <> COALESCE(counted.count, 0)
),
groups AS (
    INSERT INTO error_group AS g (
        queue_id, fingerprint, count, first_seen, last_seen, title, error_type, note, noted_by
    )
    SELECT %(queue_id)s, fingerprint, count, first_seen, last_seen, COALESCE(title, ''), error_type, '', ''
      FROM missing
      LEFT JOIN LATERAL (
               SELECT error_type,
                      left(
                          concat_ws(
                              ': ', error_type,
                              NULLIF(split_part(ltrim(last_error ->> 'message', E' \\t\\r\\n'), E'\\n', 1), '')
                          ),
                          300
                      ) AS title
                 FROM message AS m
                WHERE m.queue_id = %(queue_id)s
                  AND m.fingerprint = missing.fingerprint
                  AND m.dead_lettered_at IS NOT NULL
                  AND m.last_error IS NOT NULL
                ORDER BY m.id DESC
                LIMIT 1
           ) AS newest ON true
     ORDER BY fingerprint
    ON CONFLICT (queue_id, fingerprint) DO UPDATE
       SET count = g.count + excluded.count,
           first_seen = LEAST(g.first_seen, excluded.first_seen),
           last_seen = GREATEST(g.last_seen, excluded.last_seen),
           title = COALESCE(NULLIF(g.title, ''), excluded.title),
           error_type = COALESCE(g.error_type, excluded.error_type)
),
known_hours AS (
    SELECT fingerprint, bucket, sum(arrived) AS arrived
      FROM (
               SELECT fingerprint, bucket, arrived FROM error_group_hour WHERE queue_id = %(queue_id)s
                UNION ALL
               SELECT fingerprint, date_bin('1 hour', at, 'epoch'), arrived
                 FROM error_group_delta
                WHERE queue_id = %(queue_id)s
           ) AS both_of_them
     GROUP BY fingerprint, bucket
)
INSERT INTO error_group_hour AS h (queue_id, fingerprint, bucket, arrived)
SELECT %(queue_id)s, fingerprint, bucket, letters - COALESCE(arrived, 0)
  FROM letters
  LEFT JOIN known_hours USING (fingerprint, bucket)
 WHERE letters > COALESCE(arrived, 0)
 ORDER BY fingerprint, bucket
ON CONFLICT (queue_id, fingerprint, bucket) DO UPDATE SET arrived = h.arrived + excluded.arrived
"""

GUESSES_WITHOUT_A_TITLE = """
SELECT fingerprint,
       (
           SELECT CASE WHEN size_bytes <= %(longest)s THEN data END
             FROM message AS m
            WHERE m.queue_id = g.queue_id
              AND m.fingerprint = g.fingerprint
              AND m.dead_lettered_at IS NOT NULL
            ORDER BY m.fingerprint DESC, m.id DESC
            LIMIT 1
       )
  FROM error_group AS g
 WHERE queue_id = %(queue_id)s
   AND title = ''
   AND starts_with(fingerprint, %(guess)s)
   AND count > 0
 ORDER BY fingerprint
 LIMIT %(batch)s
"""

GIVE_TITLES = """
UPDATE error_group AS g
   SET title = given.title
  FROM unnest(%(fingerprints)s::text[], %(titles)s::text[]) AS given (fingerprint, title)
 WHERE queue_id = %(queue_id)s
   AND g.fingerprint = given.fingerprint
"""


def count_them(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(QUEUES)
        for [queue_id] in cursor.fetchall():
            give_fingerprints(cursor, queue_id)
            cursor.execute(COUNT, {"queue_id": queue_id})
            give_titles(cursor, queue_id)


def give_fingerprints(cursor: CursorWrapper, queue_id: int) -> None:
    for rows in batches(cursor, WITHOUT_A_FINGERPRINT, queue_id):
        guesses = [fingerprints.of_shape(source_id, data) for _, source_id, data in rows]
        given = {"queue_id": queue_id, "ids": [row[0] for row in rows], "fingerprints": guesses}
        cursor.execute(GIVE_FINGERPRINTS, given)


def give_titles(cursor: CursorWrapper, queue_id: int) -> None:
    """Those of guesses are worked out as the fingerprints are."""
    for rows in batches(cursor, GUESSES_WITHOUT_A_TITLE, queue_id):
        titles = [fingerprints.shape_title(data) for _, data in rows]
        given = {"queue_id": queue_id, "fingerprints": [row[0] for row in rows], "titles": titles}
        cursor.execute(GIVE_TITLES, given)


def batches(cursor: CursorWrapper, statement: str, queue_id: int) -> Iterator[list[tuple]]:
    """What is still without one, until there is none."""
    given = {"longest": fingerprints.LONGEST_SHAPED, "guess": fingerprints.GUESS}
    while True:
        cursor.execute(statement, {"queue_id": queue_id, "batch": BATCH, **given})
        rows = cursor.fetchall()
        if not rows:
            return
        yield rows


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("queues", "0007_audit_indexes"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="errorgroup",
            index=models.Index(fields=["queue_id", "count"], name="error_group_largest"),
        ),
        # Backwards there is nothing to do: the counts are right for the code before this one, too.
        migrations.RunPython(count_them, migrations.RunPython.noop),
    ]
