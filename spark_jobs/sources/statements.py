"""The SQL of the data source: one statement for each partition that Spark reads by itself.

Columns and ranges are pushed down into it, because Spark would do neither. Every value in it is a number or a
time of ours, never a text of somebody else's.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from uuid import UUID

from spark_jobs.contract import DEAD_LETTER, MESSAGE_LOG, MESSAGE_STAY, Table
from spark_jobs.days import apart_from, bounds_of

SLICE = timedelta(minutes=5)  # of the log, at the least, for a reader of its own
# What the driver for Arrow would hand over as types that Spark does not know.
AS_TEXT = {"uuid", "jsonb"}
# Before letters are read: of messages there are no statistics, so the planner takes all of them for dead ones
# and would read them all. Row by row through its indexes it meets only those that are asked for.
BY_INDEX = tuple(f"SET enable_{way} = off" for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin"))


def stays(
    columns: Sequence[str],
    start: datetime,
    stop: datetime,
    settled_until: datetime,
    queue_id: int | None,
    partitions: int,
    elsewhere: Sequence[date] = (),
) -> list[str]:
    """Every stay that overlaps [start, stop), once; `stays` is how many a row stands for.

    Days of the log that are read elsewhere are left out.
    """
    asked = (columns, start, stop, settled_until, queue_id, partitions)
    return settled_stays(*asked, elsewhere) + open_stays(*asked)


def settled_stays(
    columns: Sequence[str],
    start: datetime,
    stop: datetime,
    settled_until: datetime,
    queue_id: int | None,
    partitions: int,
    elsewhere: Sequence[date] = (),
) -> list[str]:
    """Stays that overlap [start, stop) and ended before `settled_until`: these rows change no more.

    By slices of time, each a few partitions of the log and nothing else.
    """
    return [
        f"SELECT {_selected(columns)}, 1::bigint AS stays FROM message_stay"
        f" WHERE logged_at >= {_time(lower)} AND logged_at < {_time(upper)}"
        f" AND {_overlapping(start, stop, queue_id)}"
        for span in apart_from(elsewhere, start, settled_until)
        for lower, upper in pairwise(_slices(*span, partitions))
    ]


def open_stays(
    columns: Sequence[str],
    start: datetime,
    stop: datetime,
    settled_until: datetime,
    queue_id: int | None,
    partitions: int,
) -> list[str]:
    """Stays that overlap [start, stop) and are not settled: live, in the trash, or logged just now.

    A message that ends while we read is live in one snapshot and logged in the next. Slices are therefore of
    ids, so that all there is of a message comes out of one statement. Messages that nothing happened to since
    `start` are counted, not listed: a deep queue costs one row.
    """
    return [
        f"SELECT {_selected(columns)}, 1::bigint AS stays FROM message_stay"
        f" WHERE {shown} AND touched_at >= {_time(start)}"
        f" UNION ALL SELECT {_counted(columns)}, count(*) AS stays FROM message_stay"
        f" WHERE {shown} AND touched_at < {_time(start)} AND ended_at IS NULL GROUP BY team_id, queue_id"
        for ids in _id_slices(start, settled_until, partitions)
        for shown in [f"logged_at >= {_time(settled_until)} AND {_overlapping(start, stop, queue_id)}{ids}"]
    ]


def log(columns: Sequence[str], day: date, partitions: int) -> list[str]:
    """All that was logged on one day."""
    return [
        f"SELECT {_selected(columns, MESSAGE_LOG)} FROM message_log"
        f" WHERE finished_at >= {_time(lower)} AND finished_at < {_time(upper)}"
        for lower, upper in pairwise(_slices(*bounds_of(day), partitions))
    ]


def rows(
    table: Table,
    columns: Sequence[str],
    bucket_seconds: int | None = None,
    start: datetime | None = None,
    stop: datetime | None = None,
    queue_id: int | None = None,
) -> list[str]:
    """Rows of a small table: settings, or history that was computed earlier."""
    conditions = [
        f"bucket_seconds = {bucket_seconds:d}" if bucket_seconds is not None else "",
        f"bucket_start >= {_time(start)}" if start is not None else "",
        f"bucket_start < {_time(stop)}" if stop is not None else "",
        f"queue_id = {queue_id:d}" if queue_id is not None else "",
    ]
    where = " AND ".join(filter(None, conditions)) or "true"
    return [f"SELECT {_selected(columns, table)} FROM {table.name} WHERE {where}"]


def dying_letters(columns: Sequence[str], until: datetime, queue_id: int | None) -> list[str]:
    """Dead letters that expire up to then. One statement is one snapshot: none comes twice, none is missed.

    By retention and by their own time to live, apart, because each has an index of its own.
    """
    is_retention_over = f"entered_at <= {_time(until)} - make_interval(secs => retention_seconds)"
    is_ttl_over = f"ttl_expires_at <= {_time(until)}"
    queue = f" AND queue_id = {queue_id:d}" if queue_id is not None else ""
    branches = [
        f"SELECT {_selected(columns, DEAD_LETTER)} FROM dead_letter WHERE {is_over}{queue}"
        for is_over in (is_retention_over, f"{is_ttl_over} AND NOT {is_retention_over}")
    ]
    return [" UNION ALL ".join(branches)]


def letters(columns: Sequence[str], keys: Iterable[tuple[int, UUID, datetime]]) -> str:
    """These letters, as far as they are still there: of one that died again since, this death is over."""
    wanted = ", ".join(f"({queue_id:d}, '{uid}'::uuid, {_time(died)})" for queue_id, uid, died in keys)
    named = ", ".join(DEAD_LETTER.key)
    return f"SELECT {_selected(columns, DEAD_LETTER)} FROM dead_letter WHERE ({named}) IN (VALUES {wanted})"


def _selected(columns: Sequence[str], table: Table = MESSAGE_STAY) -> str:
    return ", ".join(
        f"{name}::text AS {name}" if table.columns[name] in AS_TEXT else name for name in columns
    )


def _counted(columns: Sequence[str]) -> str:
    """The same columns of many stays at once: whose they are, and when the oldest began."""
    known = {"team_id": "team_id", "queue_id": "queue_id", "enqueued_at": "min(enqueued_at)"}
    counts = {name for name, kind in MESSAGE_STAY.columns.items() if kind == "integer"}
    return ", ".join(known.get(name) or ("0" if name in counts else _null(name)) for name in columns)


def _null(name: str) -> str:
    kind = MESSAGE_STAY.columns[name]
    return f"NULL::{'text' if kind in AS_TEXT else kind}"


def _overlapping(start: datetime, stop: datetime, queue_id: int | None) -> str:
    queue = f" AND queue_id = {queue_id:d}" if queue_id is not None else ""
    ended = f"(ended_at IS NULL OR ended_at >= {_time(start)})"
    return f"enqueued_at < {_time(stop)} AND {ended}{queue}"


def _slices(start: datetime, stop: datetime, most: int) -> list[datetime]:
    """The bounds of equal slices, no more and no shorter than makes sense."""
    number = max(1, min(most, (stop - start) // SLICE))
    step = (stop - start) / number
    return [*(start + index * step for index in range(number)), stop]


def _id_slices(start: datetime, stop: datetime, most: int) -> list[str]:
    """Conditions on the id, which begins with the time of the send: older ones, and slices of the others."""
    bounds = [_lowest_id(time) for time in _slices(start, stop, most)][:-1]
    lower = ["", *(f" AND message_id >= '{bound}'" for bound in bounds)]
    upper = [*(f" AND message_id < '{bound}'" for bound in bounds), ""]
    return [from_id + to_id for from_id, to_id in zip(lower, upper, strict=True)]


def _lowest_id(time: datetime) -> str:
    """The lowest uuid of version 7 that is drawn at this time."""
    text = f"{max(0, int(time.timestamp() * 1000)):012x}"
    return f"{text[:8]}-{text[8:]}-0000-0000-000000000000"


def _time(time: datetime) -> str:
    return f"'{time.astimezone(UTC).isoformat()}'::timestamptz"
