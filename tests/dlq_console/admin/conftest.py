"""The superuser, whose admin this is, and a person of staff, whose it is not; and rows made to hurt."""

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from queues.models import AuditEntry, DiscardedMessage, ErrorGroup, Message, Queue, Subscription
from queues.operations import topics
from tests.dlq_console.conftest import browser_of
from tests.factories import dead_letter

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7|add:7 }}\u202etxt'
AS_TEXT = "&lt;script&gt;alert(1)&lt;/script&gt;"


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def superuser(root: User) -> Client:
    return browser_of(root)


@pytest.fixture
def staff(db: None) -> Client:
    return browser_of(User.objects.create_user("stefan", is_staff=True))


@pytest.fixture
def dlq(queue: Queue) -> Queue:
    """The dead-letter queue of `orders`, with one letter that is hostile wherever a client may write."""
    dlq = dead_letter(queue, HOSTILE)
    Message.objects.filter(queue_id=dlq.pk).update(
        attributes={"tenant": HOSTILE},
        group_id=HOSTILE,
        error_type=HOSTILE,
        last_error={"message": HOSTILE},
        fingerprint="f1",
    )
    return dlq


@pytest.fixture
def letter(dlq: Queue) -> Message:
    return Message.objects.get(queue_id=dlq.pk)


@pytest.fixture
def trash(dlq: Queue) -> DiscardedMessage:
    return DiscardedMessage.objects.create(
        message_id=uuid.UUID(int=2**120),
        team_id=dlq.team_id,
        queue_id=dlq.pk,
        discarded_at=timezone.now(),
        discarded_by="olga",
        reason=HOSTILE,
        expires_at=timezone.now() + timedelta(days=1),
        size_bytes=5,
        error_type=HOSTILE,
        row={"data": HOSTILE},
    )


@pytest.fixture
def group(dlq: Queue) -> ErrorGroup:
    """Beside the one that the dead letter may have made."""
    return ErrorGroup.objects.create(
        queue_id=dlq.pk, fingerprint="f2", title=HOSTILE, error_type=HOSTILE, note=HOSTILE
    )


@pytest.fixture
def subscription(queue: Queue) -> Subscription:
    """Of `orders` to a topic, with a filter that is hostile."""
    topic, _ = topics.create(queue.team, "events")
    return topics.subscribe(topic, queue, {HOSTILE[:200]: [HOSTILE[:200]]})[0]


@pytest.fixture
def entry(dlq: Queue, root: User) -> AuditEntry:
    return AuditEntry.objects.create(
        team=dlq.team,
        queue=dlq,
        queue_name=dlq.name,
        user=root,
        actor="root",
        action="queue.paused",
        subject=HOSTILE[:200],
        reason=HOSTILE,
        detail={"note": HOSTILE},
    )
