import random
from typing import Any

import numpy
import pytest
from pyspark.sql import SparkSession

from spark_jobs.transforms.activity import activity
from spark_jobs.transforms.events import events_of, in_window
from tests.spark_jobs.frames import by_bucket, stay, stays, window


def figures(spark: SparkSession, rows: list[dict[str, Any]], *columns: str) -> dict[int, Any]:
    chosen = window()
    return by_bucket(activity(in_window(events_of(stays(spark, *rows), chosen), chosen)), *columns)


def test_each_thing_counts_in_the_bucket_in_which_it_happened(spark):
    rows = [
        stay(0.5, 2.5, first_delivered_at=1.5),
        stay(-3, 0.5),
        stay(1.2),
        stay(0.1, 9, first_delivered_at=7),
    ]
    assert figures(spark, rows, "sent", "received", "acked", "bytes_sent", "bytes_acked") == {
        0: (2, 0, 1, 20, 10),
        1: (1, 1, 0, 10, 0),
        2: (0, 0, 1, 0, 10),
    }


def test_it_tells_every_outcome(spark):
    outcomes = "acked dead_lettered expired requeued redriven discarded purged queue_deleted".split()
    rows = [stay(0, 0.5, outcome=name) for number, name in enumerate(outcomes, 1) for _ in range(number)]
    assert figures(spark, rows, *outcomes) == {0: (1, 2, 3, 4, 5, 6, 7, 8)}


def test_deliveries_whose_time_is_not_kept_are_called_estimates(spark):
    rows = [
        stay(0, 4.5, first_delivered_at=0.5, last_delivered_at=3.5, delivery_count=4),
        stay(0, first_delivered_at=0.6, last_delivered_at=1.5, delivery_count=2),
    ]
    assert figures(spark, rows, "received", "received_estimated") == {
        0: (2, 0),
        1: (1, 0),
        3: (3, 2),
        4: (0, 0),
    }


def test_it_tells_first_attempts_and_failures(spark):
    rows = [
        stay(0, 0.9, first_delivered_at=0.1),
        stay(0, 0.9),  # acked by its id, before anybody received it
        stay(0, 0.9, first_delivered_at=0.1, last_delivered_at=0.5, nack_count=1),
        stay(0, 0.9, first_delivered_at=0.1, outcome="dead_lettered", lease_expiry_count=1),
    ]
    assert figures(spark, rows, "first_attempt_acked", "nacks", "lease_expiries") == {0: (2, 1, 1)}


def test_percentiles_are_those_of_numpy(spark):
    chance = random.Random(7)
    rows = []
    for _ in range(500):
        sent = chance.uniform(-1, 5)
        first = sent + chance.expovariate(2)
        rows.append(stay(sent, first + chance.lognormvariate(-2, 1), first_delivered_at=first))
    shares = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}
    names = [f"processing_{name}" for name in shares]
    shown = figures(spark, rows, "processing_count", "processing_sum", *names)
    assert sum(count for count, *_ in shown.values()) > 300
    for bucket, (count, total, *spread) in shown.items():
        spans = [
            round((row["ended_at"] - row["first_delivered_at"]) * 60, 3)
            for row in rows
            if bucket <= row["ended_at"] < bucket + 1
        ]
        assert count == len(spans)
        assert total == pytest.approx(sum(spans), abs=0.001 * len(spans))
        assert spread == pytest.approx(numpy.percentile(spans, list(shares.values())), abs=0.001)


def test_spans_are_measured_from_where_they_begin(spark):
    rows = [stay(0, 0.9, first_delivered_at=0.1, last_delivered_at=0.7)]
    shown = figures(spark, rows, "queueing_delay_max", "processing_max", "end_to_end_max")
    assert shown[0] == pytest.approx((6, 12, 54))


def test_what_was_not_measured_is_null(spark):
    rows = [stay(0, 0.5), stay(0, 0.5, first_delivered_at=0.1, outcome="expired")]
    shown = figures(spark, rows, "processing_count", "processing_p50", "processing_max", "processing_sum")
    assert shown == {0: (0, None, None, 0.0)}
