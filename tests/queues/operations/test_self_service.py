import pytest
from django.contrib.auth.models import User

from queues.errors import Conflict, QuotaExceeded
from queues.models import ApiKey, AuditEntry, Queue, Team
from queues.operations import keys
from queues.operations.self_service import KeyWish, create_queue, issue_key
from tests.factories import new_team

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def team() -> Team:
    return new_team()


def test_it_makes_queue_dead_letter_queue_and_key_with_their_audit(ada: User, team: Team) -> None:
    wish = KeyWish("worker", ["send"], "orders")
    queue, issued = create_queue(ada, team, name="orders", key=wish, max_deliveries=5)
    assert issued is not None
    assert keys.authenticate(issued.bearer) == issued.key
    created, key = AuditEntry.objects.order_by("id")
    assert (created.action, created.user, created.queue) == ("queue.created", ada, queue)
    assert created.detail == {"settings": {"max_deliveries": 5}, "dlq": "orders-dlq"}
    assert (key.action, key.subject, key.team) == ("key.created", "worker", team)


def test_a_key_is_made_when_it_is_wished_for(ada: User, team: Team) -> None:
    assert create_queue(ada, team, name="orders")[1] is None
    assert not ApiKey.objects.exists()


def test_it_is_all_or_nothing(ada: User, team: Team) -> None:
    issue_key(ada, team, KeyWish("worker", ["send"]))
    AuditEntry.objects.all().delete()
    with pytest.raises(Conflict):
        create_queue(ada, team, name="orders", key=KeyWish("worker", ["send"]))
    assert not Queue.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_quota_of_keys_takes_the_queue_back_too(ada: User, team: Team) -> None:
    Team.objects.update(max_api_keys=0)
    with pytest.raises(QuotaExceeded):
        create_queue(ada, team, name="orders", key=KeyWish("worker", ["send"]))
    assert not Queue.objects.exists()
