"""Fields for what people type about queues. They read a value; what it may be, the operations say."""

import json
import re
from typing import Any

from django import forms

from queues import durations, limits

SIZES = {"": 1, "b": 1, "kib": 1_024, "kb": 1_024, "mib": 1_048_576, "mb": 1_048_576}
SIZE = re.compile(r"([0-9]{1,12})\s*([a-z]*)\Z")
# A word of a tag that would not be read as it is written, were it not in quotes.
NEEDS_QUOTES = re.compile(r'\A"|\A\Z|\A\s|\s\Z|[:\r\n\v\f\x1c-\x1e\x85\u2028\u2029]')
JSON_STRING = json.JSONDecoder()


class WholeField(forms.IntegerField):
    """A whole number within bounds that people may leave away, refused in the words of the API."""

    def __init__(self, *, bounds: tuple[int, int], **options: Any) -> None:
        refusal = limits.must_be_within(bounds)
        super().__init__(
            required=False,
            min_value=bounds[0],
            max_value=bounds[1],
            error_messages={"min_value": refusal, "max_value": refusal},
            **options,
        )


class UnitField(forms.CharField):
    """A number with a unit that people may leave away."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"empty_value": None, **options})
        self.widget.attrs.setdefault("autocomplete", "off")

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if text is None:
            return None
        try:
            return self.read(text)
        except ValueError:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None

    def prepare_value(self, value: Any) -> Any:
        return self.write(value) if isinstance(value, int | float) else value

    def read(self, text: str) -> float:
        raise NotImplementedError

    def write(self, value: float) -> str:
        raise NotImplementedError


class PauseField(UnitField):
    """Seconds, typed as "30s", "1 h" or as a plain number, not always a whole one."""

    default_error_messages = {"invalid": "Write a number of seconds, or for example 30 s, 15 min or 4 days."}

    def read(self, text: str) -> float:
        return durations.read(text)

    def write(self, value: float) -> str:
        return durations.exactly(value)


class LengthField(PauseField):
    """The same in whole seconds."""

    def read(self, text: str) -> int:
        seconds = super().read(text)
        if not isinstance(seconds, int):
            raise ValueError(f"{text[:40]!r} is no whole number of seconds")
        return seconds


class SizeField(UnitField):
    """Bytes, typed as "256 KiB", "1 MiB" or as a plain number."""

    default_error_messages = {"invalid": "Write a number of bytes, or for example 256 KiB or 1 MiB."}

    def read(self, text: str) -> int:
        match = SIZE.match(text.lower())
        if match is None or match[2] not in SIZES:
            raise ValueError(f"{text[:40]!r} is no size")
        return int(match[1]) * SIZES[match[2]]

    def write(self, value: float) -> str:
        for unit, size in (("MiB", 1_048_576), ("KiB", 1_024)):
            if value >= size and value % size == 0:
                return f"{value // size} {unit}"
        return str(value)


class NumberField(forms.FloatField):
    """A number, shown as people write it: 2 rather than 2.0."""

    def prepare_value(self, value: Any) -> Any:
        return str(value).removesuffix(".0") if isinstance(value, float) else value


class LinesField(forms.CharField):
    """Text of several lines, whose ends a browser makes CRLF whatever they were."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        return str(super().to_python(value)).replace("\r\n", "\n")


class TagsField(LinesField):
    """A tag on each line, `key: value`. A word with a colon in it is written in quotes, as in JSON."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, dict):
            return value
        tags: dict[str, str] = {}
        for number, line in enumerate(super().to_python(value).split("\n"), 1):
            if line.strip():
                key, text = _read_tag(line.strip(), number)
                if key in tags:
                    raise forms.ValidationError(f"Line {number}: there is a tag {key!r} already.")
                tags[key] = text
        return tags

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return "\n".join(f"{_quoted(key)}: {_quoted(text)}" for key, text in value.items())


def _read_tag(line: str, number: int) -> tuple[str, str]:
    key, rest = _word(line, number)
    if not rest.startswith(":"):
        raise forms.ValidationError(f"Line {number}: write it as key: value.")
    value = rest[1:].strip()
    if not value.startswith('"'):
        return key, value
    text, rest = _word(value, number)
    if rest:
        raise forms.ValidationError(f"Line {number}: there is something after the closing quote.")
    return key, text


def _word(text: str, number: int) -> tuple[str, str]:
    """What stands before the colon, or in quotes, and what follows it."""
    if not text.startswith('"'):
        key, colon, rest = text.partition(":")
        return key.strip(), colon + rest
    try:
        word, end = JSON_STRING.raw_decode(text)
    except ValueError:
        raise forms.ValidationError(f"Line {number}: a quote is not closed.") from None
    return word, text[end:].strip()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if NEEDS_QUOTES.search(text) else text
