"""The whole job on a real database, against SQL that counts the plain way: every bucket with every stay."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from queues import ids
from queues.models import (
    DiscardedMessage,
    DlqErrorMetrics,
    Message,
    Queue,
    QueueGroupMetrics,
    QueueMetrics,
)
from queues.operations import dead_letters, redrive, redrive_run, trash
from tests.factories import new_queue, reloaded
from tests.spark_jobs.history import START, after, play

pytestmark = pytest.mark.django_db(transaction=True)

HAPPENED = ("sent", "acked", "dead_lettered", "expired", "requeued", "redriven", "discarded")
MEASURES = ("processing", "queueing_delay", "end_to_end")
SPREAD = ("p50", "p90", "p95", "p99", "max")
RATED = ("sent", "acked", "dead_lettered")
COUNTED = [
    *"sent acked dead_lettered expired requeued redriven discarded purged bytes_sent bytes_acked".split(),
    *"first_attempt_acked first_attempt_success_rate depth oldest_age_seconds".split(),
    *(f"{name}_per_second" for name in RATED),
    *(f"{measure}_{name}" for measure in MEASURES for name in ("count", *SPREAD)),
]
PLAINLY = """
    WITH bucket AS (
        SELECT start, start + make_interval(secs => %(size)s) AS stop
          FROM generate_series(%(start)s::timestamptz, %(stop)s::timestamptz - interval '1 second',
                               make_interval(secs => %(size)s)) AS start
    ),
    stay AS (
        SELECT queue_id, enqueued_at AS began, first_delivered_at AS first, last_delivered_at AS last,
               COALESCE(left_at, finished_at) AS ended, outcome, delivery_count, size_bytes
          FROM message_log
         UNION ALL
        SELECT queue_id, entered_at, first_delivered_at, last_delivered_at, NULL, NULL, delivery_count,
               size_bytes
          FROM message
         UNION ALL
        SELECT queue_id, (row ->> 'entered_at')::timestamptz, (row ->> 'first_delivered_at')::timestamptz,
               (row ->> 'last_delivered_at')::timestamptz, discarded_at, 'discarded',
               (row ->> 'delivery_count')::int, size_bytes
          FROM discarded_message
    ),
    figure AS (
        SELECT stay.*, bucket.*,
               began >= start AND began < stop AS arrived,
               ended >= start AND ended < stop AS left_it,
               began < stop AND (ended IS NULL OR ended >= stop) AS there,
               first >= began AND first >= start AND first < stop AS came_first,
               ended >= start AND ended < stop AND outcome = 'acked' AS acked,
               round(extract(epoch FROM first - began), 3)::float8 AS waited,
               CASE WHEN last >= began THEN round(extract(epoch FROM ended - last), 3)::float8 END AS worked,
               round(extract(epoch FROM ended - began), 3)::float8 AS took
          FROM stay
          JOIN bucket ON began < stop AND (ended IS NULL OR ended >= start)
    )
    SELECT queue_id, start AS bucket_start,
           count(*) FILTER (WHERE arrived) AS sent,
           count(*) FILTER (WHERE acked) AS acked,
           count(*) FILTER (WHERE left_it AND outcome = 'dead_lettered') AS dead_lettered,
           count(*) FILTER (WHERE left_it AND outcome = 'expired') AS expired,
           count(*) FILTER (WHERE left_it AND outcome = 'requeued') AS requeued,
           count(*) FILTER (WHERE left_it AND outcome = 'redriven') AS redriven,
           count(*) FILTER (WHERE left_it AND outcome = 'discarded') AS discarded,
           count(*) FILTER (WHERE left_it AND outcome = 'purged') AS purged,
           COALESCE(sum(size_bytes) FILTER (WHERE arrived), 0) AS bytes_sent,
           COALESCE(sum(size_bytes) FILTER (WHERE acked), 0) AS bytes_acked,
           count(*) FILTER (WHERE acked AND delivery_count <= 1) AS first_attempt_acked,
           count(worked) FILTER (WHERE acked) AS processing_count,
           percentile_cont(ARRAY[0.5, 0.9, 0.95, 0.99, 1]) WITHIN GROUP (ORDER BY worked)
             FILTER (WHERE acked) AS processing,
           count(waited) FILTER (WHERE came_first) AS queueing_delay_count,
           percentile_cont(ARRAY[0.5, 0.9, 0.95, 0.99, 1]) WITHIN GROUP (ORDER BY waited)
             FILTER (WHERE came_first) AS queueing_delay,
           count(took) FILTER (WHERE acked) AS end_to_end_count,
           percentile_cont(ARRAY[0.5, 0.9, 0.95, 0.99, 1]) WITHIN GROUP (ORDER BY took)
             FILTER (WHERE acked) AS end_to_end,
           count(*) FILTER (WHERE there) AS depth,
           extract(epoch FROM stop - min(began) FILTER (WHERE there))::float8 AS oldest_age_seconds
      FROM figure
     GROUP BY queue_id, start, stop
