"""Pausing, resuming, purging and deleting a whole queue."""

import pytest
from django.test import Client
from django.utils import timezone

from queues.models import AuditEntry, Message, Queue
from queues.operations import queues
from queues.operations.receive import receive
from tests.dlq_console.form_filling import errors
from tests.factories import dead_letter, in_flight_message, new_queue, ready_message, ready_messages, reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(queue: Queue) -> str:
    return f"/console/queues/{queue.public_id}/"


def audit() -> list[tuple[str, str, str]]:
    rows = AuditEntry.objects.order_by("id")
    return [(entry.action, entry.queue_name, entry.reason) for entry in rows]


def messages_in(queue: Queue) -> int:
    return Message.objects.filter(queue_id=queue.pk).count()


class TestPause:
    def test_it_stops_deliveries_and_starts_them_again(
        self, operator: Client, queue: Queue, place: str
    ) -> None:
        ready_message(queue)
        operator.post(f"{place}pause/", {"reason": "the gateway is down"})
        assert receive(reloaded(queue)) == []
        operator.post(f"{place}resume/")
        assert len(receive(reloaded(queue))) == 1
        assert audit() == [("queue.paused", "orders", "the gateway is down"), ("queue.resumed", "orders", "")]

    def test_it_goes_back_to_where_one_was(self, operator: Client, place: str) -> None:
        answer = operator.post(f"{place}pause/", {"next": f"{place}settings/"})
        assert (answer.status_code, answer.headers["Location"]) == (303, f"{place}settings/")

    def test_it_goes_to_no_other_site(self, operator: Client, place: str) -> None:
        answer = operator.post(f"{place}pause/", {"next": "//evil.example/"})
        assert answer.headers["Location"] == place

    def test_the_pages_offer_what_can_be_done(self, operator: Client, queue: Queue, place: str) -> None:
        assert "Pause delivery" in operator.get(place).content.decode()
        queues.pause(queue)
        page = operator.get(f"{place}settings/").content.decode()
        assert "Resume delivery" in page
        assert "Pause delivery" not in page

    def test_a_reason_that_is_too_long_changes_nothing(
        self, operator: Client, queue: Queue, place: str
    ) -> None:
        answer = operator.post(f"{place}pause/", {"reason": "x" * 501}, follow=True)
        assert "Must be at most 500 characters long." in answer.content.decode()
        assert not reloaded(queue).paused
        assert audit() == []

    @pytest.mark.parametrize("deed", ["pause", "resume"])
    def test_looking_does_not_do_it(self, operator: Client, place: str, deed: str) -> None:
        assert operator.get(f"{place}{deed}/").status_code == 405


class TestPurge:
    def test_it_says_how_many_messages_there_are(self, owner: Client, queue: Queue, place: str) -> None:
        ready_messages(queue, "a", "b")
        in_flight_message(queue, now=timezone.now())  # the page counts by the true clock
        page = " ".join(owner.get(f"{place}purge/").content.decode().split())
        assert "<strong>3 messages</strong>" in page
        assert "1 of them in the hands of consumers" in page
        assert messages_in(queue) == 3

    def test_it_removes_them_once_the_name_is_typed(self, owner: Client, queue: Queue, place: str) -> None:
        ready_messages(queue, "a", "b")
        answer = owner.post(f"{place}purge/", {"name": "orders", "reason": "test data"}, follow=True)
        assert "2 messages removed for good" in answer.content.decode()
        assert messages_in(queue) == 0
        assert audit() == [("queue.purged", "orders", "test data")]
        assert AuditEntry.objects.get().detail == {"purged": 2}

    @pytest.mark.parametrize(
        ("typed", "field"),
        [
            ({"name": "Orders", "reason": "x"}, "name"),
            ({"reason": "x"}, "name"),
            ({"name": "orders"}, "reason"),
        ],
    )
    @pytest.mark.parametrize("deed", ["purge", "delete"])
    def test_nothing_happens_without_the_name_and_a_reason(
        self, owner: Client, queue: Queue, place: str, deed: str, typed: dict[str, str], field: str
    ) -> None:
        ready_message(queue)
        assert set(errors(owner.post(f"{place}{deed}/", typed))) == {field}
        assert messages_in(reloaded(queue)) == 1
        assert audit() == []


class TestDelete:
    SURE = {"name": "orders", "reason": "no longer needed"}

    def delete(self, client: Client, place: str, **typed: str) -> str:
        answer = client.post(f"{place}delete/", {**self.SURE, **typed}, follow=True)
        assert answer.redirect_chain == [("/console/", 303)]
        return answer.content.decode()

    def test_it_is_gone_at_once(self, owner: Client, queue: Queue, place: str) -> None:
        assert "orders is deleted." in self.delete(owner, place)
        assert not Queue.objects.live().exists()
        assert owner.get(place).status_code == 404
        assert owner.post(f"{place}delete/", self.SURE).status_code == 404
        assert audit() == [("queue.deleted", "orders", "no longer needed")]

    def test_dead_letters_stay_unless_asked_for(self, owner: Client, queue: Queue, place: str) -> None:
        dlq = dead_letter(queue)
        page = " ".join(owner.get(f"{place}delete/").content.decode().split())
        assert f"Delete its dead-letter queue {dlq.name} too, with <strong>1 message</strong>" in page
        assert f"{dlq.name} stays" in self.delete(owner, place)
        assert reloaded(dlq).is_dlq is False
        assert AuditEntry.objects.get().detail == {"with_dlq": False, "kept_dlq": dlq.name}

    def test_they_go_when_asked_for(self, owner: Client, queue: Queue, place: str) -> None:
        dead_letter(queue)
        self.delete(owner, place, with_dlq="on")
        assert not Queue.objects.live().exists()

    def test_an_empty_one_made_for_it_goes_in_any_case(self, owner: Client, team: object) -> None:
        queue = queues.create_with_dlq(team, name="bills")
        page = owner.get(f"/console/queues/{queue.public_id}/delete/").content.decode()
        assert "It is empty, so it goes in any case." in page

    def test_one_that_others_use_is_not_offered(self, owner: Client, queue: Queue, place: str) -> None:
        dlq = dead_letter(queue)
        new_queue(queue.team, name="other", dlq=dlq)
        page = owner.get(f"{place}delete/").content.decode()
        assert 'name="with_dlq"' not in page
        self.delete(owner, place, with_dlq="on")
        assert reloaded(dlq).is_dlq is True

    def test_it_says_whose_dead_letters_it_keeps(self, owner: Client, queue: Queue) -> None:
        dlq = dead_letter(queue)
        page = owner.get(f"/console/queues/{dlq.public_id}/delete/").content.decode()
        assert "It keeps the dead letters of <strong>orders</strong>" in page
