"""What queues are told. Whatever is said about one of them comes from one row, which is written down here."""

import json
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from spark_jobs.contract import QUEUE_METRICS
from spark_jobs.sources.postgres import struct_of
from spark_jobs.transforms.advice import advice
from spark_jobs.transforms.observed import observed
from tests.spark_jobs.frames import at, queues, window

Told = dict[str, Row]

SCHEMA = (
    "queue_id long, team_id long, observed_from timestamp, observed_to timestamp, sent long, received long, "
    "acked long, dead_lettered long, expired long, lease_expiries long, processing_count long, "
    "processing_mean double, processing_p50 double, processing_p99 double, arrival_rate double, "
    "peak_arrival_rate double, drain_rate double, busy_consumers double, depth long, "
    "oldest_age_seconds double, deliveries_needed int, is_dlq boolean, visibility_timeout int, "
    "max_deliveries int, retention_seconds int, queue_size int, target_age_seconds int"
)
# A queue in order: ten messages a second, two seconds of work for each, nothing waits for long.
IN_ORDER: dict[str, Any] = {
    "queue_id": 1,
    "team_id": 7,
    "observed_from": at(0),
    "observed_to": at(60),
    "sent": 36_000,
    "received": 36_000,
    "acked": 36_000,
    "dead_lettered": 0,
    "expired": 0,
    "lease_expiries": 0,
    "processing_count": 36_000,
    "processing_mean": 2.0,
    "processing_p50": 1.5,
    "processing_p99": 12.0,
    "arrival_rate": 10.0,
    "peak_arrival_rate": 30.0,
    "drain_rate": 10.0,
    "busy_consumers": 20.0,
    "depth": 600,
    "oldest_age_seconds": 60.0,
    "deliveries_needed": 2,
    "is_dlq": False,
    "visibility_timeout": 30,
    "max_deliveries": 3,
    "retention_seconds": 345_600,
    "queue_size": 3_000,
    "target_age_seconds": 300,
}


def told(spark: SparkSession, *others: dict[str, Any]) -> list[Told]:
    """What each of these queues is told, by kind; they are in order but for what is given."""
    rows = [{**IN_ORDER, **other, "queue_id": number} for number, other in enumerate(others)]
    given = advice(spark.createDataFrame(rows, SCHEMA), run_id=5).collect()
    return [{row.kind: row for row in given if row.queue_id == number} for number in range(len(others))]


def statuses(all_told: list[Told], kind: str) -> list[str | None]:
    return [given[kind].status if kind in given else None for given in all_told]


def test_a_queue_in_order_is_told_so_with_the_figures(spark):
    [given] = told(spark, {})
    assert {kind: row.status for kind, row in given.items()} == {
        "visibility_timeout": "ok",
        "max_deliveries": "ok",
        "high_water_mark": "ok",
        "workers": "ok",
        "drain_workers": "ok",
        "lease_expiry": "ok",
        "retention_risk": "ok",
        "expiry_forecast": "ok",
    }
    timeout = given["visibility_timeout"]
    assert (timeout.current_value, timeout.suggested_value) == (30, 24)
    assert (timeout.sample_size, timeout.confidence, timeout.run_id) == (36_000, "high", 5)
    assert json.loads(timeout.figures) == {
        "processing_p50": 1.5,
        "processing_p99": 12.0,
        "six_times_median": 9.0,
        "twice_p99": 24.0,
    }


def test_a_timeout_is_six_medians_or_two_p99s(spark):
    all_told = told(
        spark,
        {"processing_p50": 5.0, "processing_p99": 8.0},
        {"processing_p50": 5.0, "processing_p99": 30.0},
        {"processing_p50": 0.01, "processing_p99": 0.02},
        {"processing_p50": 0.01, "processing_p99": 0.02, "visibility_timeout": 600},
    )
    assert [given["visibility_timeout"].suggested_value for given in all_told] == [30, 60, 1, 1]
    assert statuses(all_told, "visibility_timeout") == ["ok", "change", "ok", "change"]


def test_deliveries_are_one_more_than_most_needed_within_three_to_five(spark):
    all_told = told(
        spark,
        {"deliveries_needed": 1},
        {"deliveries_needed": 3},
        {"deliveries_needed": 4},
        {"deliveries_needed": 11, "max_deliveries": 20},
        {"max_deliveries": None},
        {"max_deliveries": 1},
    )
    assert [given["max_deliveries"].suggested_value for given in all_told] == [3, 4, 5, 5, 3, 3]
    assert statuses(all_told, "max_deliveries") == ["ok", "ok", "change", "change", "warning", "change"]


def test_a_high_water_mark_is_what_is_drained_within_the_target_age(spark):
    all_told = told(spark, {}, {"queue_size": None}, {"depth": 3_001}, {"target_age_seconds": None})
    assert all_told[0]["high_water_mark"].suggested_value == 3_000
    assert statuses(all_told, "high_water_mark") == ["ok", "change", "warning", None]


