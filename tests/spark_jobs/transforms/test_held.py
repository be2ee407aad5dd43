import random
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs.transforms.events import events_of
from spark_jobs.transforms.held import held
from spark_jobs.transforms.oldest import oldest
from tests.spark_jobs.frames import FIRST, by_bucket, stay, stays, window


def depths(spark: SparkSession, *rows: dict[str, Any], **span: Any) -> dict[int, Any]:
    chosen = window(**span)
    return by_bucket(held(events_of(stays(spark, *rows), chosen), chosen), "depth")


def test_it_counts_a_message_from_its_arrival_to_its_end(spark):
    assert depths(spark, stay(0.5, 2.5)) == {0: 1, 1: 1, 2: 0}


def test_it_starts_from_what_came_before_the_window(spark):
    assert depths(spark, stay(-90, 1.5), stay(-1), stop=3) == {0: 2, 1: 1, 2: 1}


def test_it_takes_a_row_for_as_many_stays_as_it_stands_for(spark):
    assert depths(spark, stay(-90, stays=1_000_000), stay(1.5), stop=2) == {0: 1_000_000, 1: 1_000_001}


def test_it_has_no_row_for_a_queue_that_was_empty_and_idle(spark):
    assert depths(spark, stay(0.1, 0.2), stay(3.5, 3.6)) == {0: 0, 3: 0}


def test_it_leaves_what_happens_at_the_end_of_a_bucket_to_the_next(spark):
    assert depths(spark, stay(1, 2), stop=4) == {1: 1, 2: 0}


def test_it_forgets_what_happened_after_the_window(spark):
    assert depths(spark, stay(0.5, 7), stay(6), stop=2) == {0: 1, 1: 1}


def test_it_tells_the_peak_and_the_average_over_time(spark):
    chosen = window(stop=1)
    rows = [stay(-1), stay(0.25, 0.75), stay(0.25, 0.5), stay(0.75, 0.8)]
    frame = held(events_of(stays(spark, *rows), chosen), chosen)
    [(peak, average)] = by_bucket(frame, "depth_max", "depth_avg").values()
    assert (peak, round(average, 6)) == (3, 1 + 0.5 + 0.25 + 0.05)


def test_one_that_comes_as_another_goes_is_no_peak(spark):
    chosen = window(stop=1)
    frame = held(events_of(stays(spark, stay(0.1, 0.5), stay(0.5, 0.9)), chosen), chosen)
    assert by_bucket(frame, "depth_max") == {0: 1}


def test_leases_of_one_delivery_are_exact(spark):
    chosen = window(stop=3)
    rows = [stay(0, 1.5, first_delivered_at=0.5), stay(0, first_delivered_at=1.2, leased_until=9)]
    frame = held(events_of(stays(spark, *rows), chosen), chosen)
    assert by_bucket(frame, "in_flight", "in_flight_estimated") == {0: (1, 0), 1: (1, 0), 2: (1, 0)}


def test_a_lease_that_ran_out_is_over_though_nobody_noticed(spark):
    chosen = window(stop=3)
    frame = held(events_of(stays(spark, stay(0, first_delivered_at=0.5, leased_until=1.5)), chosen), chosen)
    assert by_bucket(frame, "in_flight") == {0: 1, 1: 0, 2: 0}


def test_leases_of_several_deliveries_are_marked_as_estimates(spark):
    chosen = window(stop=3)
    rows = [stay(0, 2.5, first_delivered_at=0.5, last_delivered_at=1.5, nack_count=1)]
    frame = held(events_of(stays(spark, *rows), chosen), chosen)
    assert by_bucket(frame, "in_flight", "in_flight_estimated") == {0: (1, 1), 1: (1, 1), 2: (0, 0)}


def test_one_given_back_is_in_nobodys_hands(spark):
    chosen = window(stop=2)
    frame = held(events_of(stays(spark, stay(0, first_delivered_at=0.5, nack_count=1)), chosen), chosen)
    assert by_bucket(frame, "in_flight") == {0: 0, 1: 0}


def random_stays(chance: random.Random, queues: int, number: int) -> list[dict[str, Any]]:
    """Many at once, many at full minutes, some that never end, some far older than the window."""
    rows = []
    for _ in range(number):
        enqueued = chance.choice(
            [chance.uniform(-30, 20), float(chance.randint(-3, 20)), chance.uniform(-900, 0)]
        )
        lasts = chance.choice(
            [0, chance.expovariate(1), chance.expovariate(0.05), float(chance.randint(0, 5))]
        )
        ended = enqueued + lasts if chance.random() < 0.9 else None
        if ended is None or ended >= 0:
            rows.append(
                stay(round(enqueued, 5), ended and round(ended, 5), queue_id=chance.randint(1, queues))
            )
    return rows


def present(rows: list[dict[str, Any]], queue: int, instant: float) -> list[float]:
    """By brute force: when those began that the queue held just before an instant."""
    return [
        row["enqueued_at"]
        for row in rows
        if row["queue_id"] == queue
        and row["enqueued_at"] < instant
        and (row["ended_at"] is None or row["ended_at"] >= instant)
    ]


def test_depth_and_age_are_what_counting_finds_at_every_instant(spark):
    """Random histories; each seed that ever fails goes here by name."""
    chance = random.Random(20261118)
    rows = random_stays(chance, queues=3, number=1_500)
    chosen = window(stop=20)
    frame = stays(spark, *rows)
    depth = {
        (row.queue_id, (row.bucket - FIRST) // 60): row.depth
        for row in held(events_of(frame, chosen), chosen).collect()
    }
    age = {
        (row.queue_id, (row.bucket - FIRST) // 60): row.oldest_age_seconds
        for row in oldest(frame, chosen).collect()
    }
    for queue in (1, 2, 3):
        for bucket in range(20):
            there = present(rows, queue, bucket + 1)
            assert depth.get((queue, bucket), 0) == len(there)
            shown = age.get((queue, bucket))
            expected = (bucket + 1 - min(there)) * 60 if there else None
            assert (shown is None) == (expected is None)
            assert expected is None or abs(shown - expected) < 0.001
