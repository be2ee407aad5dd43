"""A team makes its own queue: the form, the preview, the key, and what the audit has of it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dlq_console import presets
from queues.errors import Invalid
from queues.models import ApiKey, AuditEntry, Membership, Queue, Role, Team
from queues.operations import keys, queue_settings, queues
from tests.dlq_console.conftest import browser_of, new_person
from tests.dlq_console.form_filling import errors, filled, submit
from tests.factories import dead_letter, new_queue, new_team

pytestmark = pytest.mark.django_db

NEW = "/console/queues/new/"
PREVIEW = f"{NEW}preview/"
HTMX = {"HTTP_HX_REQUEST": "true"}


def create(client: Client, preset: str = "work", **typed: Any) -> Any:
    return submit(client, f"{NEW}?preset={preset}", **{"name": "invoices", **typed})


def made() -> Queue:
    return Queue.objects.select_related("dlq", "team").get(name="invoices")


class TestTheForm:
    def test_it_is_where_the_empty_overview_leads(self, operator: Client) -> None:
        assert f'href="{NEW}"' in operator.get("/console/").content.decode()
        assert operator.get(NEW).status_code == 200

    def test_the_only_team_is_chosen_already(self, operator: Client, team: Team) -> None:
        page = operator.get(NEW).content.decode()
        assert '<input type="hidden" name="team" value="payments"' in page

    def test_it_offers_the_teams_in_which_one_may_create(self, team: Team) -> None:
        user = new_person("many", team, Role.OPERATOR)
        Membership.objects.create(user=user, team=new_team("shipping"), role=Role.OWNER)
        Membership.objects.create(user=user, team=new_team("watched"), role=Role.VIEWER)
        form = browser_of(user).get(NEW).context["form"]
        assert [name for name, _ in form.fields["team"].choices] == ["payments", "shipping"]

    def test_a_team_one_only_watches_cannot_be_slipped_in(self, team: Team) -> None:
        user = new_person("many", team, Role.OPERATOR)
        Membership.objects.create(user=user, team=new_team("watched"), role=Role.VIEWER)
        new_team("strange")
        for name in ("watched", "strange", "nothing"):
            assert "team" in errors(create(browser_of(user), team=name))
        assert not Queue.objects.exists()

    def test_it_shows_the_quota(self, operator: Client, team: Team) -> None:
        new_queue(team)
        assert "payments has 1 of 1,000 queues" in " ".join(operator.get(NEW).content.decode().split())

    def test_it_folds_away_what_few_need(self, operator: Client) -> None:
        assert re.search(r'<details class="fold" >\s*<summary>More', operator.get(NEW).content.decode())


class TestCreating:
    def test_it_makes_the_queue_and_its_dead_letter_queue(self, operator: Client, team: Team) -> None:
        answer = create(operator, description="Bills\r\nof the shop", tags="cost: 42\nfor: web")
        queue = made()
        assert answer.status_code == 303
        assert answer.headers["Location"] == f"/console/queues/{queue.public_id}/connect/"
        assert (queue.team, queue.dlq.name, queue.dlq.is_dlq) == (team, "invoices-dlq", True)
        assert (queue.description, queue.tags) == ("Bills\nof the shop", {"cost": "42", "for": "web"})
        assert "invoices is ready." in operator.get(answer.headers["Location"]).content.decode()

    def test_it_reads_lengths_of_time_and_sizes(self, operator: Client) -> None:
        create(
            operator,
            retention_seconds="4 days",
            visibility_timeout="90",
            delay_seconds="1 h 30 min",
            max_message_bytes="1 MiB",
            target_age_seconds="15m",
        )
        queue = made()
        assert (queue.retention_seconds, queue.visibility_timeout) == (345_600, 90)
        assert (queue.delay_seconds, queue.max_message_bytes) == (5_400, 1_048_576)
        assert queue.target_age_seconds == 900

    def test_it_takes_the_backoff(self, operator: Client) -> None:
        create(
            operator,
            backoff_base_seconds="10 s",
            backoff_factor="1.5",
            backoff_max_seconds="",
            allow_edit="on",
        )
        assert made().backoff == {"base_seconds": 10, "factor": 1.5, "max_seconds": 43_200, "jitter": 0.0}
        assert made().allow_edit is True

    def test_without_a_first_pause_there_is_none(self, operator: Client) -> None:
        empty = dict.fromkeys(("base_seconds", "factor", "max_seconds", "jitter"), "")
        create(operator, **{f"backoff_{part}": value for part, value in empty.items()})
        assert made().backoff is None

    def test_it_names_the_dead_letter_queue_as_asked(self, operator: Client) -> None:
        create(operator, dlq_name="bad-invoices", max_deliveries="1")
        assert made().dlq.name == "bad-invoices"
        assert dead_letter(made()).name == "bad-invoices"

    def test_it_makes_none_for_messages_that_never_die(self, operator: Client) -> None:
        create(operator, max_deliveries="")
        assert (made().max_deliveries, made().dlq) == (None, None)

    @pytest.mark.parametrize("preset", presets.offered(), ids=lambda preset: preset.code)
    def test_a_preset_makes_what_it_says(self, operator: Client, preset: presets.Preset) -> None:
        assert create(operator, preset=preset.code).status_code == 303
        chosen = queue_settings.readable(made())
        for name, value in preset.settings.items():
            part = {key: chosen[name][key] for key in value} if name == "backoff" else chosen[name]
            assert part == value
        assert made().mode == preset.mode

    def test_the_audit_has_it_with_its_settings(self, operator: Client) -> None:
        create(operator, visibility_timeout="2 min", tags="for: web")
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.actor, entry.queue, entry.queue_name) == (
            "queue.created",
            "oscar",
            made(),
            "invoices",
        )
        assert entry.detail["dlq"] == "invoices-dlq"
        assert entry.detail["settings"]["visibility_timeout"] == 120
        assert entry.detail["settings"]["tags"] == {"for": "web"}


class TestWhatIsRefused:
    """Every message is the one that the API gives, because the same function gives it."""

    @pytest.mark.parametrize(
        ("field", "typed", "asked"),
        [
            ("retention_seconds", "1 s", {"retention_seconds": 1}),
            ("visibility_timeout", "13 h", {"visibility_timeout": 46_800}),
            ("max_deliveries", "0", {"max_deliveries": 0}),
            ("queue_size", "9" * 20, {"queue_size": int("9" * 20)}),
            ("max_message_bytes", "1", {"max_message_bytes": 1}),
            ("delay_seconds", "4 days", {"delay_seconds": 345_600, "retention_seconds": 345_600}),
            ("backoff_factor", "11", {"backoff": {"base_seconds": 30, "factor": 11}}),
            ("backoff_max_seconds", "1", {"backoff": {"base_seconds": 30, "max_seconds": 1}}),
            ("backoff_base_seconds", "", {"backoff": {"factor": 1}}),
            ("tags", "a" * 129 + ": b", {"tags": {"a" * 129: "b"}}),
            ("description", "x" * 2_001, {"description": "x" * 2_001}),
            ("priority_aging_seconds", "0", {"priority_aging_seconds": 0}),
            ("name", "no spaces", {"name": "no spaces"}),
            ("dlq_name", "no spaces", {"name": "no spaces"}),
        ],
    )
    def test_it_is_said_beside_its_field_in_the_words_of_the_operation(
        self, operator: Client, team: Team, field: str, typed: str, asked: dict[str, Any]
    ) -> None:
        with pytest.raises(Invalid) as refused:
            queues.create(team, **{"name": "invoices", **asked})
        answer = create(operator, **{field: typed})
        assert errors(answer) == {field: [refused.value.message]}
        assert not Queue.objects.exists()

    @pytest.mark.parametrize(
        ("typed", "words"),
        [
            ({"retention_seconds": "a while"}, "for example 30 s, 15 min or 4 days"),
            ({"retention_seconds": ""}, "This field is required."),
            ({"max_message_bytes": "1 parsec"}, "for example 256 KiB or 1 MiB"),
            ({"max_deliveries": "five"}, "Enter a whole number."),
            ({"tags": "no colon"}, "Line 1: write it as key: value."),
            ({"name": ""}, "This field is required."),
            ({"backoff_jitter": "nan"}, "Enter a number."),
        ],
    )
    def test_what_cannot_be_read_says_how_to_write_it(
        self, operator: Client, typed: dict[str, str], words: str
    ) -> None:
        [[message]] = errors(create(operator, **typed)).values()
        assert words in message
        assert not Queue.objects.exists()

    def test_everything_that_is_wrong_is_said_at_once(self, operator: Client) -> None:
        found = errors(create(operator, name="a b", retention_seconds="1", queue_size="0", delay_seconds="x"))
        assert set(found) == {"name", "retention_seconds", "queue_size", "delay_seconds"}

    def test_nothing_that_was_typed_is_lost(self, operator: Client) -> None:
        page = create(operator, name="a b", visibility_timeout="7 min", tags="for: web").content.decode()
        assert 'value="a b"' in page
        assert 'value="7 min"' in page
        assert "for: web</textarea>" in page

    def test_what_is_folded_away_unfolds_when_it_is_wrong(self, operator: Client) -> None:
        assert '<details class="fold" open>' in create(operator, tags="no colon").content.decode()

    def test_a_name_that_is_taken_is_said_at_the_name(self, operator: Client, team: Team) -> None:
        new_queue(team, name="invoices")
        assert errors(create(operator)) == {"name": ["The team has a queue of this name."]}
        assert errors(create(operator, name="other", dlq_name="invoices")) == {
            "dlq_name": ["The team has a queue of this name."]
        }
        assert Queue.objects.count() == 1

    def test_even_if_its_settings_are_the_very_same(self, operator: Client) -> None:
        create(operator)
        assert errors(create(operator)) == {"name": ["The team has a queue of this name."]}

    def test_a_quota_that_is_used_up_is_said_clearly(self, operator: Client, team: Team) -> None:
        Team.objects.update(max_queues=0)
        assert "It can have no more" in operator.get(NEW).content.decode()
        answer = create(operator)
        assert errors(answer) == {"__all__": ["The team has 0 queues, as many as it may have."]}
        assert AuditEntry.objects.count() == 0

    def test_hostile_text_comes_back_as_text(self, operator: Client) -> None:
        hostile = "<script>alert(1)</script>\u202e"
        page = create(
            operator, name=hostile, tags=hostile, description=f"</textarea>{hostile}"
        ).content.decode()
        assert "<script>alert" not in page

    def test_a_nul_is_no_accident(self, operator: Client) -> None:
        assert set(errors(create(operator, name="a\x00", description="\x00"))) == {"name", "description"}


class TestPreview:
    def preview(self, client: Client, **typed: Any) -> str:
        answer = submit(client, NEW, to=PREVIEW, **typed)
        assert answer.status_code == 200
        return " ".join(answer.content.decode().split())

    def test_it_tells_how_a_message_would_fare(self, operator: Client) -> None:
        text = self.preview(
            operator,
            name="bills",
            max_deliveries="5",
            backoff_base_seconds="45 s",
            backoff_max_seconds="45 s",
        )
        expected = (
            "A message is delivered 5 times at the most, 45 s apart, then moved to the dead-letter queue "
            "bills-dlq and kept there for 14 d."
        )
        assert expected in text
        assert "<h3>bills-dlq</h3>" in text
        assert "It keeps dead letters" in text

    def test_it_makes_nothing(self, operator: Client) -> None:
        self.preview(operator, name="bills", with_key="on")
        assert not Queue.objects.exists()
        assert not ApiKey.objects.exists()
        assert not AuditEntry.objects.exists()

    def test_without_javascript_it_is_the_page_with_what_was_typed(self, operator: Client) -> None:
        text = self.preview(operator, name="bills")
        assert "<h1>New queue</h1>" in text
        assert 'value="bills"' in text
        assert f'formaction="{PREVIEW}"' in text

    def test_for_htmx_it_is_the_part(self, operator: Client) -> None:
        form = operator.get(NEW).context["form"]
        text = operator.post(PREVIEW, filled(form, name=""), **HTMX).content.decode()
        assert "<html" not in text
        assert "A message is delivered 5 times" in text
        assert "required" not in text  # a name that is not typed yet is no problem yet

    def test_it_says_what_is_wrong_and_shows_the_rest(self, operator: Client) -> None:
        text = self.preview(operator, retention_seconds="1 s", max_deliveries="7")
        assert "<strong>Messages are kept for:</strong> Must be between 60 and 31536000." in text
        assert "delivered 7 times" in text

    def test_it_is_no_page_to_get(self, operator: Client) -> None:
        assert operator.get(PREVIEW).status_code == 405


class TestTheKey:
    def create(self, client: Client, **typed: Any) -> Any:
        return create(client, **{"with_key": "on", "scopes": ["send", "receive"], **typed})

    def test_it_works_for_this_queue_and_no_other(self, operator: Client, team: Team) -> None:
        answer = self.create(operator, expires_after="90 days")
        issued = answer.context["issued"]
        key = keys.authenticate(issued.bearer)
        assert key is not None
        assert (key.name, key.queue_pattern, key.scopes) == ("invoices", "invoices", ["send", "receive"])
        assert timezone.now() + timedelta(days=89) < key.expires_at < timezone.now() + timedelta(days=90)
        assert keys.allows(key, "send", "invoices")
        assert not keys.allows(key, "send", "invoices-dlq")

    def test_the_secret_is_in_this_answer_and_nowhere_else(self, operator: Client) -> None:
        answer = self.create(operator)
        secret = answer.context["issued"].secret
        assert answer.status_code == 200
        assert secret in answer.content.decode()
        assert "no-store" in answer.headers["Cache-Control"]
        queue = made()
        for address in ("", "connect/", "settings/"):
            assert secret not in operator.get(f"/console/queues/{queue.public_id}/{address}").content.decode()
        assert secret not in str(list(AuditEntry.objects.values()))
        assert secret not in str(dict(operator.session))
        assert not any(secret in morsel.value for morsel in operator.cookies.values())

    def test_loading_the_answer_again_repeats_nothing(self, operator: Client) -> None:
        data = filled(operator.get(NEW).context["form"], name="invoices", with_key="on")
        secret = operator.post(NEW, data).context["issued"].secret
        again = operator.post(NEW, data)
        assert errors(again) == {"name": ["The team has a queue of this name."]}
        assert secret not in again.content.decode()
        assert ApiKey.objects.count() == 1

    def test_both_are_audited(self, operator: Client) -> None:
        self.create(operator, key_name="biller")
        entries = [
            (entry.action, entry.queue_name or entry.subject) for entry in AuditEntry.objects.order_by("id")
        ]
        assert entries == [("queue.created", "invoices"), ("key.created", "biller")]

    @pytest.mark.parametrize(
        ("typed", "field"),
        [
            ({"key_name": "taken"}, "key_name"),
            ({"key_name": "x" * 81}, "key_name"),
            ({"scopes": []}, "scopes"),
            ({"scopes": ["rule"]}, "scopes"),
            ({"expires_after": "0"}, "expires_after"),
            ({"expires_after": "999999999999"}, "expires_after"),
        ],
    )
    def test_a_key_that_cannot_be_made_leaves_no_queue(
        self, operator: Client, team: Team, typed: dict[str, Any], field: str
    ) -> None:
        keys.create_api_key(team, "taken", ["send"])
        assert set(errors(self.create(operator, **typed))) == {field}
        assert not Queue.objects.exists()
        assert not AuditEntry.objects.exists()

    def test_a_quota_of_keys_leaves_no_queue_either(self, operator: Client) -> None:
        Team.objects.update(max_api_keys=0)
        assert "revoke one first" in errors(self.create(operator))["__all__"][0]
        assert not Queue.objects.exists()

    def test_without_the_tick_there_is_none(self, operator: Client) -> None:
        create(operator, key_name="biller")
        assert not ApiKey.objects.exists()


class TestPresets:
    def names(self, client: Client) -> list[str]:
        return re.findall(r'id="preset-(\w+)"', client.get(NEW).content.decode())

    def test_it_begins_with_the_first(self, operator: Client) -> None:
        form = operator.get(f"{NEW}?preset=nonsense").context["form"]
        assert form["preset"].value() == "work"

    def test_a_preset_fills_in_the_settings(self, operator: Client) -> None:
        page = operator.get(f"{NEW}?preset=webhook")
        assert page.context["form"]["backoff_max_seconds"].value() == "1 h"
        assert "growing to 1 h" in page.content.decode()

    def test_fifo_is_offered_when_the_engine_takes_it(
        self, operator: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(queue_settings, "_verified_mode", lambda mode: mode)
        assert "fifo" in self.names(operator)
        page = operator.get(f"{NEW}?preset=fifo").content.decode()
        assert "First in, first out within a group" in page
        assert create(operator, preset="fifo").status_code == 303
        assert made().mode == made().dlq.mode == "fifo"

    def test_and_not_when_it_refuses_it(self, operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def only_standard(mode: str) -> str:
            if mode != "standard":
                raise Invalid("Must be standard.", field="mode")
            return mode

        monkeypatch.setattr(queue_settings, "_verified_mode", only_standard)
        assert self.names(operator) == ["work", "webhook", "bulk"]
        assert "First in, first out" not in operator.get(f"{NEW}?preset=fifo").content.decode()
        assert "mode" in errors(create(operator, mode="fifo"))

    def test_what_is_offered_is_what_can_be_made(self, team: Team) -> None:
        """By the engine as it is, whatever it takes."""
        for preset in presets.PRESETS:
            try:
                queues.create(team, name=preset.code, mode=preset.mode, **preset.settings)
            except Invalid:
                assert preset not in presets.offered()
            else:
                assert preset in presets.offered()