def test_workers_are_arrivals_times_work_and_a_fifth_more(spark):
    all_told = told(spark, {}, {"arrival_rate": 20.0}, {"processing_mean": 0.001})
    assert [given["workers"].suggested_value for given in all_told] == [24, 48, 1]
    assert statuses(all_told, "workers") == ["ok", "change", "ok"]
    assert json.loads(all_told[0]["workers"].figures)["workers_at_peak"] == 72


def test_to_drain_takes_more_of_them(spark):
    all_told = told(spark, {"depth": 3_000}, {"depth": 3_000, "oldest_age_seconds": 301.0}, {"depth": 0})
    assert all_told[0]["drain_workers"].suggested_value == 48  # ten a second come, ten more wait
    assert statuses(all_told, "drain_workers") == ["ok", "warning", None]


def test_leases_that_run_out_are_an_alarm(spark):
    all_told = told(spark, {"lease_expiries": 100}, {"lease_expiries": 400}, {"lease_expiries": 4_000})
    assert statuses(all_told, "lease_expiry") == ["ok", "warning", "critical"]
    assert all_told[1]["lease_expiry"].current_value == pytest.approx(400 / 36_000)


def test_a_message_about_to_be_dropped_is_an_alarm(spark):
    days = 86_400.0
    all_told = told(
        spark,
        {"oldest_age_seconds": 1 * days},
        {"oldest_age_seconds": 2.5 * days},
        {"oldest_age_seconds": 3.9 * days},
        {"expired": 1},
        {"oldest_age_seconds": None},
    )
    assert statuses(all_told, "retention_risk") == ["ok", "warning", "critical", "critical", None]


def test_it_foresees_messages_that_will_expire_before_their_turn(spark):
    all_told = told(
        spark,
        {"depth": 4_000_000},
        {"depth": 2_000_000},
        {"depth": 1_000_000, "arrival_rate": 20.0},
        {"depth": 0},
    )
    assert statuses(all_told, "expiry_forecast") == ["critical", "warning", "warning", None]
    growing = all_told[2]["expiry_forecast"]
    assert growing.current_value == 100_000
    # There is room for 345,600 seconds of work; ten more come each second than are done.
    assert json.loads(growing.figures)["seconds_until_messages_expire"] == 245_600


def test_there_is_no_advice_where_little_has_happened(spark):
    thin = dict.fromkeys(("sent", "received", "acked", "dead_lettered", "processing_count"), 99)
    [given, confident] = told(spark, {**thin, "acked": 49, "dead_lettered": 50}, {"processing_count": 1_000})
    assert given.keys() == {"retention_risk"}  # which is seen, not estimated
    assert confident["visibility_timeout"].confidence == "medium"


def test_a_dead_letter_queue_is_only_told_of_what_it_will_lose(spark):
    [given] = told(spark, {"is_dlq": True, "oldest_age_seconds": 340_000.0})
    assert {kind: row.status for kind, row in given.items()} == {"retention_risk": "critical"}


def test_buckets_are_put_together_per_queue(spark):
    """Two buckets: one with a backlog, in which consumers did what they could, and one that drained it."""
    fields = dict.fromkeys(QUEUE_METRICS.columns)
    counts = {"dead_lettered": 0, "expired": 0, "lease_expiries": 0}
    first = {
        **fields,
        **counts,
        "queue_id": 1,
        "team_id": 7,
        "bucket_start": at(3),
        "sent": 120,
        "received": 70,
        "acked": 60,
        "lease_expiries": 6,
        "processing_count": 60,
        "processing_sum": 120.0,
        "processing_sketch": '{"0": 60}',
        "retries_histogram": '{"0": 60}',
        "sent_per_second": 2.0,
        "acked_per_second": 1.0,
        "in_flight_avg": 1.5,
        "depth": 50,
        "oldest_age_seconds": 30.0,
    }
    second = {
        **first,
        **counts,
        "bucket_start": at(4),
        "sent": 0,
        "expired": 2,
        "processing_sum": 180.0,
        "retries_histogram": '{"0": 55, "1": 5}',
        "sent_per_second": 0.0,
        "in_flight_avg": 2.5,
        "depth": 9,
        "oldest_age_seconds": 8.0,
    }
    of_a_queue_that_is_gone = {**first, "queue_id": 2}
    rows = [first, second, of_a_queue_that_is_gone]
    buckets = spark.createDataFrame(rows, struct_of(QUEUE_METRICS, list(fields)))
    settings = queues(spark, {"id": 1}, {"id": 2, "deleted_at": at(0)})
    [row] = observed(buckets, settings, window()).collect()
    shown = {
        "observed_seconds": 120,
        "sent": 120,
        "received": 140,
        "acked": 120,
        "expired": 2,
        "lease_expiries": 6,
        "processing_mean": 2.5,
        "arrival_rate": 1.0,
        "peak_arrival_rate": 2.0,
        "drain_rate": 1.0,
        "busy_consumers": 2.0,
        "depth": 9,
        "oldest_age_seconds": 8.0,
        "deliveries_needed": 2,
        "visibility_timeout": 30,
    }
    assert {name: row[name] for name in shown} == shown
    assert row.processing_p50 == pytest.approx(0.98)  # the middle of the step up to one second
