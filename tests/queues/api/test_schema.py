import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from queues.api import answers
from queues.api.serializers.message import LookedAtMessage, ReceivedMessage
from queues.models import Message, Queue
from tests.factories import dead_letter
from tests.queues.api.caller import Caller
from tests.queues.api.test_scopes import NEEDED


@pytest.fixture
def document() -> dict[str, Any]:
    response = Client().get("/api/schema/")
    assert response["Content-Type"] == "application/vnd.oai.openapi+json"
    schema: dict[str, Any] = json.loads(response.content)
    return schema


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in document["paths"].values() for operation in path.values()]


PLACES = {
    "{id}": "{queue_id}",
    "{topic}": "{topic_id}",
    "msg_" + "0" * 22: "{message_id}",
    "rd_" + "0" * 22: "{redrive_id}",
    "sub_" + "0" * 22: "{subscription_id}",
}


def with_names(path: str) -> str:
    for example, name in PLACES.items():
        path = path.replace(example, name)
    return path


def test_it_is_valid_and_without_warnings() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_it_has_the_paths_of_the_contract(document: dict[str, Any]) -> None:
    found = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert found == {(method, with_names(path)) for method, path in NEEDED}


def test_it_names_every_operation_once(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(document)]
    assert len(names) == len(set(names))


def test_it_tells_of_the_problems_of_every_operation(document: dict[str, Any]) -> None:
    for operation in operations(document):
        assert {"400", "401", "403", "503"} <= set(operation["responses"])
        assert list(operation["responses"]["401"]["content"]) == ["application/problem+json"]
        assert operation["security"] == [{"ApiKey": []}]
        assert operation["summary"]


def test_it_takes_its_bounds_from_the_limits(document: dict[str, Any]) -> None:
    size = document["components"]["schemas"]["CreateQueue"]["properties"]["queue_size"]
    assert (size["minimum"], size["maximum"]) == (1, 10_000_000)


def test_it_says_that_unknown_fields_are_refused(document: dict[str, Any]) -> None:
    assert document["components"]["schemas"]["SendMessage"]["additionalProperties"] is False


def test_it_shows_messages_as_they_are_written(owner: Caller, queue: Queue) -> None:
    """They are written by plain functions, for speed; here is what keeps the two the same."""
    dlq = dead_letter(queue)
    [looked_at] = answers.looked_at(dlq, list(Message.objects.filter(queue_id=dlq.pk)))
    received = owner.get(f"/api/queues/{dlq.public_id}/messages").json()
    assert set(looked_at) == set(LookedAtMessage().fields)
    assert set(received) == set(ReceivedMessage().fields)
