from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.transforms.events import events_of
from spark_jobs.transforms.groups import MOST_GROUPS, group_counts, group_shares, largest
from tests.spark_jobs.frames import by_bucket, stay, stays, window


def sent_by(**numbers: int) -> list[dict[str, Any]]:
    return [stay(0.1, group_id=group) for group, number in numbers.items() for _ in range(number)]


def shares(spark: SparkSession, *rows: dict[str, Any]) -> DataFrame:
    return group_shares(events_of(stays(spark, *rows), window()))


def noisy(spark: SparkSession, **numbers: int) -> set[str]:
    return {row.group_id for row in shares(spark, *sent_by(**numbers)).where("noisy").collect()}


def test_it_tells_the_share_of_each(spark):
    rows = [
        *sent_by(acme=3, globex=1),
        stay(0.1),  # of no group: part of the whole
        stay(0.1, 0.5, group_id="acme", first_delivered_at=0.2),
        stay(0.1, 0.5, group_id="globex", first_delivered_at=0.4),
        stay(0.1, 0.5, group_id="globex", first_delivered_at=0.4, outcome="dead_lettered"),
    ]
    shown = shares(spark, *rows).orderBy("group_id").collect()
    columns = ("group_id", "sent", "acked", "dead_lettered", "bytes_sent")
    assert [tuple(row[name] for name in columns) for row in shown] == [
        ("acme", 4, 1, 0, 40),
        ("globex", 3, 1, 1, 30),
    ]
    assert [row.sent_share for row in shown] == pytest.approx([0.5, 0.375])
    assert [row.processing_share for row in shown] == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"acme": 60, "globex": 40}, set()),
        ({"acme": 91, "globex": 30}, {"acme"}),
        ({"acme": 90, "globex": 30}, set()),
        ({"acme": 40, "globex": 10, "initech": 10}, {"acme"}),
        ({"acme": 29, "globex": 1}, set()),  # too few to disturb anybody
        ({"acme": 500}, set()),  # nobody to disturb
    ],
)
def test_a_noisy_one_sends_three_times_as_much_as_others(spark, sent, expected):
    assert noisy(spark, **sent) == expected


def test_only_the_largest_are_kept_but_all_are_counted(spark):
    numbers = {f"tenant{number:02}": number for number in range(1, MOST_GROUPS + 6)}
    all_of_them = shares(spark, *sent_by(**numbers))
    kept = [row.group_id for row in largest(all_of_them).orderBy("place").collect()]
    assert kept == sorted(numbers, reverse=True)[:MOST_GROUPS]
    assert by_bucket(group_counts(all_of_them), "group_count", "noisy_group_count") == {0: (len(numbers), 0)}
