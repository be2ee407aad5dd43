"""The charts of days, from what the Spark job has computed."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlq_console import history_charts
from queues.models import Message, Queue
from tests.factories import NOW, dead_letter, new_queue
from tests.metrics_factories import bucket, error_point, group_point, metrics_point, metrics_run

pytestmark = pytest.mark.django_db
DAY, WEEK = history_charts.SPANS.values()


@pytest.fixture
def address(queue: Queue) -> str:
    return f"/console/queues/{queue.public_id}/"


def text_of(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def series(queue: Queue, code: str, span=DAY) -> list[list[float | None]]:
    drawn = history_charts.drawn(queue, history_charts.history(queue, span, NOW))
    [chart] = [chart for chart in drawn.charts if chart.kind.code == code]
    return chart.series


class TestThePage:
    def test_it_says_how_to_get_history_when_there_is_none(self, viewer, address):
        text = text_of(viewer, f"{address}?history=7d")
        assert "No history yet" in text
        assert "manage.py run_metrics" in text

    def test_the_figures_are_there_without_a_script(self, viewer, queue, address):
        metrics_run(bucket(0))
        metrics_point(queue, bucket(2), depth_max=1_234, processing_p95=0.25)
        text = text_of(viewer, f"{address}?history=1d")
        assert "Highest: 0 at the end, 1,234 at the most" in text
        assert '<td class="num">250 ms</td>' in text

    def test_it_shows_how_old_the_figures_are_and_how_large_a_point_is(self, viewer, queue, address):
        metrics_run(bucket(1))
        text = text_of(viewer, f"{address}?history=1d")
        assert f"up to {bucket(1):%Y-%m-%d %H:%M:%S} UTC; a point is 5 min" in text

    def test_it_shows_the_tenants_and_which_are_noisy(self, viewer, queue, address):
        metrics_run(bucket(0))
        metrics_point(queue, bucket(1), sent=200)
        group_point(queue, "acme<b>", bucket(1), sent=150, noisy=True)
        group_point(queue, "small", bucket(1), sent=9)
        text = text_of(viewer, f"{address}?history=1d")
        assert 'acme&lt;b&gt;</span> <span class="badge badge-warn">noisy</span>' in text
        assert "75 %" in text
        assert "4.5 %" in text

    @pytest.mark.parametrize("history", ["", "30d", "1D", "<script>"])
    def test_a_span_that_is_not_on_offer_means_the_last_hours(self, viewer, address, history):
        assert "No samples yet" in text_of(viewer, f"{address}?history={history}")

    def test_it_does_not_exist_for_strangers(self, stranger, address):
        assert stranger.get(f"{address}?history=1d").status_code == 404
        assert stranger.get(f"{address}chart/?history=1d").status_code == 404

    def test_it_needs_few_statements(self, owner, queue, address):
        metrics_run(bucket(0))
        for back in range(50):
            metrics_point(queue, bucket(back))
            group_point(queue, f"tenant-{back}", bucket(back))
        with CaptureQueriesContext(connection) as statements:
            text_of(owner, f"{address}?history=1d")
        assert len(statements) <= 16

    def test_the_script_gets_series_of_equal_length(self, viewer, queue, address):
        metrics_run(bucket(0, 3_600), bucket_seconds=3_600)
        metrics_point(queue, bucket(1, 3_600), bucket_seconds=3_600)
        answer = viewer.get(f"{address}chart/?history=7d").json()
        assert set(answer["charts"]) == {"depth", "age", "rates", "dead", "delay", "processing"}
        assert len(answer["at"]) in (168, 169)  # the first hour is whole, the last is not over
        assert {len(line) for chart in answer["charts"].values() for line in chart["series"]} == {
            len(answer["at"])
        }


class TestTheSeries:
    def test_a_bucket_without_a_row_was_idle(self, queue):
        metrics_run(bucket(1))
        metrics_point(queue, bucket(2), depth_max=5)
        [most, _] = series(queue, "depth")
        assert most[-3:] == [5, None, None]  # up to the watermark; beyond nobody knows
        assert set(most[:-3]) == {0.0}

    def test_nothing_measured_is_no_figure(self, queue):
        metrics_run(bucket(0))
        metrics_point(queue, bucket(2), processing_p50=0.0, processing_p95=None)
        half, most, _ = series(queue, "processing")
        assert (half[-3], most[-3], half[-2]) == (0.0, None, None)

    def test_an_empty_queue_has_an_age_of_nothing(self, queue):
        metrics_run(bucket(0))
        metrics_point(queue, bucket(2), oldest_age_max_seconds=None)
        assert series(queue, "age")[0][-3] == 0.0

    def test_dead_letters_are_counted_by_the_minute(self, queue):
        metrics_run(bucket(0))
        metrics_point(queue, bucket(1), dead_lettered=10, sent=99)
        assert series(queue, "dead")[0][-2] == 2.0

    def test_what_comes_into_a_dead_letter_queue_has_died(self, queue):
        dlq = dead_letter(queue)
        metrics_run(bucket(0))
        metrics_point(dlq, bucket(1), sent=5, dead_lettered=0)
        assert series(dlq, "dead")[0][-2] == 1.0

    def test_it_draws_nothing_of_other_queues(self, team, queue):
        metrics_run(bucket(0))
        metrics_point(new_queue(team), bucket(1), depth_max=7)
        assert 7 not in series(queue, "depth")[0]

    def test_a_week_is_drawn_by_the_hour(self, queue):
        metrics_run(bucket(0, 3_600), bucket_seconds=3_600)
        metrics_point(queue, bucket(150, 3_600), bucket_seconds=3_600, sent_per_second=2.5)
        assert max(filter(None, series(queue, "rates", WEEK)[0])) == 2.5


class TestTheTrendOfDeadLetters:
    @pytest.fixture
    def dlq(self, queue: Queue) -> Queue:
        return dead_letter(queue)

    def page(self, viewer, dlq: Queue) -> str:
        return text_of(viewer, f"/console/queues/{dlq.public_id}/dead-letters/")

    def fingerprint(self, dlq: Queue) -> str:
        return Message.objects.get(queue_id=dlq.pk).fingerprint

    def test_it_says_what_is_rising(self, viewer, dlq):
        start = bucket(1, 3_600)
        error_point(
            dlq, self.fingerprint(dlq), start, trend="rising", dead_lettered=42, trailing_average=3.25
        )
        error_point(dlq, self.fingerprint(dlq), start - timedelta(hours=1), trend="falling")
        text = self.page(viewer, dlq)
        assert '<span class="badge badge-warn">rising</span>' in text
        assert f"42 in the hour from {start:%H:%M} UTC, 3.3 an hour before" in text
        assert "falling" not in text

    def test_it_says_nothing_before_the_job_has_run_or_of_long_ago(self, viewer, dlq):
        error_point(dlq, self.fingerprint(dlq), bucket(25, 3_600), trend="rising")
        assert "in the hour from" not in self.page(viewer, dlq)
