"""How values are written on pages: times, sizes and counts for people, hostile characters made visible."""

import re
from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from queues import durations

register = template.Library()

# Characters that a browser hides or obeys: C0 and C1 (but tab and line breaks), zero-width ones, marks and
# overrides that turn text around, invisible operators, the byte order mark, tags, and lone surrogates.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
NOTHING = "\N{EN DASH}"
SIZES = ("B", "KiB", "MiB", "GiB", "TiB")


@register.filter
def visible(value: object) -> str:
    """Text in which nothing hides: U+202E, which would turn the rest around, is shown as ⟦U+202E⟧."""
    return HIDDEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", "" if value is None else str(value))


@register.filter
def duration(seconds: float | None) -> str:
    """The largest units that say something: "90 s", "1 h 30 min", "4 d"."""
    return NOTHING if seconds is None else durations.in_words(seconds)


@register.filter
def ago(when: datetime | None) -> SafeString | str:
    """How long ago, in one unit, with the exact time for machines and for those who point at it."""
    if when is None:
        return NOTHING
    seconds = (timezone.now() - when).total_seconds()
    span = durations.in_words(abs(seconds), parts=1)
    text = "just now" if abs(seconds) < 1 else f"{span} ago" if seconds > 0 else f"in {span}"
    exact = when.astimezone(timezone.get_current_timezone())
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(timespec="milliseconds"),
        exact.strftime("%Y-%m-%d %H:%M:%S %Z"),
        text,
    )


@register.filter
def left(when: datetime | None) -> str:
    """How long until then: "3 d 4 h"."""
    if when is None:
        return NOTHING
    seconds = (when - timezone.now()).total_seconds()
    return durations.in_words(seconds) if seconds > 0 else "a moment"


@register.filter
def spaced(value: str | None) -> str:
    """A name of the code as words: dead_lettered is "dead lettered"."""
    return (value or "").replace("_", " ")


@register.filter
def listed(words: list[str]) -> str:
    """Words as one says them: "send, receive and manage"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


@register.filter(name="bytes")
def size(value: int | None) -> str:
    """A size in binary units: "512 B", "1.5 KiB"."""
    if value is None:
        return NOTHING
    amount, unit = float(value), 0
    while amount >= 1024 and unit < len(SIZES) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{value} B" if unit == 0 else f"{amount:.1f}".removesuffix(".0") + f" {SIZES[unit]}"


@register.filter
def count(value: int | None) -> str:
    """1,234."""
    return NOTHING if value is None else f"{value:,}"


@register.filter
def percent(share: float | None) -> str:
    """Of 1: "12 %", "0.4 %"."""
    if share is None:
        return NOTHING
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{share * 100:.1f}".removesuffix(".0") + " %" if share < 0.1 else f"{share * 100:.0f} %"
