"""JSON as it was written, and no value that would be too deep to walk."""

import pytest

from dlq_console import exact_json


@pytest.mark.parametrize(
    "number", ["12345678901234567890123", "0.10", "1e400", "-0.0", "3.141592653589793238"]
)
def test_it_leaves_numbers_as_they_are_written(number):
    assert number in exact_json.pretty(f'{{"n": {number}}}')


def test_it_writes_what_it_read():
    text = '{"a": [1.0, "two", null, true, {}, []], "ü": "\\n"}'
    value, is_json = exact_json.parsed(text)
    assert is_json
    assert exact_json.written(value) == text


@pytest.mark.parametrize("depth", [1, 99, exact_json.DEEPEST])
def test_it_reads_what_is_nested_as_deeply_as_it_may_be(depth):
    text = "[" * depth + "]" * depth
    value, is_json = exact_json.parsed(text)
    assert is_json
    assert exact_json.written(value) == text


@pytest.mark.parametrize("depth", [exact_json.DEEPEST + 1, 600, 990, 50_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":[', "]}")])
def test_it_takes_what_is_nested_deeper_for_text(depth, pair):
    text = pair[0] * depth + pair[1] * depth
    assert exact_json.parsed(text) == (None, False)
    assert exact_json.pretty(text) == text


def test_brackets_in_texts_nest_nothing():
    assert exact_json.parsed('["' + "[" * 10_000 + '", "\\"["]')[1]


@pytest.mark.parametrize("text", ["", "null", "42", '"text"', "{", "[NaN", "{'a': 1}"])
def test_what_is_no_object_or_list_is_text(text):
    assert exact_json.parsed(text) == (None, False)
