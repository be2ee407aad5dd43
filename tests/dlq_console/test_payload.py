"""Payloads as people see them: exact, bounded, masked, and never a reason for a failing page."""

import base64
import gzip
import json

import pytest

from dlq_console import payload


def names(node: payload.Node) -> list[str]:
    return [child.name for child in node.children]


def test_it_shows_json_as_a_tree():
    tree = payload.view('{"order": {"id": 42, "lines": [1, "two", null, true]}}').tree
    [order] = tree.children
    assert names(order) == ["id", "lines"]
    assert [child.text for child in order.children[1].children] == ["1", '"two"', "null", "true"]


@pytest.mark.parametrize(
    "number", ["12345678901234567890123", "0.10", "1e400", "-0.0", "3.141592653589793238"]
)
def test_it_leaves_numbers_as_they_are_written(number):
    assert payload.view(f'{{"n": {number}}}').tree.children[0].text == number
    assert number in payload.pretty(f'{{"n": {number}}}')


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        "{",
        '{"a": "\\ud800"}',
        "\x01\x02",
        "",
        "null",
        "x" * 1_000_000,
        "[NaN]",
    ],
)
def test_it_survives_hostile_bodies(hostile):
    shown = payload.view(hostile)
    shown.text.encode()
    assert len(shown.text) <= payload.SHOWN_CHARACTERS * 1.01


def test_it_breaks_lines_that_are_too_long_to_lay_out():
    assert max(len(line) for line in payload.view("x" * 50_000).text.split("\n")) == payload.LINE_CHARACTERS


def test_it_ends_a_wide_tree_with_a_word_that_it_goes_on():
    tree = payload.view(json.dumps(list(range(10_000)))).tree
    assert len(tree.children) <= payload.TREE_NODES
    assert tree.children[-1].kind == "more"


def test_it_masks_secret_fields_until_they_are_revealed():
    body = '{"user": "ada", "Api-Key": "k1", "deep": [{"password": "p1"}]}'
    masked = payload.view(body)
    assert masked.masked == 2
    assert "k1" not in masked.text
    assert "p1" not in masked.text
    assert "p1" in payload.view(body, reveal=True).text
    assert "p1" not in payload.masked_text(body)


def test_it_looks_into_base64_and_gzip():
    body = '{"order": 42}'
    packed = base64.b64encode(gzip.compress(body.encode())).decode()
    assert payload.view(packed).decoded_from == "gzip in base64"
    assert payload.view(packed).tree.children[0].text == "42"
    assert payload.view(base64.b64encode(body.encode() * 2).decode()).decoded_from == "base64"


def test_it_unpacks_no_more_than_it_can_hold():
    bomb = base64.b64encode(gzip.compress(b"0" * 50_000_000)).decode()
    assert len(payload.decoded(bomb)[1]) <= payload.DECODED_BYTES


def test_it_leaves_ordinary_words_alone():
    assert payload.view("abcdefghijklmnop").decoded_from == ""


def test_it_masks_the_longest_message_too():
    body = json.dumps({"filler": "x" * 1_000_000, "password": "p1"})
    assert "p1" not in payload.masked_text(body)
