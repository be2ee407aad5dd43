"""What one start of the job is to do: read once, from its arguments and the environment."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NoReturn

from spark_jobs.errors import UsageError

BUCKETS = {"1m": 60, "5m": 300, "1h": 3600}
NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
WHOLE_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
MASTER = re.compile(r"|local|local\[(\*|[1-9]\d*)(,\d+)?\]|spark://.+:\d+(,.+:\d+)*|yarn|k8s://.+")


@dataclass(frozen=True)
class Config:
    database_url: str  # the primary: results, watermark and lock
    source_url: str  # where messages are read: a replica, a read-only role, or the same
    master: str  # empty: as spark-submit has it
    buckets: tuple[int, ...]  # sizes in seconds, the smallest first
    start: datetime | None  # None: from where the last run ended
    stop: datetime | None
    queue_id: int | None
    dry_run: bool
    every: float | None  # seconds from one run to the next; None: once
    settle_seconds: float  # how long a statement may take to become visible
    grace_seconds: float  # how far back each run looks again for rows that came late
    advice_hours: float  # how far back advice looks
    partitions: int  # how many readers the database sees at once
    parent: int | None  # the process to end with

    @classmethod
    def read(cls, argv: Sequence[str], env: Mapping[str, str]) -> "Config":
        given = _parser(env).parse_args(argv)
        if not given.database_url:
            raise UsageError("Say which database: set DATABASE_URL or give --database-url.")
        if not MASTER.fullmatch(given.master):
            raise UsageError(
                f"{given.master!r} is no Spark master; "
                "write for example local[*], spark://host:7077, yarn or k8s://https://host:443."
            )
        if given.since_last and (given.start or given.stop):
            raise UsageError("Give either --since-last or --from and --to, not both.")
        if given.stop and not given.start:
            raise UsageError("--to needs --from.")
        if given.start and given.stop and given.start >= given.stop:
            raise UsageError(f"--from {given.start.isoformat()} is not before --to {given.stop.isoformat()}.")
        if given.every is not None and given.start:
            raise UsageError("--every goes on from the last run: it cannot be combined with --from.")
        return cls(
            database_url=given.database_url,
            source_url=given.source_url or given.database_url,
            master=given.master,
            buckets=tuple(sorted(set(given.bucket or BUCKETS.values()))),
            start=given.start,
            stop=given.stop,
            queue_id=given.queue,
            dry_run=given.dry_run,
            every=given.every,
            settle_seconds=given.settle_seconds,
            grace_seconds=given.grace_seconds,
            advice_hours=given.advice_hours,
            partitions=given.partitions,
            parent=given.parent,
        )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence, without the list of all options before it."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.")


def _parser(env: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m spark_jobs.jobs.metrics", description="History and advice of queues.")
    parser.add_argument(
        "--database-url",
        default=env.get("DATABASE_URL", ""),
        help="else from DATABASE_URL, which nobody sees",
    )
    parser.add_argument(
        "--source-url",
        default=env.get("SIMPLEMQ_METRICS_SOURCE_URL", ""),
        help="read messages here, from a replica or by a role that may only read",
    )
    # Under spark-submit there is a master already, and a gateway to it.
    chosen = "" if "PYSPARK_GATEWAY_PORT" in env else "local[*]"
    parser.add_argument("--master", default=env.get("SIMPLEMQ_SPARK_MASTER") or chosen)
    parser.add_argument(
        "--since-last", action="store_true", help="from where the last run ended: the default"
    )
    parser.add_argument("--from", dest="start", type=_time, metavar="TIME", help="compute this window again")
    parser.add_argument(
        "--to", dest="stop", type=_time, metavar="TIME", help="its end; else as far as settled"
    )
    parser.add_argument(
        "--bucket",
        type=_bucket,
        action="append",
        metavar="1m|5m|1h",
        help="may be repeated; else all",
    )
    parser.add_argument("--queue", type=_count, metavar="ID", help="only this queue; the watermark stays")
    parser.add_argument("--dry-run", action="store_true", help="compute and tell, write nothing")
    parser.add_argument("--every", type=_positive, metavar="SECONDS", help="again and again, until stopped")
    parser.add_argument("--settle-seconds", type=_positive, default=10.0)
    parser.add_argument("--grace-seconds", type=_positive, default=300.0)
    parser.add_argument("--advice-hours", type=_positive, default=24.0)
    parser.add_argument("--partitions", type=_count, default=8)
    parser.add_argument("--parent", type=_count, metavar="PID", help="end when this process does")
    return parser


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write for example 2026-11-18T09:00Z"
        ) from None


def _bucket(text: str) -> int:
    if text not in BUCKETS:
        raise argparse.ArgumentTypeError(f"{text!r} is no size of bucket; choose {', '.join(BUCKETS)}")
    return BUCKETS[text]


def _positive(text: str) -> float:
    if not NUMBER.fullmatch(text) or float(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above zero")
    return float(text)


def _count(text: str) -> int:
    if not WHOLE_NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
