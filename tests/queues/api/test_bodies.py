"""Bodies that are wrong as a whole, for every call that takes one."""

import pytest

from tests.queues.api.caller import assert_problem
from tests.queues.api.test_bad_input import WITH_A_BODY, Talker, talk

__all__ = ["talk"]

NOT_JSON = {
    "open": b'{"data": "x"',
    "words": b"hello",
    "form": b"data=x",
    "two objects": b"{}{}",
    "trailing comma": b'{"data": "x",}',
    "single quotes": b"{'data': 'x'}",
    "comment": b'{"data": "x"} // hello',
    "NaN": b'{"data": NaN}',
    "Infinity": b'{"data": -Infinity}',
    "overflow": b'{"data": 1e999}',
    "too many digits": b'{"data": ' + b"9" * 5000 + b"}",
    "raw control character": b'{"data": "\x01"}',
    "raw NUL": b'{"data": "\x00"}',
    "byte order mark": b'\xef\xbb\xbf{"data": "x"}',
    "latin 1": b'{"data": "\xfc"}',
    "utf 16": '{"data": "x"}'.encode("utf-16"),
    "half a character": b'{"data": "\xf0\x9f"}',
    "encoded surrogate": b'{"data": "\xed\xa0\x80"}',
    "only space": b" ",
}
NO_OBJECT = {
    "null": b"null",
    "array": b"[]",
    "string": b'"x"',
    "number": b"1",
    "true": b"true",
    "array of objects": b'[{"data": "x"}]',
}
TOO_DEEP = {
    "arrays": b"[" * 100_000,
    "closed arrays": b'{"data": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "objects": b'{"a":' * 50_000,
}


@pytest.mark.parametrize("call", WITH_A_BODY)
@pytest.mark.parametrize(
    "raw", (NOT_JSON | NO_OBJECT | TOO_DEEP).values(), ids=NOT_JSON | NO_OBJECT | TOO_DEEP
)
def test_it_refuses_what_is_no_json_object(talk: Talker, call: str, raw: bytes) -> None:
    assert_problem(talk(call, raw), 400, "invalid_request", "body")


@pytest.mark.parametrize("call", WITH_A_BODY)
def test_it_refuses_a_field_given_twice(talk: Talker, call: str) -> None:
    assert_problem(talk(call, b'{"data": "x", "data": "y"}'), 400, "invalid_request", "data")


def test_it_refuses_a_field_given_twice_inside_another(talk: Talker) -> None:
    body = b'{"data": "x", "attributes": {"a": 1, "a": 2}}'
    assert_problem(talk("POST {queue}/messages", body), 400, "invalid_request", "a")


@pytest.mark.parametrize("depth", [50, 300, 900])
def test_it_survives_a_depth_that_can_just_be_read(talk: Talker, depth: int) -> None:
    for deep in (b"[" * depth + b'"\\u0000"' + b"]" * depth, b"[" * depth + b"]" * depth):
        response = talk("POST {queue}/messages", b'{"data": "x", "attributes": {"a": ' + deep + b"}}")
        assert_problem(response, 400, "invalid_request")


@pytest.mark.parametrize("call", WITH_A_BODY)
@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/problem+json",
        "text/json",
        "*/*",
        "garbage",
        ";",
        "x" * 5000,
    ],
)
def test_it_refuses_another_content_type(talk: Talker, call: str, content_type: str) -> None:
    response = talk(call, b'{"data": "x"}', content_type=content_type)
    assert_problem(response, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json;"]
)
def test_it_takes_json_however_it_is_spelled(talk: Talker, content_type: str) -> None:
    response = talk("POST {queue}/messages", b'{"data": "x"}', content_type=content_type)
    assert response.status_code == 201


@pytest.mark.parametrize("call", WITH_A_BODY)
def test_it_refuses_a_body_that_is_too_large(talk: Talker, call: str) -> None:
    raw = b'{"data": "' + b"x" * (9 << 20) + b'"}'
    assert_problem(talk(call, raw), 413, "message_too_large", "body")


def test_it_does_not_even_read_a_body_that_is_too_large(talk: Talker) -> None:
    address = talk.places["queue"] + "/messages"
    response = talk.caller.http.post(address, b"{}", "application/json", CONTENT_LENGTH=str(9 << 30))
    assert_problem(response, 413, "message_too_large", "body")


@pytest.mark.parametrize(
    ("call", "field", "status"),
    [
        ("POST {queue}/messages", "data", 413),
        ("POST /api/queues", "queue_name", 400),
        ("PATCH {queue}", "description", 400),
        ("POST {queue}/messages/receive", "max_messages", 400),
        ("POST {queue}/messages/ack", "receipt_handles", 400),
    ],
)
def test_it_names_the_field_of_two_megabytes(talk: Talker, call: str, field: str, status: int) -> None:
    code = "message_too_large" if status == 413 else "invalid_request"
    assert_problem(talk(call, {field: "x" * (2 << 20)}), status, code, field)


def test_it_does_not_repeat_a_thousand_unknown_fields(talk: Talker) -> None:
    response = talk("POST {queue}/messages", {f"{n}" * 200: n for n in range(1000)})
    problem = assert_problem(response, 400, "invalid_request")
    assert len(response.content) < 5000
    assert len(problem["errors"]) == 20
