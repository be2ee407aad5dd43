import json
import random

import numpy
import pytest

from spark_jobs.transforms.events import events_of
from spark_jobs.transforms.histograms import RETRIES, histograms, percentiles, reached
from tests.spark_jobs.frames import by_bucket, stay, stays, window


def test_it_counts_acks_by_retries(spark):
    delivered = {"first_delivered_at": 0.1, "last_delivered_at": 0.2}
    rows = [stay(0, 0.5, **delivered, delivery_count=number) for number in (1, 1, 3, 11, 40)]
    rows += [stay(0, 0.5), stay(0, 0.5, **delivered, outcome="dead_lettered", delivery_count=3)]
    [shown] = by_bucket(histograms(events_of(stays(spark, *rows), window())), RETRIES).values()
    assert json.loads(shown) == {"0": 3, "2": 1, "10": 2}


def test_percentiles_of_many_buckets_together_are_nearly_exact(spark):
    chance = random.Random(11)
    seconds = [round(chance.lognormvariate(0, 2), 3) for _ in range(400)] + [0.0]
    ends = [number % 5 + 0.5 for number in range(len(seconds))]
    rows = [
        stay(-900, end, first_delivered_at=end - span / 60) for end, span in zip(ends, seconds, strict=True)
    ]
    sketched = histograms(events_of(stays(spark, *rows), window()))
    assert sketched.count() == 5
    [row] = percentiles(sketched, {"p50": 0.5, "p99": 0.99}).collect()
    assert row.p50 == pytest.approx(numpy.percentile(seconds, 50, method="inverted_cdf"), rel=0.02)
    assert row.p99 == pytest.approx(numpy.percentile(seconds, 99, method="inverted_cdf"), rel=0.02)


def test_it_finds_the_step_by_which_a_share_is_reached(spark):
    counted = [(1, '{"0": 90, "1": 8}'), (1, '{"1": 1, "10": 1}'), (2, '{"0": 5}'), (3, "{}")]
    buckets = spark.createDataFrame(counted, f"queue_id long, {RETRIES} string")
    rows = reached(buckets, RETRIES, {"most": 0.9, "nearly_all": 0.99, "all": 1.0}).collect()
    found = {row.queue_id: (row.most, row.nearly_all, row.all) for row in rows}
    assert found == {1: (0, 1, 10), 2: (0, 0, 0)}
