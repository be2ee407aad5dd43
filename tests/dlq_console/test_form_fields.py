"""What people type into fields, and that a field shows what it would read again."""

import pytest
from django.forms import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from dlq_console.forms.fields import LengthField, NumberField, PauseField, SizeField, TagsField
from queues import limits

# Everything PostgreSQL stores: no NUL, no half of a pair.
WORDS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "size"),
        [("1024", 1_024), ("256 KiB", 262_144), ("1mib", 1_048_576), ("2 kb", 2_048), ("5 B", 5)],
    )
    def test_it_reads_what_people_type(self, text: str, size: int) -> None:
        assert SizeField().clean(text) == size

    @pytest.mark.parametrize("text", ["-1", "1.5 KiB", "1 GiB", "KiB", "1 2", "9" * 13])
    def test_it_reads_nothing_else(self, text: str) -> None:
        with pytest.raises(ValidationError, match="256 KiB or 1 MiB"):
            SizeField().clean(text)

    @given(st.integers(*limits.MESSAGE_BYTES))
    def test_it_shows_what_it_reads_again(self, size: int) -> None:
        assert SizeField().clean(SizeField().prepare_value(size)) == size


class TestLengths:
    def test_seconds_are_whole_unless_they_are_pauses(self) -> None:
        assert PauseField().clean("2.5") == 2.5
        with pytest.raises(ValidationError, match="15 min or 4 days"):
            LengthField().clean("2.5")

    def test_empty_is_none(self) -> None:
        assert LengthField(required=False).clean(" ") is None


@given(st.floats(1, 10))
def test_a_number_shows_what_it_reads_again(number: float) -> None:
    assert NumberField().clean(NumberField().prepare_value(number)) == number


class TestTags:
    def test_it_reads_one_on_each_line(self) -> None:
        text = "team: shop\r\n\r\n  cost-centre :42:7  \nempty:\n"
        assert TagsField().clean(text) == {"team": "shop", "cost-centre": "42:7", "empty": ""}

    def test_words_in_quotes_may_have_anything_in_them(self) -> None:
        assert TagsField().clean('"a:b": " c"\n"d\\n": "\\"e\\""') == {"a:b": " c", "d\n": '"e"'}

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("shop", "Line 1: write it as key: value."),
            ("a: b\nc", "Line 2: write it as key: value."),
            ("a: b\na: c", "Line 2: there is a tag 'a' already."),
            ('"a: b', "Line 1: a quote is not closed."),
            ('a: "b', "Line 1: a quote is not closed."),
            ('a: "b" c', "Line 1: there is something after the closing quote."),
            ('"a" b: c', "Line 1: write it as key: value."),
        ],
    )
    def test_it_says_which_line_is_wrong(self, text: str, words: str) -> None:
        with pytest.raises(ValidationError, match=words):
            TagsField().clean(text)

    @given(st.dictionaries(WORDS, WORDS, max_size=5))
    def test_it_shows_what_it_reads_again(self, tags: dict[str, str]) -> None:
        """As a browser sends it: with every end of a line made CRLF."""
        shown = TagsField().prepare_value(tags)
        sent = shown.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
        assert TagsField(required=False).clean(sent) == tags
