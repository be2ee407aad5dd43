import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlq_console import plain_words
from queues.models import Queue, QueueSample
from queues.operations import queues, samples
from tests.factories import dead_letter, in_flight_message, new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(queue: Queue) -> str:
    return f"/console/queues/{queue.public_id}/"


def text_of(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_it_does_not_exist_for_strangers(stranger, address):
    assert stranger.get(address).status_code == 404
    assert stranger.get(f"{address}chart/").status_code == 404


def test_a_queue_that_is_not_there_is_a_page_that_says_what_to_do(owner):
    response = owner.get("/console/queues/q_nothing/")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "Go to your queues" in response.content.decode()


def test_it_counts_without_delivering(viewer, queue, address):
    ready_message(queue)
    delivery = in_flight_message(queue)
    assert "Oldest waits" in text_of(viewer, address)
    assert delivery.delivery_count == 1


def test_it_needs_no_more_statements_for_more_queues(owner, team, address):
    for _ in range(20):
        new_queue(team)
    with CaptureQueriesContext(connection) as statements:
        text_of(owner, address)
    assert len(statements) <= 14


def test_hostile_text_is_shown_as_text(owner, queue, address):
    Queue.objects.filter(pk=queue.pk).update(
        description="</p><script>alert(1)</script>\u202e", tags={"<b>": "<i>\u200b"}
    )
    text = text_of(owner, address)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧" in text
    assert "&lt;b&gt;: &lt;i&gt;⟦U+200B⟧" in text


def test_it_links_a_dead_letter_queue_with_its_sources(viewer, queue):
    dlq = dead_letter(queue)
    assert f"/console/queues/{queue.public_id}/" in text_of(viewer, f"/console/queues/{dlq.public_id}/")


class TestTabs:
    def test_one_leads_to_the_dead_letters_of_the_queue(self, viewer, queue, address):
        dlq = dead_letter(queue)
        assert f'href="/console/queues/{dlq.public_id}/dead-letters/"' in text_of(viewer, address)

    def test_dead_letters_are_found_after_the_queue_they_died_in_is_gone(self, viewer, queue):
        """Nothing points there any more, so it is an ordinary queue; its letters still wait for somebody."""
        dlq = dead_letter(queue)
        queues.delete(queue)
        text = text_of(viewer, f"/console/queues/{dlq.public_id}/")
        assert f'href="/console/queues/{dlq.public_id}/dead-letters/"' in text
        assert f'href="/console/queues/{dlq.public_id}/redrives/"' in text

    def test_where_nothing_died_yet_it_says_so(self, viewer, address):
        assert f'href="{address}dead-letters/"' in text_of(viewer, address)
        assert "No dead letters" in text_of(viewer, f"{address}dead-letters/")


class TestActions:
    def test_viewers_have_none(self, viewer, address):
        assert "Pause delivery" not in text_of(viewer, address)


class TestCharts:
    def test_the_figures_are_in_the_page_without_a_script(self, viewer, queue, address):
        ready_message(queue)
        samples.take()
        text = text_of(viewer, address)
        assert "Held: 1 now, 1 at the most" in text
        assert "Sampled" in text

    def test_it_says_when_nobody_has_looked_yet(self, viewer, address):
        assert "No samples yet" in text_of(viewer, address)

    def test_the_script_gets_series_of_equal_length(self, viewer, queue, address):
        samples.take()
        answer = viewer.get(f"{address}chart/?minutes=360").json()
        assert answer["sampled_at"] is not None
        assert answer["step_seconds"] == 180
        lengths = {len(series) for chart in answer["charts"].values() for series in chart["series"]}
        assert lengths == {len(answer["at"])}

    @pytest.mark.parametrize("minutes", ["", "0", "abc", "-5", "999999999999", "²"])
    def test_a_span_that_is_not_on_offer_means_the_shortest(self, viewer, address, minutes):
        assert len(viewer.get(f"{address}chart/", {"minutes": minutes}).json()["at"]) == 120

    def test_it_draws_nothing_of_other_queues(self, viewer, team, queue, address):
        other = new_queue(team)
        ready_message(other)
        samples.take()
        assert QueueSample.objects.count() == 2
        depths = viewer.get(f"{address}chart/").json()["charts"]["depth"]["series"][0]
        assert max(filter(None, depths), default=0) == 0


class TestPlainWords:
    def test_it_tells_how_a_message_fares(self):
        queue = new_queue(
            max_deliveries=5,
            queue_size=1_000,
            delay_seconds=10,
            target_age_seconds=300,
            backoff={"base_seconds": 30, "factor": 2, "max_seconds": 600, "jitter": 0},
        )
        assert plain_words.sentences(queue) == [
            "It takes 1,000 messages of up to 256 KiB; further ones are refused.",
            "A message waits 10 s before its first delivery.",
            "Messages are delivered by priority, oldest first. A consumer has 30 s to finish a message "
            "before it is delivered again.",
            "A message is delivered 5 times at the most, 30 s apart, growing to 4 min, then moved to "
            "a dead-letter queue and kept there for 14 d.",
            "What nobody finishes is removed after 4 d.",
            "No message should wait longer than 5 min.",
        ]

    def test_it_names_the_dead_letter_queue(self):
        queue = new_queue(max_deliveries=1)
        dlq = dead_letter(queue)
        expected = f"delivered once, then moved to the dead-letter queue {dlq.name} and kept"
        assert expected in " ".join(plain_words.sentences(reloaded(queue)))
        assert "It keeps dead letters" in " ".join(plain_words.sentences(dlq))
