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


def test_it_leaves_numbers_as_they_are_written():
    tree = payload.view('{"n": 12345678901234567890123, "m": 0.10}').tree
    assert [child.text for child in tree.children] == ["12345678901234567890123", "0.10"]


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        "[" * 900 + "]" * 900,
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
    shown = payload.view(body)
    assert shown.masked == 2
    assert "k1" not in shown.text
    assert "p1" not in shown.text
    assert payload.view(body, reveal=True).text == body


def test_it_masks_what_it_cannot_show_as_a_tree():
    shown = payload.view('{"a": 1}\n{"password": "p1"}')
    assert (shown.tree, shown.masked) == (None, 1)
    assert "p1" not in shown.text
    assert "p1" in payload.view('{"a": 1}\n{"password": "p1"}', reveal=True).text


def test_it_shows_what_is_packed():
    shown = payload.view(base64.b64encode(gzip.compress(b'{"order": 42}')).decode())
    assert shown.unpacked_from == "gzip in base64"
    assert shown.tree.children[0].text == "42"
