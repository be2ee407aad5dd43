"""What one start of the metrics job is to do: read once, from its arguments and the environment."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from spark_jobs.arguments import Common, Parser, common, count, positive, time
from spark_jobs.errors import UsageError

BUCKETS = {"1m": 60, "5m": 300, "1h": 3600}


@dataclass(frozen=True, kw_only=True)
class Config(Common):
    buckets: tuple[int, ...]  # sizes in seconds, the smallest first
    start: datetime | None  # None: from where the last run ended
    stop: datetime | None
    every: float | None  # seconds from one run to the next; None: once
    settle_seconds: float  # how long a statement may take to become visible
    grace_seconds: float  # how far back each run looks again for rows that came late
    advice_hours: float  # how far back advice looks
    log: str  # where finished messages are read: the table, the lake or both
    log_retention_days: int  # older days of the log belong in the lake

    @classmethod
    def read(cls, argv: Sequence[str], env: Mapping[str, str]) -> "Config":
        given = _parser(env).parse_args(argv)
        fields: dict[str, Any] = {
            **common(given),
            "buckets": tuple(sorted(set(given.bucket or BUCKETS.values()))),
            "start": given.start,
            "stop": given.stop,
            "every": given.every,
            "settle_seconds": given.settle_seconds,
            "grace_seconds": given.grace_seconds,
            "advice_hours": given.advice_hours,
            "log": given.log or ("both" if given.lake else "table"),
            "log_retention_days": given.log_retention_days,
        }
        _check(given)
        return cls(**fields)


def _check(given: argparse.Namespace) -> None:
    if given.since_last and (given.start or given.stop):
        raise UsageError("Give either --since-last or --from and --to, not both.")
    if given.stop and not given.start:
        raise UsageError("--to needs --from.")
    if given.start and given.stop and given.start >= given.stop:
        raise UsageError(f"--from {given.start.isoformat()} is not before --to {given.stop.isoformat()}.")
    if given.every is not None and given.start:
        raise UsageError("--every goes on from the last run: it cannot be combined with --from.")
    if given.log in ("lake", "both") and not given.lake:
        raise UsageError(f"--log {given.log} needs --lake.")
    if given.log == "lake" and not given.start:
        raise UsageError("--log lake computes a time that is past: it needs --from.")


def _parser(env: Mapping[str, str]) -> Parser:
    parser = Parser("metrics", "History and advice of queues.", env)
    parser.add_argument(
        "--since-last", action="store_true", help="from where the last run ended: the default"
    )
    parser.add_argument("--from", dest="start", type=time, metavar="TIME", help="compute this window again")
    parser.add_argument(
        "--to", dest="stop", type=time, metavar="TIME", help="its end; else as far as settled"
    )
    parser.add_argument(
        "--bucket",
        type=_bucket,
        action="append",
        metavar="1m|5m|1h",
        help="may be repeated; else all",
    )
    parser.add_argument("--every", type=positive, metavar="SECONDS", help="again and again, until stopped")
    parser.add_argument("--settle-seconds", type=positive, default=10.0)
    parser.add_argument("--grace-seconds", type=positive, default=300.0)
    parser.add_argument("--advice-hours", type=positive, default=24.0)
    parser.add_argument(
        "--log",
        choices=["table", "lake", "both"],
        help="where finished messages are read: days that are in the lake from there, or nothing else",
    )
    parser.add_argument(
        "--log-retention-days",
        type=count,
        default=env.get("SIMPLEMQ_LOG_RETENTION_DAYS") or "30",
        metavar="DAYS",
        help="with --lake: older days of the log are archived there",
    )
    return parser


def _bucket(text: str) -> int:
    if text not in BUCKETS:
        raise argparse.ArgumentTypeError(f"{text!r} is no size of bucket; choose {', '.join(BUCKETS)}")
    return BUCKETS[text]
