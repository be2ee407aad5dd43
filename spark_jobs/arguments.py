"""What the jobs are told in the same words: the database, the Spark, the lake, a queue."""

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NoReturn

from spark_jobs.errors import UsageError
from spark_jobs.lake import Lake

NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
WHOLE_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
MASTER = re.compile(r"|local|local\[(\*|[1-9]\d*)(,\d+)?\]|spark://.+:\d+(,.+:\d+)*|yarn|k8s://.+")


@dataclass(frozen=True, kw_only=True)
class Common:
    """What every job has to know."""

    database_url: str  # the primary: results, watermark and lock
    source_url: str  # where messages are read: a replica, a read-only role, or the same
    master: str  # empty: as spark-submit has it
    lake: Lake | None  # where Parquet is kept
    queue_id: int | None  # the only one to look at
    partitions: int  # how many readers the database sees at once
    dry_run: bool
    parent: int | None  # the process to end with


class Parser(argparse.ArgumentParser):
    """Knows the common arguments, and refuses the others."""

    def __init__(self, job: str, description: str, env: Mapping[str, str]) -> None:
        super().__init__(prog=f"python -m spark_jobs.jobs.{job}", description=description)
        self.add_argument(
            "--database-url",
            default=env.get("DATABASE_URL", ""),
            help="else from DATABASE_URL, which nobody sees",
        )
        self.add_argument(
            "--source-url",
            default=env.get("SIMPLEMQ_METRICS_SOURCE_URL", ""),
            help="read messages here, from a replica or by a role that may only read",
        )
        # Under spark-submit there is a master already, and a gateway to it.
        chosen = "" if "PYSPARK_GATEWAY_PORT" in env else "local[*]"
        self.add_argument("--master", default=env.get("SIMPLEMQ_SPARK_MASTER") or chosen)
        self.add_argument(
            "--lake",
            default=env.get("SIMPLEMQ_LAKE", ""),
            metavar="PATH|s3a://…",
            help="where Parquet is kept, for all workers to see; else from SIMPLEMQ_LAKE",
        )
        self.add_argument("--queue", type=count, metavar="ID", help="only this queue")
        self.add_argument("--partitions", type=count, default=8)
        self.add_argument("--parent", type=count, metavar="PID", help="end when this process does")
        self.add_argument("--dry-run", action="store_true", help="tell what would be done, write nothing")

    def error(self, message: str) -> NoReturn:
        """One sentence, without the list of all options before it."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.")


def common(given: argparse.Namespace) -> dict[str, object]:
    """The fields of `Common`, once they make sense."""
    if not given.database_url:
        raise UsageError("Say which database: set DATABASE_URL or give --database-url.")
    if not MASTER.fullmatch(given.master):
        raise UsageError(
            f"{given.master!r} is no Spark master; "
            "write for example local[*], spark://host:7077, yarn or k8s://https://host:443."
        )
    return {
        "database_url": given.database_url,
        "source_url": given.source_url or given.database_url,
        "master": given.master,
        "lake": Lake(given.lake) if given.lake else None,
        "queue_id": given.queue,
        "partitions": given.partitions,
        "dry_run": given.dry_run,
        "parent": given.parent,
    }


def time(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; write for example 2026-11-18T09:00Z"
        ) from None


def positive(text: str) -> float:
    if not NUMBER.fullmatch(text) or float(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above zero")
    return float(text)


def count(text: str) -> int:
    if not WHOLE_NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
