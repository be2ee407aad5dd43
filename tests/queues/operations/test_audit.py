"""A deed and the row that tells of it are one: whichever fails takes the other with it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import DataError

from queues.errors import Invalid
from queues.models import Action, AuditEntry, Message, Queue, Team
from queues.operations import audit, queues, redrive, trash
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.edit import edit_and_requeue
from queues.operations.keys import create_api_key, revoke_api_key
from queues.operations.teams import add_member
from tests.factories import dead_letter, new_queue, new_team, ready_message, reloaded

pytestmark = pytest.mark.django_db


class Place:
    """A team with a queue in every state that a deed needs."""

    def __init__(self) -> None:
        self.user = User.objects.create(username="ada")
        self.source = new_queue(name="orders", max_deliveries=1, queue_size=9, allow_edit=True)
        dead_letter(self.source, "requeued")
        dead_letter(self.source, "discarded")
        self.dlq = dead_letter(self.source, "dead")
        self.key = create_api_key(self.source.team, "old", ["send"]).key
        requeue(self.dlq, self.named("requeued"))
        trash.discard(self.dlq, [self.named("discarded")], by="ada")
        self.discarded = trash.trash_of(self.dlq).get().public_id
        ready_message(self.source, "live")
        self.source = reloaded(self.source)

    @property
    def team(self) -> Team:
        return self.source.team

    def named(self, data: str) -> str:
        return Message.objects.get(data=data).public_id


DEEDS: dict[Action, Callable[[Place], Any]] = {
    Action.MESSAGE_REQUEUED: lambda at: requeue(at.dlq, at.named("dead"), requested_by="ada"),
    Action.REQUEUE_UNDONE: lambda at: undo_requeue(at.dlq, at.named("requeued")),
    Action.MESSAGE_DISCARDED: lambda at: trash.discard(at.dlq, [at.named("dead")], by="ada"),
    Action.MESSAGE_RESTORED: lambda at: trash.restore(at.dlq, [at.discarded]),
    Action.MESSAGE_EDITED: lambda at: edit_and_requeue(at.dlq, at.named("dead"), data="alive", by="ada"),
    Action.REDRIVE_STARTED: lambda at: redrive.start(at.dlq),
    Action.QUEUE_CREATED: lambda at: queues.create(at.team, name="new"),
    Action.QUEUE_CHANGED: lambda at: queues.update(at.source, queue_size=3),
    Action.QUEUE_PAUSED: lambda at: queues.pause(at.source),
    Action.QUEUE_PURGED: lambda at: queues.purge(at.source),
    Action.QUEUE_DELETED: lambda at: queues.delete(at.source),
    Action.KEY_CREATED: lambda at: create_api_key(at.team, "new", ["send"]),
    Action.KEY_REVOKED: lambda at: revoke_api_key(at.key),
    Action.MEMBER_ADDED: lambda at: add_member(at.team, at.user),
}
EVERY_DEED = pytest.mark.parametrize("action", DEEDS, ids=str)


@pytest.fixture
def place() -> Place:
    return Place()


def everything() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of ours."""
    models = apps.get_app_config("queues").get_models()
    return {model.__name__: sorted(model.objects.values(), key=str) for model in models}


@EVERY_DEED
def test_the_deed_and_its_row_are_written(place: Place, action: Action):
    before = everything()
    with audit.audited(place.user, action, queue=place.source, subject="it", reason="asked to") as detail:
        DEEDS[action](place)
        detail["count"] = 1
    after = everything()
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.team, entry.detail) == (action, "ada", place.team, {"count": 1})
    assert (entry.queue_name, entry.subject, entry.reason) == ("orders", "it", "asked to")
    assert {name for name in before if before[name] != after[name]} > {"AuditEntry"}


@EVERY_DEED
def test_a_deed_that_fails_leaves_neither(
    place: Place, action: Action, django_capture_on_commit_callbacks: Any
):
    def do_and_fail() -> None:
        DEEDS[action](place)
        raise RuntimeError("at the last moment")

    before = everything()
    with (
        django_capture_on_commit_callbacks() as facts,
        pytest.raises(RuntimeError),
        audit.audited(place.user, action, queue=place.source),
    ):
        do_and_fail()
    assert everything() == before
    assert facts == []


@EVERY_DEED
def test_a_row_that_cannot_be_written_undoes_the_deed(
    place: Place, action: Action, django_capture_on_commit_callbacks: Any
):
    before = everything()
    place.user.username = "x" * 151  # more than the column takes: it is the database that refuses
    with (
        django_capture_on_commit_callbacks() as facts,
        pytest.raises(DataError),
        audit.audited(place.user, action, queue=place.source),
    ):
        DEEDS[action](place)
    assert everything() == before
    assert facts == []


def test_a_reason_that_is_too_long_is_refused_before_the_deed(place: Place):
    long = "x" * 501
    with (
        pytest.raises(Invalid),
        audit.audited(place.user, Action.QUEUE_PAUSED, queue=place.source, reason=long),
    ):
        queues.pause(place.source)
    assert not Queue.objects.filter(paused=True).exists()


def test_a_deed_of_no_queue_names_its_team(place: Place):
    with audit.audited(place.user, Action.TEAM_CHANGED, team=place.team):
        pass
    assert AuditEntry.objects.get().team == place.team


def test_a_deed_of_nobody_s_is_a_mistake(place: Place):
    with pytest.raises(ValueError, match="belongs to a team"), audit.audited(place.user, Action.TEAM_CHANGED):
        pass


def test_it_shows_only_the_teams_that_are_asked_for_the_latest_first(place: Place):
    other = new_team()
    for team in (place.team, other, place.team):
        audit.record(place.user, Action.TEAM_CHANGED, team=team)
    shown = audit.entries(Team.objects.filter(pk=place.team.pk))
    assert [entry.team for entry in shown] == [place.team, place.team]
    assert shown[0].pk > shown[1].pk


def test_the_name_stays_when_the_user_goes(place: Place):
    audit.record(place.user, Action.TEAM_CHANGED, team=place.team)
    place.user.delete()
    entry = AuditEntry.objects.get()
    assert (entry.user, entry.actor) == (None, "ada")
