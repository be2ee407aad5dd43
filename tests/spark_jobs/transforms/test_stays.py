from typing import Any

from pyspark.sql import DataFrame

from spark_jobs.transforms.stays import without_undone_moves
from tests.spark_jobs.frames import FIRST, queues, raw_stays, stay, stays


def values(frame: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """Of each stay in the order they were given, which is by size; times in minutes after the hour."""
    rows = frame.orderBy("size_bytes").selectExpr(*(_minutes(name) for name in columns)).collect()
    return [tuple(row) for row in rows]


def _minutes(name: str) -> str:
    if not name.endswith("_at"):
        return name
    return f"round((unix_micros({name}) / 1e6 - {FIRST}) / 60, 6) AS {name}"


def test_a_dead_letter_is_not_credited_with_the_deliveries_of_its_first_life(spark):
    first_life = {"first_delivered_at": 1, "last_delivered_at": 2, "delivery_count": 3}
    frame = stays(
        spark,
        stay(5, size_bytes=1, **first_life),
        stay(5, 9, size_bytes=2, **{**first_life, "last_delivered_at": 7, "delivery_count": 5}),
        stay(0, 9, size_bytes=3, **first_life),
    )
    shown = values(frame, "first_delivered_at", "last_delivered_at", "deliveries", "deliveries_unknown")
    assert shown == [(None, None, 0, False), (7, 7, 1, True), (1, 2, 3, False)]


def test_failures_are_no_more_than_the_deliveries_that_failed(spark):
    """Their counts go on when a message is tried afresh."""
    failed = {"nack_count": 4, "lease_expiry_count": 1}
    frame = stays(
        spark,
        stay(0, 5, first_delivered_at=1, size_bytes=1, **failed),
        stay(0, 5, first_delivered_at=1, last_delivered_at=2, size_bytes=2, **failed),
        stay(0, 5, first_delivered_at=1, outcome="dead_lettered", size_bytes=3, **failed),
    )
    assert values(frame, "nacks", "lease_expiries") == [(0, 0), (1, 1), (1, 1)]


def test_nothing_happens_after_the_end(spark):
    """Clocks of two servers may disagree."""
    frame = stays(spark, stay(3, 2, first_delivered_at=4))
    assert values(frame, "ended_at", "first_delivered_at") == [(3, 3)]


def test_a_lease_lasts_until_the_ack_or_until_it_runs_out(spark):
    frame = stays(
        spark,
        stay(0, 5, first_delivered_at=1, size_bytes=1),
        stay(0, first_delivered_at=1, leased_until=9, size_bytes=2),
        stay(0, 5, first_delivered_at=1, last_delivered_at=3, size_bytes=3),
        stay(0, 5, first_delivered_at=1, outcome="expired", size_bytes=4),
        stay(0, 5, size_bytes=5),
    )
    assert values(frame, "lease_began_at", "lease_ended_at", "lease_estimated") == [
        (1, 5, False),
        (1, 9, False),
        (1, 5, True),
        (1, 1, True),
        (None, None, True),
    ]


def test_only_the_last_end_of_a_stay_counts_that_was_gone_on_with(spark):
    rows = [
        stay(0, 3, message_id="a", outcome="redriven", size_bytes=1),
        stay(0, message_id="a", size_bytes=2),  # pulled back, and there ever since
        stay(0, 3, message_id="b", outcome="redriven", size_bytes=3),
        stay(4, 6, message_id="b", size_bytes=4),  # died again: another stay
        stay(0, stays=5, message_id=None, size_bytes=5),
        stay(0, stays=7, message_id=None, size_bytes=6),
    ]
    dlq = queues(spark, {"id": 1, "is_dlq": True})
    assert values(without_undone_moves(raw_stays(spark, *rows), dlq), "size_bytes") == [
        (2,),
        (3,),
        (4,),
        (5,),
        (6,),
    ]
    ordinary = queues(spark, {"id": 1})
    assert without_undone_moves(raw_stays(spark, *rows), ordinary).count() == len(rows)
