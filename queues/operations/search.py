"""The search box: words and qualifiers become a filter, the same that a redrive keeps.

`error:Timeout attribute.tenant:acme data.order_id:42 age:>1h "card declined"`
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from queues import ids, limits
from queues.errors import Invalid, SearchTooSlow
from queues.managers.patience import at_most
from queues.models import Message, Queue
from queues.operations import look, redrive_filters

TERM = re.compile(r'(?:(?P<name>[a-z]+(?:\.[^\s":]+)?):)?(?:"(?P<quoted>[^"]*)"|(?P<plain>\S+))')
AGE = re.compile(r"([<>])(\d{1,9})([smhd])\Z")
COMPARED = re.compile(r"([<>])?(\d{1,6})\Z")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
KNOWN = "error, fingerprint, group, attribute.NAME, data.PATH, age, redriven, id, source"


@dataclass(frozen=True)
class Search:
    text: str = ""
    filter: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class Page(NamedTuple):
    """Messages in the order of their ids, and the ids after and before which there are more."""

    rows: list[Message]
    next: str | None = None
    previous: str | None = None


def parse(text: str, now: datetime | None = None) -> Search:
    """What a person typed. A term that is not understood is named, and finds nothing until it is mended."""
    found: dict[str, Any] = {}
    problems = []
    for match in TERM.finditer(text.strip()):
        word = match["quoted"] if match["quoted"] is not None else match["plain"]
        try:
            _take_in(found, match["name"], word, now or timezone.now())
        except Invalid as problem:
            problems.append(f"{match[0][:60]}: {problem.message}")
    try:
        found = redrive_filters.verified(found)
    except Invalid as problem:
        problems.append(f"{(problem.field or 'search').removeprefix('filter.')}: {problem.message}")
    return Search(text.strip(), {} if problems else found, problems)


def for_group(fingerprint: str) -> str:
    """What to type for one error group. A quotation mark cannot be typed: such a one finds the rest."""
    return (
        f'fingerprint:"{fingerprint}"'
        if any(char in fingerprint for char in ' ":')
        else f"fingerprint:{fingerprint}"
    )


def find(
    queue: Queue,
    search: Search,
    *,
    state: str | None = None,
    dead_only: bool = False,
    after: str | None = None,
    before: str | None = None,
    size: int = limits.PAGE_SIZE,
    in_brief: bool = False,
    now: datetime | None = None,
) -> Page:
    """One page of what matches, given up after a few seconds. In brief, bodies come without their rest."""
    if search.problems:
        return Page([])
    rows = _matching(queue, search, state, dead_only, now)
    if in_brief:
        rows = look.in_brief(rows)
    backwards = before is not None and after is None
    edge = ids.decode("msg", (before if backwards else after) or "")
    if edge is not None:
        rows = rows.filter(id__lt=edge) if backwards else rows.filter(id__gt=edge)
    with in_time():
        found = list(rows.order_by(*order(search, backwards))[: size + 1])
    return _page(found, size, backwards, came_from=edge is not None)


@contextmanager
def in_time() -> Iterator[None]:
    """For a person who waits: a statement that takes longer than a few seconds is given up."""
    with at_most(limits.SEARCH_SECONDS, otherwise=SearchTooSlow):
        yield


def count(
    queue: Queue, search: Search, *, dead_only: bool = False, most: int = limits.EXACT_COUNT_OF_MANY
) -> int | None:
    """How many match, counted no further than `most`; None when even that takes too long."""
    rows = _matching(queue, search, None, dead_only, None).order_by(*order(search))
    try:
        with at_most(limits.COUNT_SECONDS, otherwise=SearchTooSlow):
            return rows[:most].count()
    except SearchTooSlow:
        return None


def order(search: Search, backwards: bool = False) -> list[str]:
    """By id. Within one group also by the group, which is all the same, so that its own index serves: for the
    first ids alone the planner, when the group is rare, may walk the whole queue."""
    names = ["fingerprint", "id"] if "fingerprint" in search.filter else ["id"]
    return [f"-{name}" for name in names] if backwards else names


def _matching(
    queue: Queue, search: Search, state: str | None, dead_only: bool, now: datetime | None
) -> QuerySet[Message]:
    rows = look.browse(queue, state=state, now=now)
    if dead_only:
        rows = rows.filter(dead_lettered_at__isnull=False)
    return redrive_filters.narrowed(rows, queue.team_id, search.filter)


def _page(found: list[Message], size: int, backwards: bool, came_from: bool) -> Page:
    more, rows = len(found) > size, found[:size]
    if backwards:
        rows.reverse()
    if not rows:
        return Page([])
    has_next, has_previous = (True, more) if backwards else (more, came_from)
    return Page(rows, rows[-1].public_id if has_next else None, rows[0].public_id if has_previous else None)


def _take_in(found: dict[str, Any], name: str | None, word: str, now: datetime) -> None:
    if not name:
        found.setdefault("text", []).append(word)
        return
    kind, _, part = name.partition(".")
    if part and kind in NAMED:
        found.setdefault(NAMED[kind], {})[part] = word
    elif not part and kind in PLAIN:
        found[PLAIN[kind]] = word
    elif not part and kind in READERS:
        READERS[kind](found, word, now)
    else:
        raise Invalid(f"There is no such qualifier. Known are {KNOWN}; put other text in quotes.")


def _age(found: dict[str, Any], word: str, now: datetime) -> None:
    match = AGE.match(word)
    try:
        moment = now - timedelta(**{UNITS[match[3]]: int(match[2])}) if match else None
    except OverflowError:
        moment = None
    if match is None or moment is None:
        raise Invalid("Give an age such as >1h, <30m or >2d.")
    found["entered_before" if match[1] == ">" else "entered_after"] = moment


def _redriven(found: dict[str, Any], word: str, now: datetime) -> None:
    match = COMPARED.match(word)
    if match is None:
        raise Invalid("Give a number such as 3, >2 or <3.")
    number = int(match[2])
    if match[1] != "<":
        found["min_redrive_count"] = number + (match[1] == ">")
    if match[1] != ">":
        found["max_redrive_count"] = max(0, number - (match[1] == "<"))


def _id(found: dict[str, Any], word: str, now: datetime) -> None:
    found.setdefault("message_ids", []).append(word)


NAMED = {"attribute": "attribute_text", "data": "data"}
PLAIN = {"error": "error", "fingerprint": "fingerprint", "group": "group_id", "source": "source_queue"}
READERS: dict[str, Callable[[dict[str, Any], str, datetime], None]] = {
    "age": _age,
    "redriven": _redriven,
    "id": _id,
}
