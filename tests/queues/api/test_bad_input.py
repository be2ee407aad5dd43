"""Every field of every call, given everything it does not take: always a 4xx that names it, never a 500."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse

from queues import limits
from queues.api import urls as routes
from queues.api.calls import Call
from queues.models import Queue, Topic
from tests.queues.api.caller import Caller, assert_problem

PLACES = {
    "/api/queues/{queue_id}": "{queue}",
    "{queue}/messages/{message_id}": "{message}",
    "{queue}/redrives/{redrive_id}": "{redrive}",
    "/api/topics/{topic_id}": "{topic}",
    "{topic}/subscriptions/{subscription_id}": "{subscription}",
}

NOT_A_NUMBER: list[Any] = ["5", "", True, False, 1.5, 1e300, [], [1], {}]
NOT_A_STRING: list[Any] = [0, 1.5, True, [], ["x"], {}]
NOT_TEXT: list[Any] = ["a\x00b", "\x00", "\ud800", "a\udfff", "\ude00\ud83d"]
NOT_AN_OBJECT: list[Any] = ["x", 1, True, [], [{}], None]
HUGE = [2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400]


def number(bounds: tuple[int, int], *, null: bool = False) -> list[Any]:
    low, high = bounds
    return [*NOT_A_NUMBER, *HUGE, low - 1, high + 1, *([] if null else [None])]


def text(longest: int | None = None, *, null: bool = False) -> list[Any]:
    too_long = ["x" * (longest + 1), "ü" * (longest + 1)] if longest else []
    return [*NOT_A_STRING, *NOT_TEXT, *too_long, *([] if null else [None])]


SETTINGS = {
    "queue_size": number(limits.QUEUE_SIZE, null=True),
    "visibility_timeout": number(limits.VISIBILITY_TIMEOUT),
    "max_deliveries": number(limits.MAX_DELIVERIES, null=True),
    "delay_seconds": number(limits.DELAY_SECONDS),
    "retention_seconds": number(limits.RETENTION_SECONDS),
    "max_message_bytes": number(limits.MESSAGE_BYTES),
    "receive_wait_seconds": number(limits.WAIT_SECONDS),
    "priority_aging_seconds": number(limits.PRIORITY_AGING_SECONDS, null=True),
    "target_age_seconds": number(limits.TARGET_AGE_SECONDS, null=True),
    "allow_edit": ["true", "", 0, 1, [], {}, None],
    "tags": [
        *NOT_AN_OBJECT,
        {"": "empty name"},
        {"k": 1},
        {"k": None},
        {"k": {"deep": "er"}},
        {"k\x00": "v"},
        {"k": "\x00"},
        {"\ud800": "v"},
        {"k" * 129: "v"},
        {"k": "v" * 257},
        {f"k{n}": "v" for n in range(51)},
    ],
    "backoff": [
        *(value for value in NOT_AN_OBJECT if value is not None),
        {},
        {"base_seconds": 0},
        {"base_seconds": "5"},
        {"base_seconds": True},
        {"base_seconds": 10**400},
        {"base_seconds": None},
        {"base_seconds": 10, "max_seconds": 9},
        {"base_seconds": 10, "factor": 0},
        {"base_seconds": 10, "jitter": 2},
        {"base_seconds": 10, "more": 1},
    ],
    "description": text(limits.DESCRIPTION_LENGTH),
    "dlq_id": [*text(null=True), "", "x", "q_0000000000000000000000"],
}
NAMES = [
    "",
    " ",
    "a b",
    "a/b",
    "ünïcödé",
    "a" * 81,
    "a.b",
    ".fifo",
    "a.fifo.fifo",
    "a\n",
    "名前",
    "../x",
    "%41",
]
MESSAGE: dict[str, list[Any]] = {
    "data": text(),
    "attributes": [
        *NOT_AN_OBJECT,
        {"": "empty name"},
        {"k": None},
        {"k": []},
        {"k": {}},
        {"k": {"binary": "not base 64!"}},
        {"k": {"binary": 1}},
        {"k": {"binary": "AAEC", "more": 1}},
        {"k": "\x00"},
        {"\x00": "v"},
        {"k": "\ud800"},
        {"k" * 257: "v"},
        {f"k{n}": "v" for n in range(51)},
    ],
    "delay_seconds": number(limits.DELAY_SECONDS),
    "priority": number(limits.PRIORITY),
    "group_id": text(limits.GROUP_ID_LENGTH),
    "ttl_seconds": number(limits.TTL_SECONDS),
    "max_deliveries": number(limits.MAX_DELIVERIES),
}
FIELDS: dict[str, dict[str, list[Any]]] = {
    "POST /api/queues": {
        "queue_name": [*text(), *NAMES],
        "mode": [*text(), "", "lifo", "FIFO", "STANDARD"],
        **SETTINGS,
    },
    "PATCH {queue}": SETTINGS,
    "POST {queue}/messages": MESSAGE,
    "POST {topic}/messages": MESSAGE,
    "POST {queue}/messages/batch": {"messages": [None, "x", 1, {}, [], [1], [None], [[]], [{"id": 1}]]},
    "POST {queue}/messages/receive": {
        "max_messages": number(limits.BATCH_ENTRIES),
        "visibility_timeout": number(limits.VISIBILITY_TIMEOUT),
        "wait_seconds": number(limits.WAIT_SECONDS),
    },
    "POST {queue}/messages/ack": {
        "receipt_handles": [None, "x", 1, {}, [], [1], [None], ["x", True], [["x"]], ["x\x00"], ["\ud800"]],
    },
    "POST /api/topics": {"topic_name": [*text(), *NAMES, "a.fifo"]},
    # What is wrong inside the filter is named by its own place: see test_subscriptions.py
    "POST {topic}/subscriptions": {
        "queue_id": [*text(), "", "x", "q_0000000000000000000000"],
        "filter": [
            *(value for value in NOT_AN_OBJECT if value is not None),
            {},
            {"": ["x"]},
            {"k": ["\x00"]},
        ],
    },
    # What is wrong inside the two objects is named by its own place: see test_redrives.py
    "POST {queue}/redrive": {
        "target_queue_id": [*text(), "", "x", "q_0000000000000000000000"],
        "filter": [*NOT_AN_OBJECT, {"fingerprint": "\x00"}, {"attribute": {"\ud800": "x"}}],
        "limit": number(limits.REDRIVE_LIMIT),
        "max_messages_per_second": number(limits.REDRIVE_RATE),
        "canary": NOT_AN_OBJECT,
        "dry_run": ["true", "", 0, 1, None, [], {}],
    },
}
RECEIPTS = [*text(), "", "x", "🐘", "A" * 10_000]
FIELDS["POST {message}/visibility"] = {
    "receipt_handle": RECEIPTS,
    "visibility_timeout": number(limits.VISIBILITY_TIMEOUT),
}
FIELDS["POST {message}/nack"] = {
    "receipt_handle": RECEIPTS,
    "delay_seconds": number(limits.DELAY_SECONDS),
    "reason": text(),
    "error": [
        *NOT_AN_OBJECT,
        {},
        {"type": "E"},
        {"message": "m"},
        {"type": "", "message": "m"},
        {"type": 1, "message": "m"},
        {"type": "E", "message": None},
        {"type": "E", "message": "m", "stack": []},
        {"type": "E", "message": "m", "more": "x"},
        {"type": "E" * 201, "message": "m"},
        {"type": "E", "message": "m", "fingerprint": "f" * 65},
        {"type": "E", "message": "\x00"},
        {"type": "\ud800", "message": "m"},
    ],
}
REQUIRED = {
    "POST /api/queues": {"queue_name": "invoices"},
    "POST {queue}/messages": {"data": "x"},
    "POST {queue}/messages/batch": {"messages": [{"data": "x"}]},
    "POST /api/topics": {"topic_name": "events"},
    "POST {topic}/messages": {"data": "x"},
    "POST {topic}/subscriptions": {"queue_id": "x"},
    "POST {queue}/messages/ack": {"receipt_handles": ["x"]},
    "POST {message}/visibility": {"receipt_handle": "A", "visibility_timeout": 30},
    "POST {message}/nack": {"receipt_handle": "A"},
}
WITHOUT_FIELDS = [
    "POST {queue}/purge",
    "POST {queue}/pause",
    "POST {queue}/resume",
    "POST {message}/requeue",
    "POST {redrive}/cancel",
    "POST {redrive}/undo",
]
WITH_A_BODY = [*FIELDS, *WITHOUT_FIELDS]

NOT_A_QUERY_NUMBER = ["", "x", "1.5", "1e2", "0x10", " 1", "+1", "٣", "true", "9" * 400, "\x00"]
NOT_QUERY_TEXT = ["\x00", "a\x00b"]
LEASE = [*NOT_A_QUERY_NUMBER, "-1", str(limits.VISIBILITY_TIMEOUT[1] + 1), str(2**63)]
PAGE = {"page_size": [*NOT_A_QUERY_NUMBER, "0", "201", "-1"], "cursor": [*NOT_QUERY_TEXT, "", "x", "🐘"]}
NOT_A_TIME = ["", "x", "yesterday", "2026-13-01T00:00:00Z", "2026-11-18T25:00:00Z", "1763467200", "\x00"]
QUERIES: dict[str, dict[str, list[str]]] = {
    "GET /api/queues": {
        **PAGE,
        "name_prefix": [*NOT_QUERY_TEXT, "x" * 81],
        "tag": [*NOT_QUERY_TEXT, "", "x", ":", ":x"],
        "is_dlq": ["", "1", "True", "null", "\x00"],
    },
    "DELETE {queue}": {"with_dlq": ["", "1", "True", "null", "\x00"]},
    "GET {queue}/messages": {
        "limit": [*NOT_A_QUERY_NUMBER, "0", "-1", "1001", str(2**63)],
        "visibility_timeout": LEASE,
        "wait_seconds": [*NOT_A_QUERY_NUMBER, "-1", "21"],
    },
    "GET {queue}/messages/browse": {
        **PAGE,
        "state": ["", "x", "expired", "\x00"],
        "group_id": [*NOT_QUERY_TEXT, "x" * 129],
        "q": [*NOT_QUERY_TEXT, "x" * 201],
        "attribute": [*NOT_QUERY_TEXT, "", "x", ":", ":x"],
        "error_type": [*NOT_QUERY_TEXT, "x" * 201],
        "fingerprint": [*NOT_QUERY_TEXT, "x" * 65],
    },
    "GET {queue}/metrics": {
        "from": [*NOT_A_TIME, "9999-12-31T23:59:59Z"],
        "to": [*NOT_A_TIME, "0001-01-01T00:00:00Z"],
        "bucket": ["", "0", "61", "300.0", "5m", "\x00"],
    },
    "GET {queue}/scaling": {
        "messages_per_worker": [*NOT_A_QUERY_NUMBER, "0", "-1", "1000001"],
        "target_drain_seconds": [*NOT_A_QUERY_NUMBER, "0", "-1", "604801"],
        "steps": [*NOT_QUERY_TEXT, "", "5", ":", "5:", ":5", "5:1,", "5:1;6:2", "-5:1", "5:-1", "5:100001x"],
    },
    "GET {queue}/redrives": PAGE,
    "GET /api/topics": PAGE,
    "GET {topic}/subscriptions": PAGE,
    "DELETE {message}": {"receipt_handle": [*NOT_QUERY_TEXT, "", "x", "🐘", "A" * 10_000]},
}
WITHOUT_QUERY = [
    "GET {queue}",
    "GET {queue}/stats",
    "GET {message}",
    "GET {redrive}",
    "GET {topic}",
    "DELETE {topic}",
    "GET {subscription}",
    "DELETE {subscription}",
    "GET /api/whoami",
    *WITH_A_BODY,
]


def cases(table: dict[str, dict[str, list[Any]]]) -> list[Any]:
    return [
        pytest.param(call, field, value, id=f"{call} {field} {ascii(value)[:24]}")
        for call, fields in table.items()
        for field, values in fields.items()
        for value in values
    ]


class Talker:
    """Makes the calls named above, on a queue and a topic that exist."""

    def __init__(self, caller: Caller, queue: Queue, topic: Topic) -> None:
        self.caller = caller
        address = f"/api/queues/{queue.public_id}"
        self.places = {
            "queue": address,
            "message": f"{address}/messages/msg_0000000000000000000000",
            "redrive": f"{address}/redrives/rd_0000000000000000000000",
            "topic": f"/api/topics/{topic.public_id}",
            "subscription": f"/api/topics/{topic.public_id}/subscriptions/sub_0000000000000000000000",
        }

    def __call__(self, call: str, *arguments: Any, **options: Any) -> HttpResponse:
        method, path = call.split(" ")
        return getattr(self.caller, method.lower())(path.format(**self.places), *arguments, **options)


@pytest.fixture
def talk(owner: Caller, queue: Queue, topic: Topic) -> Talker:
    owner.patch(f"/api/queues/{queue.public_id}", {"max_message_bytes": limits.MESSAGE_BYTES[1]})
    return Talker(owner, queue, topic)


def every_call() -> Iterator[tuple[str, Call]]:
    for route in routes.urlpatterns:
        path = f"/api/{route.name}"
        for place, short in PLACES.items():
            path = path.replace(place, short)
        for method, action in getattr(route.callback, "actions", {}).items():
            if method != "head":  # DRF adds it, for every get
                yield f"{method.upper()} {path}", route.callback.cls.calls[action]


def test_it_leaves_out_no_field_of_no_call() -> None:
    fields = {name: set(call.body.fields) for name, call in every_call() if call.body.fields}
    queries = {name: set(call.query.fields) for name, call in every_call() if call.query.fields}
    assert fields == {name: set(known) for name, known in FIELDS.items()}
    assert queries == {name: set(known) for name, known in QUERIES.items()}


@pytest.mark.parametrize(("call", "field", "value"), cases(FIELDS))
def test_it_names_the_field_of_the_body(talk: Talker, call: str, field: str, value: Any) -> None:
    response = talk(call, {**REQUIRED.get(call, {}), field: value})
    assert_problem(response, 400, "invalid_request", field)


@pytest.mark.parametrize(("call", "field", "value"), cases(QUERIES))
def test_it_names_the_parameter_of_the_query(talk: Talker, call: str, field: str, value: str) -> None:
    assert_problem(talk(call, **{field: value}), 400, "invalid_request", field)


@pytest.mark.parametrize("call", REQUIRED)
def test_it_names_the_field_that_is_missing(talk: Talker, call: str) -> None:
    for field in REQUIRED[call]:
        rest = {name: value for name, value in REQUIRED[call].items() if name != field}
        assert_problem(talk(call, rest), 400, "invalid_request", field)
    assert_problem(talk(call, b""), 400, "invalid_request")


@pytest.mark.parametrize("call", WITH_A_BODY)
@pytest.mark.parametrize("field", ["unknown", "Data", "ü", "x" * 90, "__proto__"])
def test_it_names_a_field_it_does_not_know(talk: Talker, call: str, field: str) -> None:
    assert_problem(talk(call, {**REQUIRED.get(call, {}), field: 1}), 400, "invalid_request", field)


@pytest.mark.parametrize("call", [*QUERIES, *WITHOUT_QUERY])
def test_it_names_a_query_parameter_it_does_not_know(talk: Talker, call: str) -> None:
    response = talk(f"{call}?surprise=1")
    assert_problem(response, 400, "invalid_request", "surprise")