"""


BY_GROUP = ("queue_id", "bucket_start", "group_id", "sent", "acked", "dead_lettered", "bytes_sent")
GROUPS = """
    SELECT queue_id, date_bin(make_interval(secs => %(size)s), at, 'epoch') AS start, group_id,
           count(*) FILTER (WHERE what = 'sent'), count(*) FILTER (WHERE what = 'acked'),
           count(*) FILTER (WHERE what = 'dead_lettered'),
           COALESCE(sum(size_bytes) FILTER (WHERE what = 'sent'), 0)
      FROM message_stay
     CROSS JOIN LATERAL (VALUES ('sent', enqueued_at), (outcome, ended_at)) AS event (what, at)
     WHERE group_id IS NOT NULL AND at >= %(start)s AND at < %(stop)s
     GROUP BY 1, 2, 3
"""
BY_ERROR = ("queue_id", "bucket_start", "fingerprint", "error_type", "dead_lettered")
DEATHS = """
    SELECT queue_id, date_bin(make_interval(secs => %(size)s), enqueued_at, 'epoch'), fingerprint,
           max(error_type), count(*)
      FROM message_stay
      JOIN queue ON queue.id = queue_id AND is_dlq
     WHERE fingerprint IS NOT NULL AND enqueued_at >= %(start)s AND enqueued_at < %(stop)s
     GROUP BY 1, 2, 3
"""


def answers(statement: str, size: int, start: datetime, stop: datetime) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"size": size, "start": start, "stop": stop})
        return cursor.fetchall()


def plainly(size: int, start: datetime, stop: datetime) -> dict[tuple[int, datetime], dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL jit = off")
        cursor.execute(PLAINLY, {"size": size, "start": start, "stop": stop})
        names = [column.name for column in cursor.description]
        rows = [_derived(dict(zip(names, row, strict=True)), size) for row in cursor.fetchall()]
    return {(row["queue_id"], row["bucket_start"]): row for row in rows}


def _derived(row: dict[str, Any], size: int) -> dict[str, Any]:
    rates = {f"{name}_per_second": row[name] / size for name in RATED}
    spreads = {
        f"{measure}_{name}": value
        for measure in MEASURES
        for name, value in zip(SPREAD, row[measure] or 5 * [None], strict=True)
    }
    tried = row["acked"] + row["dead_lettered"]
    return {
        **row,
        **rates,
        **spreads,
        "first_attempt_success_rate": row["first_attempt_acked"] / tried if tried else None,
    }


def written(size: int) -> dict[tuple[int, datetime], dict[str, Any]]:
    rows = QueueMetrics.objects.filter(bucket_seconds=size).values()
    return {(row["queue_id"], row["bucket_start"]): row for row in rows}


def test_it_finds_what_plain_sql_finds(run, orders):
    """Whatever was done: sends, leases, acks, failures, deaths, requeues, redrives and the trash."""
    bills = new_queue(orders.team, name="bills", visibility_timeout=10, max_deliveries=2)
    play(orders, START, minutes=25, seed=1)
    play(bills, START, minutes=25, seed=2)
    tidy_up(reloaded(orders).dlq, after(26))
    stop = after(30)
    run("--from", START.isoformat(), "--to", stop.isoformat(), "--bucket", "1m", "--bucket", "5m")
    for size in (60, 300):
        expected, found = plainly(size, START, stop), written(size)
        assert found.keys() == expected.keys()
        for key, row in expected.items():
            shown = {name: found[key][name] for name in COUNTED}
            assert shown == pytest.approx({name: row[name] for name in COUNTED}, abs=1e-6), key
    assert all(any(row[outcome] for row in expected.values()) for outcome in HAPPENED)
    for table, statement, columns in (
        (QueueGroupMetrics, GROUPS, BY_GROUP),
        (DlqErrorMetrics, DEATHS, BY_ERROR),
    ):
        counted = sorted(table.objects.filter(bucket_seconds=300).values_list(*columns), key=repr)
        assert counted == sorted(answers(statement, 300, START, stop), key=repr)
        assert counted


def tidy_up(dlq: Queue, now: datetime) -> None:
    """Somebody looks after the dead letters: one of each thing that can be done with them."""
    letters = [message.public_id for message in Message.objects.filter(queue_id=dlq.pk).order_by("id")]
    assert len(letters) > 6
    trash.discard(dlq, letters[:3], by="olivia", now=now)
    DiscardedMessage.objects.filter(message_id=ids.decode("msg", letters[0])).update(expires_at=now)
    trash.empty(10, now + timedelta(minutes=1))  # logged later than it left
    trash.restore(dlq, letters[1:2], now + timedelta(minutes=1), by="olivia")
    dead_letters.requeue(dlq, letters[3], now + timedelta(seconds=90))
    task = redrive.start(dlq, limit=2, now=now + timedelta(minutes=2))
    redrive_run.advance(task.pk, 1_000, now + timedelta(minutes=2))
