"""The history of a queue, as the job has written it."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from queues import limits
from queues.api.serializers.metrics import MetricsHistory, MetricsPoint
from queues.models import Queue
from tests.factories import NOW, new_queue
from tests.metrics_factories import bucket, group_point, metrics_point, metrics_run
from tests.queues.api.caller import Caller, assert_problem


@pytest.fixture
def metrics(address: str) -> str:
    return f"{address}/metrics"


def asked(caller: Caller, path: str, **query: Any) -> dict[str, Any]:
    response = caller.get(path, **query)
    assert response.status_code == 200, response.content
    return dict(response.json())


def written(moment: Any) -> str:
    return moment.isoformat().replace("+00:00", "Z")


class TestTheAnswer:
    def test_it_shows_the_buckets_oldest_first(self, owner: Caller, queue: Queue, metrics: str) -> None:
        metrics_point(queue, bucket(1), sent=7, processing_p95=1.5, processing_count=3)
        metrics_point(queue, bucket(3), sent=5, depth=2, oldest_age_seconds=9.5)
        history = asked(owner, metrics, bucket=300)
        assert [point["sent"] for point in history["points"]] == [5, 7]
        older, newer = history["points"]
        assert (older["depth"], older["oldest_age_seconds"]) == (2, 9.5)
        assert newer["processing"] == {
            "count": 3, "p50": None, "p90": None, "p95": 1.5, "p99": None, "max": None,
        }  # fmt: skip

    def test_it_says_how_far_the_job_has_got(self, owner: Caller, metrics: str) -> None:
        metrics_run(bucket(1))
        history = asked(owner, metrics, bucket=300)
        assert history["computed_until"].startswith(bucket(1).isoformat()[:19])
        assert history["computed_at"] > history["computed_until"]

    def test_it_says_when_the_job_has_never_run(self, owner: Caller, metrics: str) -> None:
        metrics_run(status="failed")
        history = asked(owner, metrics, bucket=300)
        assert (history["computed_until"], history["points"], history["groups"]) == (None, [], [])

    def test_it_is_written_as_the_schema_says(self, owner: Caller, queue: Queue, metrics: str) -> None:
        metrics_point(queue, bucket(1))
        history = asked(owner, metrics, bucket=300)
        assert set(history) == set(MetricsHistory().fields)
        assert set(history["points"][0]) == set(MetricsPoint().fields)

    def test_it_may_be_kept_for_a_moment_by_the_caller_only(self, owner: Caller, metrics: str) -> None:
        assert owner.get(metrics)["Cache-Control"] == "private, max-age=30"

    def test_it_shows_nothing_of_other_queues(self, owner: Caller, queue: Queue, metrics: str) -> None:
        metrics_point(new_queue(queue.team), bucket(1))
        group_point(new_queue(queue.team), "acme", bucket(1))
        history = asked(owner, metrics, bucket=300)
        assert (history["points"], history["groups"]) == ([], [])

    def test_it_costs_no_more_statements_for_more_points(
        self, owner: Caller, queue: Queue, metrics: str
    ) -> None:
        metrics_point(queue, bucket(1))
        with CaptureQueriesContext(connection) as few:
            asked(owner, metrics, bucket=300)
        for back in range(2, 100):
            metrics_point(queue, bucket(back))
        with CaptureQueriesContext(connection) as many:
            asked(owner, metrics, bucket=300)
        assert len(many) <= len(few)  # the first call also notes that the key was used


class TestGroups:
    def test_it_adds_up_the_tenants(self, owner: Caller, queue: Queue, metrics: str) -> None:
        for back in (1, 2):
            metrics_point(queue, bucket(back), sent=100)
            group_point(queue, "acme", bucket(back), sent=70, noisy=back == 2)
            group_point(queue, "small", bucket(back), sent=30)
        [first, second] = asked(owner, metrics, bucket=300)["groups"]
        assert (first["group_id"], first["sent"], first["sent_share"], first["noisy"]) == (
            "acme",
            140,
            0.7,
            True,
        )
        assert (second["group_id"], second["noisy"]) == ("small", False)

    def test_it_shows_the_largest_only(self, owner: Caller, queue: Queue, metrics: str) -> None:
        for number in range(25):
            group_point(queue, f"tenant-{number}", bucket(1), sent=number)
        groups = asked(owner, metrics, bucket=300)["groups"]
        assert [group["group_id"] for group in groups[:2]] == ["tenant-24", "tenant-23"]
        assert len(groups) == 20


class TestTheSpan:
    def test_it_is_the_last_day_unless_told_otherwise(
        self, owner: Caller, queue: Queue, metrics: str
    ) -> None:
        for hours in (23, 25):
            metrics_point(queue, bucket(hours * 60, 60), bucket_seconds=60, sent=hours)
        history = asked(owner, metrics)
        assert history["bucket_seconds"] == 60
        assert [point["sent"] for point in history["points"]] == [23]

    def test_it_begins_with_the_bucket_that_holds_the_moment(
        self, owner: Caller, queue: Queue, metrics: str
    ) -> None:
        metrics_point(queue, bucket(2))
        moment = bucket(2) + timedelta(seconds=299)
        history = asked(owner, metrics, bucket=300, **{"from": written(moment)})
        assert len(history["points"]) == 1
        assert history["from"] == written(bucket(2)).replace("Z", ".000000Z")

    def test_it_ends_before_the_moment(self, owner: Caller, queue: Queue, metrics: str) -> None:
        metrics_point(queue, bucket(2))
        span = {"from": written(bucket(4)), "to": written(bucket(2))}
        assert asked(owner, metrics, bucket=300, **span)["points"] == []

    def test_long_spans_have_large_buckets(self, owner: Caller, metrics: str) -> None:
        week, month = (written(NOW - timedelta(days=days)) for days in (7, 30))
        until = written(NOW)
        assert asked(owner, metrics, **{"from": week}, to=until)["bucket_seconds"] == 300
        assert asked(owner, metrics, **{"from": month}, to=until)["bucket_seconds"] == 3600


class TestBadInput:
    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ({"bucket": "61"}, "bucket"),
            ({"bucket": "x"}, "bucket"),
            ({"from": "yesterday"}, "from"),
            ({"to": "2026-13-01T00:00:00Z"}, "to"),
            ({"from": "0001-01-01T00:00:00+10:00"}, "from"),
            ({"from": "2026-11-18T00:00:00Z", "to": "2026-11-18T00:00:00Z"}, "to"),
            ({"from": "2026-11-11T00:00:00Z", "to": "2026-11-18T00:00:01Z", "bucket": "300"}, "bucket"),
            ({"from": "0001-01-01T00:00:00Z"}, "bucket"),
            ({"to": "0001-01-01T00:00:00Z"}, "to"),
            ({"since": "2026-11-18T00:00:00Z"}, "since"),
        ],
    )
    def test_it_names_the_field(self, owner: Caller, metrics: str, query: dict[str, str], field: str) -> None:
        assert_problem(owner.get(metrics, **query), 400, "invalid_request", field)

    def test_as_many_points_as_allowed_are_allowed(self, owner: Caller, metrics: str) -> None:
        since = NOW - timedelta(seconds=60 * limits.METRIC_POINTS)
        span = {"from": written(since), "to": written(NOW)}
        assert asked(owner, metrics, bucket=60, **span)["bucket_seconds"] == 60
