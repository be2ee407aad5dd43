from datetime import timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone

from dlq_console.templatetags.console_text import (
    NOTHING,
    ago,
    count,
    duration,
    listed,
    percent,
    size,
    visible,
)
from queues import durations


class TestVisible:
    def test_it_shows_characters_that_turn_text_around(self):
        assert visible("invoice\u202efdp.exe") == "invoice⟦U+202E⟧fdp.exe"

    @pytest.mark.parametrize(
        "hidden", "\x00\x1b\x7f\x85\xad\u061c\u200b\u200f\u2028\u2066\u2069\ufeff\U000e0041"
    )
    def test_nothing_hides(self, hidden):
        assert visible(f"a{hidden}b") == f"a⟦U+{ord(hidden):04X}⟧b"

    @pytest.mark.parametrize("text", ["two\nlines\tand a tab\r", "žluťoučký kůň", "日本語", "👍🏽", "شكرا"])
    def test_ordinary_text_stays_as_it_is(self, text):
        assert visible(text) == text

    def test_markup_stays_text(self):
        page = Template("{% load console_text %}{{ x|visible }}").render(Context({"x": "<b>\u202e</b>"}))
        assert page == "&lt;b&gt;⟦U+202E⟧&lt;/b&gt;"

    def test_nothing_is_nothing(self):
        assert visible(None) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, NOTHING),
        (0, "0 s"),
        (0.2, "< 1 s"),
        (90, "90 s"),
        (120, "120 s"),
        (121, "2 min 1 s"),
        (300, "5 min"),
        (5_400, "1 h 30 min"),
        (3_601, "1 h"),
        (345_600, "4 d"),
        (360_000, "4 d 4 h"),
    ],
)
def test_duration_says_the_two_largest_units(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], ""),
        (["send"], "send"),
        (["send", "receive"], "send and receive"),
        (["a", "b", "c"], "a, b and c"),
    ],
)
def test_words_are_listed_as_one_says_them(words, text):
    assert listed(words) == text


class TestAgo:
    @pytest.mark.parametrize(
        ("span", "text"),
        [
            (timedelta(), "just now"),
            (timedelta(seconds=61), "1 min ago"),
            (timedelta(days=3, hours=5), "3 d ago"),
            (timedelta(seconds=-3_700), "in 1 h"),
        ],
    )
    def test_it_says_one_unit(self, span, text):
        assert f">{text}</time>" in ago(timezone.now() - span)

    def test_it_keeps_the_exact_time(self):
        when = timezone.now().replace(year=2020, month=2, day=3, hour=4, minute=5, second=6, microsecond=0)
        assert 'datetime="2020-02-03T04:05:06.000+00:00" title="2020-02-03 04:05:06 UTC"' in ago(when)

    def test_never_is_a_dash(self):
        assert ago(None) == NOTHING


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, NOTHING), (0, "0 B"), (1_023, "1023 B"), (1_536, "1.5 KiB"), (1_048_576, "1 MiB")],
)
def test_bytes_are_in_binary_units(value, text):
    assert size(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, NOTHING), (7, "7"), (1_234_567, "1,234,567")])
def test_count_separates_thousands(value, text):
    assert count(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, NOTHING),
        (0, "0 %"),
        (0.0004, "< 0.1 %"),
        (0.0125, "1.2 %"),
        (0.03, "3 %"),
        (0.126, "13 %"),
        (1, "100 %"),
    ],
)
def test_a_share_is_written_in_percent(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.0004, "1 ms"),
        (0.25, "250 ms"),
        (1.25, "1.2 s"),
        (3.0, "3 s"),
        (42.7, "42 s"),
        (7_200, "2 h"),
    ],
)
def test_short_times_are_written_precisely(seconds, text):
    assert durations.precisely(seconds) == text
