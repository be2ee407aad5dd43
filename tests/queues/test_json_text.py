import json

import pytest

from queues import json_text
from queues.errors import Invalid


@pytest.mark.parametrize(
    "text", ["{}", "[]", "42", '"x"', "null", " {\n} ", '{"n": 1e400}', f"[{'9' * 5000}]"]
)
def test_it_knows_json(text):
    assert json_text.is_json(text)


@pytest.mark.parametrize("text", ["", "hello", "{", "{'a': 1}", "[1,]", "NaN", "[Infinity]", "[" * 100_000])
def test_it_knows_what_is_not_json(text):
    assert not json_text.is_json(text)


def test_it_says_where_it_stops_being_json():
    with pytest.raises(Invalid, match="at line 2, column 8") as refused:
        json_text.verify("data", '{"a": 1,\n "b": {1}}')
    assert refused.value.field == "data"


def test_it_lays_out_a_value_a_line():
    text = '{"a": [1, {"b": []}], "c": {}, "d": "x, {y}: \\"z\\""}'
    assert json_text.indented(text) == json.dumps(json.loads(text), indent=2)


@pytest.mark.parametrize("number", ["12345678901234567890123", "0.10", "1E+2", "-0", "1e400"])
def test_it_leaves_numbers_as_they_were_written(number):
    assert json_text.indented(f'{{"n":{number}}}') == f'{{\n  "n": {number}\n}}'


def test_it_keeps_a_name_that_comes_twice():
    assert json_text.indented('{"a":1,"a":2}').count('"a"') == 2


def test_it_leaves_what_is_nested_very_deeply_as_it_is():
    deep = "[" * 500 + "]" * 500
    assert json_text.indented(deep) == deep
