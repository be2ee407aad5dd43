"""The demo is filled by the operations real clients use, so what it shows adds up."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from queues.demo.scenes import SCENES
from queues.models import AuditEntry, DiscardedMessage, Message, Queue, Role, Team
from queues.operations import error_groups, overview, samples, teams

LETTERS = 100


@pytest.fixture
def team(db: None) -> Team:
    team = teams.create_team("demo")
    teams.add_member(team, User.objects.create_user("olga"), Role.OWNER)
    return team


@pytest.fixture
def demo(team: Team) -> Team:
    call_command("seed_demo", dead_letters=LETTERS, seed=1)
    return team


def queue(team: Team, name: str) -> Queue:
    return Queue.objects.live().get(team=team, name=name)


def test_it_makes_the_queue_of_every_scene(demo: Team) -> None:
    names = set(Queue.objects.filter(team=demo, is_dlq=False).values_list("name", flat=True))
    assert names == {scene.name for scene in SCENES}


def test_its_queues_have_the_problems_operators_look_for(demo: Team) -> None:
    found = {
        problem.code for health in overview.overview(Queue.objects.live()) for problem in health.problems
    }
    assert {"dead", "late", "full", "paused", "no_consumers"} <= found


def test_its_groups_add_up_to_its_dead_letters(demo: Team) -> None:
    dlq = queue(demo, "orders-dlq")
    groups = error_groups.groups(dlq)
    assert len(groups) == 5
    assert sum(group.count for group in groups) == Message.objects.filter(queue_id=dlq.pk).count() > 50
    assert [group.is_guess for group in groups].count(True) == 1


def test_it_has_a_redrive_a_trash_and_an_audit_of_both(demo: Team) -> None:
    actions = set(AuditEntry.objects.filter(team=demo).values_list("action", flat=True))
    assert {"redrive.started", "message.discarded", "queue.paused"} <= actions
    assert DiscardedMessage.objects.filter(queue_id=queue(demo, "orders-dlq").pk).count() == 6


def test_its_charts_show_a_day(demo: Team) -> None:
    history = samples.history(queue(demo, "orders"), 1_440)
    assert all(value is not None for value in history.depth[1:-1])
    assert max(value or 0 for value in history.sent) > 1
    assert sum(value or 0 for value in history.dead_lettered) > 0


def test_the_same_seed_makes_the_same_messages(demo: Team) -> None:
    other = teams.create_team("other")
    teams.add_member(other, User.objects.create_user("oscar"), Role.OWNER)
    call_command("seed_demo", team="other", dead_letters=LETTERS, seed=1)
    bodies = [
        list(Message.objects.filter(queue_id=queue(team, "thumbnails").pk).order_by("id").values_list("data"))
        for team in (demo, other)
    ]
    assert bodies[0] == bodies[1] != []


def test_it_touches_no_queue_that_exists(demo: Team) -> None:
    before = Message.objects.count()
    with pytest.raises(CommandError, match="has a queue named orders already"):
        call_command("seed_demo", dead_letters=LETTERS)
    assert Message.objects.count() == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"team": "nobody"}, "There is no team named nobody"),
        ({"dead_letters": 0}, "--dead-letters: Must be between 1 and"),
    ],
)
def test_it_refuses_what_it_cannot_do(team: Team, options: dict, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("seed_demo", **options)


def test_it_needs_somebody_to_work_as(db: None) -> None:
    teams.create_team("demo")
    with pytest.raises(CommandError, match="has no owner yet"):
        call_command("seed_demo")
