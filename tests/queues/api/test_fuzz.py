"""Schemathesis reads our schema and looks for requests that break its promises.

It calls the WSGI application in this process. The seed is fixed: what passes today passes tomorrow.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.config import SchemathesisConfig

from queues import ids, shutdown
from queues.models import Message, Queue, RedriveStatus, RedriveTask, Subscription, Team, Topic
from tests.queues.api.caller import Caller

# The application ends its connection with every request, as it does when it serves: no test transaction.
pytestmark = pytest.mark.django_db(transaction=True)

QUEUE, MESSAGE, REDRIVE, TOPIC, SUBSCRIPTION = (UUID(int=number) for number in range(1, 6))
# Whatever fits the schema of these is accepted. Of the others a schema cannot say it: a well-formed cursor,
# receipt or DLQ need not exist, and a delay has to be shorter than the retention.
EXACT = ["receive_message", "receive_messages", "ack_messages", "get_queue", "get_message", "whoami"]
EXACT += ["create_topic", "get_topic", "get_subscription"]
EXACT += ["queue_advice", "queue_scaling"]
CONFIG = SchemathesisConfig.from_dict(
    {
        "seed": 42,
        "generation": {
            "max-examples": 25,
            "deterministic": True,
            "with-security-parameters": False,  # see test_authentication.py
            "allow-x00": False,  # see test_bad_input.py
        },
        # Ids are not guessed: nearly every call would end in a 404.
        "parameters": {
            "queue_id": ids.queue_id(QUEUE),
            "message_id": ids.message_id(MESSAGE),
            "topic_id": ids.topic_id(TOPIC),
            "subscription_id": ids.subscription_id(SUBSCRIPTION),
        },
        "checks": {"positive_data_acceptance": {"enabled": False}},
        "operations": [
            {"include-operation-id": EXACT, "checks": {"positive_data_acceptance": {"enabled": True}}},
            # A bad entry of a batch fails alone, inside a 200.
            {
                "include-operation-id": "send_messages",
                "checks": {"negative_data_rejection": {"enabled": False}},
            },
        ],
    }
)


@lru_cache(maxsize=1)
def handler() -> WSGIHandler:
    return WSGIHandler()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    return handler()(environ, start_response)


@pytest.fixture(autouse=True)
def nobody_waits() -> Iterator[None]:
    """A process that is about to stop answers long polls at once."""
    shutdown.stopping.set()
    yield
    shutdown.stopping.clear()


def prepare(team: Team) -> None:
    """The call before may have deleted, paused or emptied what this one is about."""
    fresh = {"team": team, "name": "fuzzed", "deleted_at": None, "paused": False, "dlq": None}
    queue, _ = Queue.objects.update_or_create(uid=QUEUE, defaults=fresh)
    Message.objects.get_or_create(id=MESSAGE, queue_id=queue.pk, data="x", size_bytes=1)
    past = {"cut_off": queue.created_at, "started_at": queue.created_at, "status": RedriveStatus.CANCELLED}
    RedriveTask.objects.get_or_create(uid=REDRIVE, defaults={"team": team, "dlq": queue, **past})
    topic, _ = Topic.objects.get_or_create(uid=TOPIC, defaults={"team": team, "name": "fuzzed"})
    Subscription.objects.get_or_create(uid=SUBSCRIPTION, defaults={"topic": topic, "queue": queue})


schema = schemathesis.openapi.from_dict(
    SchemaGenerator().get_schema(request=None, public=True), config=CONFIG
)
schema.app = application


@schema.parametrize()
@settings(suppress_health_check=list(HealthCheck))  # state between the calls is our own business, see prepare
def test_it_keeps_its_promises(case: Case, owner: Caller) -> None:
    prepare(owner.team)
    case.call_and_validate(headers={"Authorization": f"Bearer {owner.issued.bearer}"})
