import difflib
import random
import time

import pytest

from queues import diffs


def changes(text: str) -> list[str]:
    return [line for line in text.split("\n")[2:] if line[0] in "+-"]


def test_it_shows_the_value_that_was_changed():
    diff = diffs.unified(
        '{"id": 1, "total": 12345678901234567890.10}', '{"id": 2, "total": 12345678901234567890.10}', "a", "b"
    )
    assert diff.split("\n")[:2] == ["--- a", "+++ b"]
    assert changes(diff) == ['-  "id": 1,', '+  "id": 2,']


def test_it_compares_plain_text_line_by_line():
    assert changes(diffs.unified("one\ntwo", "one\nthree", "a", "b")) == ["-two", "+three"]


def test_it_has_nothing_to_say_of_the_same_text():
    assert diffs.unified("same", "same", "a", "b") == ""
    assert diffs.unified("x\n" * 10_000, "x\n" * 10_000, "a", "b") == ""


@pytest.mark.parametrize("seed", range(20))
def test_a_large_one_can_be_applied_as_well(seed):
    """In one hunk, but a true one: what is told apart puts both texts together again."""
    dice = random.Random(seed)
    old = [str(dice.randrange(3)) for _ in range(30)]
    new = old.copy()
    new[dice.randrange(30) : dice.randrange(30)] = [str(dice.randrange(3)) for _ in range(dice.randrange(5))]
    if old == new:
        return
    _, _, span, *lines = diffs._one_hunk(old, new, "a", "b")
    start = int(span.split(" ")[1].split(",")[0][1:]) - 1
    before = [line[1:] for line in lines if line[0] in " -"]
    after = [line[1:] for line in lines if line[0] in " +"]
    assert old[:start] + before + old[start + len(before) :] == old
    assert old[:start] + after + old[start + len(before) :] == new
    counts = [part.split(",")[1] for part in span.split(" ")[1:3]]
    assert counts == [str(len(before)), str(len(after))]


def test_it_is_capped():
    assert len(diffs.unified("a" * 1_000_000, "b" * 1_000_000, "a", "b")) < diffs.LONGEST + 100


def test_it_is_quick_with_what_a_full_comparison_would_take_minutes_for():
    old = "\n".join(str(n % 700) for n in range(300_000))
    new = "\n".join(str(n % 701) for n in range(300_000))
    start = time.monotonic()
    diffs.unified(old, new, "a", "b")
    assert time.monotonic() - start < 5


def test_a_small_one_is_what_difflib_says():
    old, new = "a\nb\nc", "a\nx\nc"
    told = difflib.unified_diff(old.split("\n"), new.split("\n"), "a", "b", lineterm="")
    assert diffs.unified(old, new, "a", "b") == "\n".join(told)
