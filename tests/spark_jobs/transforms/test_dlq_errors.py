from spark_jobs.transforms.dlq_errors import deaths, with_trend
from tests.spark_jobs.frames import FIRST, queues, stay, stays, window

DEATHS = "queue_id long, bucket long, fingerprint string, error_type string, dead_lettered long"


def test_it_counts_those_that_came_into_a_dead_letter_queue_by_what_killed_them(spark):
    died = {"fingerprint": "a", "error_type": "Timeout"}
    rows = [
        stay(0.1, **died),
        stay(0.2, 9, outcome="redriven", **died),
        stay(1.5, **died),
        stay(-5, **died),  # died before the window
        stay(0.3, fingerprint="b"),
        stay(0.3),  # somebody sent it there
        stay(0.3, queue_id=2, **died),  # failed once, and lives
    ]
    dlq = queues(spark, {"id": 1, "is_dlq": True}, {"id": 2})
    shown = deaths(stays(spark, *rows), dlq, window()).orderBy("bucket", "fingerprint").collect()
    assert [tuple(row) for row in shown] == [
        (1, FIRST, "a", "Timeout", 2),
        (1, FIRST, "b", None, 1),
        (1, FIRST + 60, "a", "Timeout", 1),
    ]


def test_it_compares_with_the_buckets_before(spark):
    def died(minute: int, number: int, fingerprint: str = "a") -> tuple[int, int, str, str, int]:
        return (1, FIRST + 60 * minute, fingerprint, "Timeout", number)

    earlier = [died(-24, 24), died(-25, 1_000), died(-3, 24, "b")]
    now = [died(0, 5), died(1, 1), died(2, 1), died(0, 1, "b"), died(1, 1, "c")]
    frame = with_trend(spark.createDataFrame(now, DEATHS), spark.createDataFrame(earlier, DEATHS), window())
    shown = frame.orderBy("fingerprint", "bucket").collect()
    assert [
        (row.fingerprint, row.dead_lettered, round(row.trailing_average * 24), row.trend) for row in shown
    ] == [
        ("a", 5, 24, "rising"),
        ("a", 1, 5, "rising"),  # those of 24 minutes ago are forgotten
        ("a", 1, 6, "rising"),
        ("b", 1, 24, "steady"),
        ("c", 1, 0, "new"),
    ]


def test_it_sees_that_something_gets_better(spark):
    before = [(1, FIRST - 60, "a", None, 240)]
    frame = with_trend(
        spark.createDataFrame([(1, FIRST, "a", None, 4)], DEATHS),
        spark.createDataFrame(before, DEATHS),
        window(),
    )
    assert [row.trend for row in frame.collect()] == ["falling"]
