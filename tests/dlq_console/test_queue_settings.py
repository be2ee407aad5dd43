"""The settings of a queue: only what is changed on the page is changed, and the audit has both sides."""

from typing import Any

import pytest
from django.test import Client

from queues.models import AuditEntry, Queue
from queues.operations import queues
from tests.dlq_console.form_filling import errors, filled, submit
from tests.factories import dead_letter, new_queue, new_team, reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(queue: Queue) -> str:
    return f"/console/queues/{queue.public_id}/settings/"


def test_it_changes_settings(operator: Client, queue: Queue, address: str) -> None:
    answer = submit(operator, address, visibility_timeout="5 min", max_deliveries="7", reason="slow jobs")
    assert (answer.status_code, answer.headers["Location"]) == (303, address)
    assert (reloaded(queue).visibility_timeout, reloaded(queue).max_deliveries) == (300, 7)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.queue, entry.reason) == (
        "queue.changed",
        "oscar",
        queue,
        "slow jobs",
    )
    assert entry.detail == {
        "before": {"visibility_timeout": 30, "max_deliveries": 1},
        "after": {"visibility_timeout": 300, "max_deliveries": 7},
    }


def test_it_shows_what_is_set_so_that_nothing_changes_by_saving(operator: Client, team: Any) -> None:
    queue = new_queue(
        team,
        queue_size=10,
        retention_seconds=90_061,
        max_message_bytes=1_500,
        backoff={"base_seconds": 2.5, "factor": 3, "max_seconds": 60, "jitter": 0.25},
        description="two\nlines ",
        tags={"a:b": ' "c"', "plain": "x: y", "lines": "1\n2"},
        priority_aging_seconds=60,
    )
    before = queues.find(team, queue.public_id)
    answer = submit(operator, f"/console/queues/{queue.public_id}/settings/")
    assert answer.status_code == 303
    assert "Nothing was changed" in operator.get(answer.headers["Location"]).content.decode()
    assert reloaded(queue).updated_at == before.updated_at
    assert not AuditEntry.objects.exists()


def test_what_somebody_else_changed_meanwhile_stays(operator: Client, queue: Queue, address: str) -> None:
    opened = operator.get(address).context["form"]
    queues.update(queue, retention_seconds=86_400, tags={"for": "web"})
    operator.post(address, filled(opened, max_deliveries="7"))
    now = reloaded(queue)
    assert (now.max_deliveries, now.retention_seconds, now.tags) == (7, 86_400, {"for": "web"})


def test_an_empty_field_takes_a_setting_away(operator: Client, queue: Queue, address: str) -> None:
    queues.update(queue, queue_size=5, backoff={"base_seconds": 5}, target_age_seconds=60)
    parts = dict.fromkeys(("base_seconds", "factor", "max_seconds", "jitter"), "")
    backoff = {f"backoff_{part}": value for part, value in parts.items()}
    submit(operator, address, queue_size="", target_age_seconds="", max_deliveries="", **backoff)
    now = reloaded(queue)
    assert (now.queue_size, now.backoff, now.target_age_seconds, now.max_deliveries) == (None,) * 4


def test_what_is_wrong_is_said_beside_its_field(operator: Client, queue: Queue, address: str) -> None:
    found = errors(submit(operator, address, visibility_timeout="99 h", delay_seconds="", reason="x" * 501))
    assert found == {
        "visibility_timeout": ["Must be between 0 and 43200."],
        "delay_seconds": ["This field is required."],
    }
    assert errors(submit(operator, address, max_deliveries="9", reason="x" * 501)) == {
        "reason": ["Must be at most 500 characters long."]
    }
    assert reloaded(queue).max_deliveries == 1


def test_what_two_changes_make_together_is_judged_by_what_is_stored(
    operator: Client, queue: Queue, address: str
) -> None:
    opened = operator.get(address).context["form"]
    queues.update(queue, retention_seconds=60)
    answer = operator.post(address, filled(opened, delay_seconds="61"))
    assert errors(answer) == {"delay_seconds": ["Must be less than retention_seconds."]}


