"""Secrets stay hidden, however a body is written."""

import base64
import gzip
import json

import pytest

from dlq_console import masking
from dlq_console.masking import MASK

BODY = '{"user": "ada", "Api-Key": "k1", "deep": [{"password": "p1", "id": 12345678901234567890}]}'


def test_it_hides_secret_fields_and_nothing_else():
    shown = masking.masked_text(BODY)
    assert json.loads(shown)["deep"] == [{"password": MASK, "id": 12345678901234567890}]
    assert "ada" in shown
    assert "k1" not in shown


def test_it_leaves_a_body_without_secrets_as_it_is():
    assert masking.masked_text('{"user" :  "ada"}') == '{"user" :  "ada"}'


def test_it_hides_the_whole_of_a_secret_object():
    assert "p1" not in masking.masked_text('{"secrets": {"first": "p1"}}')


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"filler": "x" * 1_000_000, "password": "p1"}),
        base64.b64encode(b'{"password": "p1"}').decode(),
        base64.b64encode(gzip.compress(b'{"password": "p1"}')).decode(),
        '{"a": ' * 500 + '{"password": "p1"}' + "}" * 500,
        '{"a": 1}\n{"password": "p1"}',
        '{"a": 1, "password": "p1"',
        '{"a": 1, "pass\\u0077ord": "p1"',
        'failed: 5" pipe, body {"password"  :"p1"}',
    ],
    ids=["long", "base64", "gzip", "deep", "lines", "cut off", "escaped name", "within text"],
)
def test_it_hides_them_wherever_they_are(body):
    assert "p1" not in masking.masked_text(body)
    assert "p1" not in masking.preview(body[:4_096])


def test_of_what_it_cannot_read_it_shows_the_beginning():
    assert masking.masked_text('{"a": 1}\n{"token": "t1", "b": 2}') == f'{{"a": 1}}\n{{"token": {MASK} …'


def test_a_preview_is_short_and_can_be_sent_to_a_browser():
    assert len(masking.preview("x" * 4_096)) == masking.PREVIEW_CHARACTERS + 1
    masking.preview('{"a": "\\ud800"}').encode()


def test_it_takes_its_words_from_the_settings(settings):
    settings.SIMPLEMQ_MASKED_FIELDS = ["colour"]
    assert masking.masked_text('{"my_colour": "red", "password": "p1"}') == (
        f'{{"my_colour": "{MASK}", "password": "p1"}}'
    )


def test_a_hostile_body_costs_no_more_than_a_moment():
    """Quotation marks without end: each of them could begin a name."""
    assert masking.names_a_secret('"\\"' * 300_000) is False
