"""Advice on the page of a queue, and taking it."""

import ast
from pathlib import Path

import pytest

from dlq_console.advice_words import FIGURES, worded
from queues.models import AuditEntry, Queue
from queues.operations import queues
from queues.operations.advice import advice
from tests.factories import new_queue, reloaded
from tests.metrics_factories import advice_for

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
BUTTON = "Apply this setting"


@pytest.fixture
def address(queue: Queue) -> str:
    return f"/console/queues/{queue.public_id}/"


def text_of(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def apply(client, queue: Queue, **values):
    posted = {"kind": "visibility_timeout", "seen": "30", "suggested": "60", **values}
    return client.post(f"/console/queues/{queue.public_id}/advice/apply/", posted, follow=True)


class TestTheCard:
    def test_it_says_where_advice_comes_from_when_there_is_none(self, viewer, address):
        assert "manage.py run_metrics" in text_of(viewer, address)

    def test_it_words_the_advice_and_its_figures(self, viewer, queue, address):
        advice_for(queue, figures={"processing_p99": 0.25, "drain_rate": 2.5, "depth": 4.0, "<b>": "<i>"})
        text = text_of(viewer, address)
        assert "Give consumers 60 s to finish a message, instead of 30 s." in text
        assert "High confidence: many messages. Seen: 12,345 messages from" in text
        assert "<dt>99 % take no longer than</dt><dd>250 ms</dd>" in text
        assert "<dt>Finished in a second</dt><dd>2.5</dd>" in text
        assert "<dt>Messages in the queue</dt><dd>4</dd>" in text
        assert "<dt>&lt;b&gt;</dt><dd>&lt;i&gt;</dd>" in text

    def test_what_is_fine_is_folded(self, viewer, queue, address):
        advice_for(queue, status="ok", suggested_value=30.0)
        text = text_of(viewer, address)
        assert "Nothing to change." in text
        assert "<summary>1 thing is fine</summary>" in text
        assert "Consumers have 30 s to finish a message. That suits how long they take." in text

    def test_those_who_manage_queues_have_a_button(self, operator, queue, address):
        advice_for(queue)
        assert f"{BUTTON}: 60 s" in text_of(operator, address)

    def test_viewers_have_none(self, viewer, queue, address):
        advice_for(queue)
        assert BUTTON not in text_of(viewer, address)

    @pytest.mark.parametrize(
        ("kind", "values"),
        [
            ("visibility_timeout", {"status": "ok", "suggested_value": 30.0}),
            ("workers", {"current_value": 2.0, "suggested_value": 5.0}),
            ("lease_expiry", {"status": "warning", "current_value": 0.2, "suggested_value": None}),
        ],
    )
    def test_there_is_nothing_to_apply_where_no_setting_would_change(
        self, owner, queue, address, kind, values
    ):
        advice_for(queue, kind, **values)
        assert BUTTON not in text_of(owner, address)

    def test_it_says_when_the_setting_was_changed_since(self, owner, queue, address):
        advice_for(queue)
        queues.update(queue, visibility_timeout=45)
        text = text_of(owner, address)
        assert "The setting has been changed since this was looked at." in text
        assert BUTTON not in text

    def test_every_kind_has_words(self, queue):
        for kind, current, suggested in (
            ("visibility_timeout", 30.0, 60.0),
            ("max_deliveries", None, 5.0),
            ("high_water_mark", None, 5_000.0),
            ("workers", 0.4, 4.0),
            ("drain_workers", 1.0, 9.0),
            ("lease_expiry", 0.125, None),
            ("retention_risk", 0.97, None),
            ("expiry_forecast", 7_200.0, None),
        ):
            advice_for(queue, kind, status="warning", current_value=current, suggested_value=suggested)
        assert {one.found.kind: worded(one).sentence for one in advice(queue)} == {
            "visibility_timeout": "Give consumers 60 s to finish a message, instead of 30 s.",
            "max_deliveries": "Deliver a message 5 times before it is dead. Now: without an end.",
            "high_water_mark": "Let it hold 5,000 messages at the most, instead of any number of messages. "
            "Further ones are then refused.",
            "workers": "4 consumers would keep up with what arrives. Busy on average: 0.4 consumers.",
            "drain_workers": "9 consumers would also drain what waits, within the target age. "
            "Busy on average: 1 consumer.",
            "lease_expiry": "12 % of the deliveries ended because the time to finish was over.",
            "retention_risk": "The oldest message has used 97 % of the time for which messages are kept.",
            "expiry_forecast": "A message that arrives now waits for about 2 h: it may expire before "
            "anybody takes it.",
        }

    def test_it_says_what_was_lost(self, queue):
        advice_for(
            queue, "retention_risk", status="critical", current_value=0.02, figures={"expired": 1234.0}
        )
        [one] = advice(queue)
        assert worded(one).sentence.startswith("Expired before anybody finished them: 1,234. ")

    def test_the_figures_of_the_job_have_words(self):
        """Its rules are read, not run: that takes a Spark."""
        rules = ast.parse((ROOT / "spark_jobs" / "transforms" / "advice.py").read_text())
        figures = [
            node.value for node in ast.walk(rules) if isinstance(node, ast.keyword) and node.arg == "figures"
        ]
        named = {key.value for figure in figures if isinstance(figure, ast.Dict) for key in figure.keys}
        assert "processing_p99" in named
        assert named <= set(FIGURES)


class TestApplying:
    def test_it_changes_the_setting(self, operator, queue):
        advice_for(queue)
        text = apply(operator, queue).content.decode()
        assert reloaded(queue).visibility_timeout == 60
        assert "visibility_timeout is 60 now" in text
        assert "as advised" in text

    def test_it_is_audited_with_the_figures(self, operator, queue):
        advice_for(queue, figures={"processing_p99_seconds": 30.0})
        apply(operator, queue)
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.actor, entry.queue_name) == ("queue.changed", "oscar", "orders")
        assert entry.detail == {
            "before": {"visibility_timeout": 30},
            "after": {"visibility_timeout": 60},
            "advice": "visibility_timeout",
            "confidence": "high",
            "sample_size": 12_345,
            "figures": {"processing_p99_seconds": 30.0},
        }

    def test_a_bound_can_be_set_where_there_was_none(self, operator, queue):
        advice_for(queue, "high_water_mark", current_value=None, suggested_value=4_999.2)
        apply(operator, queue, kind="high_water_mark", seen="", suggested="5000")
        assert reloaded(queue).queue_size == 5_000

    def test_it_goes_back_to_the_same_page(self, operator, queue, address):
        advice_for(queue)
        response = apply(operator, queue, next=f"{address}?history=7d")
        assert response.redirect_chain == [(f"{address}?history=7d", 303)]

    def refused(self, client, queue, **values) -> None:
        before = reloaded(queue)
        text = apply(client, queue, **values).content.decode()
        assert "has changed since you looked: nothing was changed" in text
        after = reloaded(queue)
        assert (after.visibility_timeout, after.queue_size) == (before.visibility_timeout, before.queue_size)
        assert not AuditEntry.objects.exists()

    def test_it_is_refused_when_the_setting_was_changed_meanwhile(self, operator, queue):
        advice_for(queue)
        queues.update(queue, visibility_timeout=45)
        self.refused(operator, queue)

    def test_it_is_refused_when_the_advice_is_another_by_now(self, operator, queue):
        advice_for(queue, suggested_value=90.0)
        self.refused(operator, queue)

    def test_it_is_refused_when_the_advice_is_gone(self, operator, queue):
        self.refused(operator, queue)

    @pytest.mark.parametrize(
        "values",
        [
            {"kind": "workers"},
            {"kind": "nonsense"},
            {"suggested": "many"},
            {"suggested": ""},
            {"seen": "\x00"},
        ],
    )
    def test_it_is_refused_when_the_form_says_something_else(self, operator, queue, values):
        advice_for(queue)
        advice_for(queue, "workers", current_value=30.0, suggested_value=60.0)
        self.refused(operator, queue, **values)

    def test_a_value_beyond_the_limits_is_refused(self, operator, queue):
        advice_for(queue, suggested_value=99_999.0)
        text = apply(operator, queue, suggested="99999").content.decode()
        assert "Must be between 0 and 43200." in text
        assert (reloaded(queue).visibility_timeout, AuditEntry.objects.exists()) == (30, False)

    def test_viewers_may_not(self, viewer, queue):
        advice_for(queue)
        assert apply(viewer, queue).status_code == 403

    def test_it_does_not_exist_for_strangers(self, stranger, queue):
        advice_for(queue)
        assert apply(stranger, queue).status_code == 404

    def test_another_queues_advice_is_not_applied_here(self, operator, team, queue):
        advice_for(new_queue(team))
        self.refused(operator, queue)

    def test_looking_at_the_address_does_nothing(self, operator, queue):
        response = operator.get(f"/console/queues/{queue.public_id}/advice/apply/")
        assert response.status_code == 405