def test_name_and_mode_stay(operator: Client, queue: Queue, address: str) -> None:
    submit(operator, address, name="other", mode="fifo", paused="on", max_deliveries="2")
    now = reloaded(queue)
    assert (now.name, now.mode, now.paused, now.max_deliveries) == ("orders", "standard", False, 2)


class TestItsDeadLetterQueue:
    def choices(self, client: Client, address: str) -> list[str]:
        return [words for _, words in client.get(address).context["form"].fields["dlq"].choices]

    def test_it_offers_queues_that_could_be_it(self, operator: Client, queue: Queue, address: str) -> None:
        new_queue(queue.team, name="letters")
        queues.create_with_dlq(queue.team, name="has-its-own")
        new_queue(new_team(), name="of-strangers")
        expected = ["Made when the first message dies", "has-its-own-dlq", "letters"]
        assert self.choices(operator, address) == expected

    def test_another_can_be_named(self, operator: Client, queue: Queue, address: str) -> None:
        letters = new_queue(queue.team, name="letters")
        submit(operator, address, dlq=letters.public_id)
        assert reloaded(queue).dlq == letters
        assert AuditEntry.objects.get().detail == {"before": {"dlq": None}, "after": {"dlq": "letters"}}

    def test_the_one_made_for_it_is_kept_when_nothing_is_said(
        self, operator: Client, queue: Queue, address: str
    ) -> None:
        dlq = dead_letter(queue)
        submit(operator, address, max_deliveries="2")
        assert (reloaded(queue).dlq, reloaded(queue).dlq_is_lazy) == (dlq, True)

    def test_a_strangers_queue_cannot_be_slipped_in(
        self, operator: Client, queue: Queue, address: str
    ) -> None:
        other = new_queue(new_team(), name="of-strangers")
        assert set(errors(submit(operator, address, dlq=other.public_id))) == {"dlq"}

    def test_a_dead_letter_queue_has_none_to_set(self, operator: Client, queue: Queue) -> None:
        address = f"/console/queues/{dead_letter(queue).public_id}/settings/"
        form = operator.get(address).context["form"]
        assert not {"dlq", "max_deliveries"} & set(form.fields)
        assert submit(operator, address, retention_seconds="30 days").status_code == 303


class TestPreview:
    def test_it_tells_what_would_be_and_changes_nothing(
        self, operator: Client, queue: Queue, address: str
    ) -> None:
        answer = submit(operator, address, to=f"{address}preview/", max_deliveries="9")
        assert "delivered 9 times" in answer.content.decode()
        assert reloaded(queue).max_deliveries == 1
        assert not AuditEntry.objects.exists()

    def test_for_htmx_it_is_the_part(self, operator: Client, address: str) -> None:
        data = filled(operator.get(address).context["form"], retention_seconds="1")
        text = operator.post(f"{address}preview/", data, HTTP_HX_REQUEST="true").content.decode()
        assert "<html" not in text
        assert "Must be between 60 and 31536000." in text


class TestViewers:
    def test_they_look_at_the_settings(self, viewer: Client, address: str) -> None:
        page = viewer.get(address).content.decode()
        assert "Your role lets you look at the settings" in page
        assert '<fieldset class="bare stack" disabled>' in page

    def test_they_are_offered_nothing(self, viewer: Client, address: str) -> None:
        page = viewer.get(address).content.decode()
        for words in ("Save the settings", "Pause delivery", "Purge", "Delete…", "New queue", "hx-post"):
            assert words not in page

    def test_operators_are_not_offered_what_owners_may(self, operator: Client, address: str) -> None:
        page = operator.get(address).content.decode()
        assert "Pause delivery" in page
        assert "Purge" not in page


def test_hostile_text_is_shown_as_text(owner: Client, queue: Queue, address: str) -> None:
    hostile = "</textarea><script>alert(1)</script>\u202e"
    Queue.objects.filter(pk=queue.pk).update(description=hostile, tags={hostile: hostile}, name=hostile)
    page = owner.get(address).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧" in page
