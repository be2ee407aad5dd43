"""`manage.py run_metrics`: starts the Spark job that makes history and advice of what happened to messages.

The job is a process of its own, which knows nothing of Django: see spark_jobs/README.md. Its progress and its
exit status are passed on.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from queues.management import spark_process
from queues.management.durations import duration
from queues.management.finding import find_queue
from queues.management.refusals import in_one_sentence

JOB = spark_process.job("metrics")


class Command(BaseCommand):
    help = (
        "Compute the history of queues and advice on their settings, from where the last run ended. "
        "Exit status: 0 done, 1 it could not be done, 2 it made no sense."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since-last", action="store_true", help="go on from the last run: the default")
        parser.add_argument("--from", metavar="TIME", help="compute again from here, as in 2026-11-18T09:00Z")
        parser.add_argument("--to", metavar="TIME", help="up to here; else as far as everything is settled")
        parser.add_argument(
            "--bucket",
            action="append",
            default=[],
            metavar="1m|5m|1h",
            help="may be repeated; else all",
        )
        parser.add_argument("--queue", help="only this queue, by name or id")
        parser.add_argument("--team", help="the team that has the queue, when several have one of that name")
        parser.add_argument("--master", help="a Spark master; else SIMPLEMQ_SPARK_MASTER, which is local[*]")
        parser.add_argument(
            "--lake",
            metavar="PATH|s3a://…",
            help="archive old days of the log there, and export history; else SIMPLEMQ_LAKE",
        )
        parser.add_argument(
            "--log",
            choices=["table", "lake", "both"],
            help="where to read finished messages: with a lake both, days that are there from there",
        )
        parser.add_argument("--every", type=duration, help="again and again until stopped, as in 60s")
        parser.add_argument("--dry-run", action="store_true", help="compute and tell, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            command = [*JOB, *_arguments(options)]
        spark_process.run(command)


def _arguments(options: dict[str, Any]) -> Iterator[str]:
    """What was given, as the job is told it; what it means is for the job to say."""
    yield from ("--master", options["master"] or settings.SIMPLEMQ_SPARK_MASTER)
    if lake := options["lake"] or settings.SIMPLEMQ_LAKE:
        yield from ("--lake", lake)
        yield from ("--log-retention-days", str(settings.SIMPLEMQ_LOG_RETENTION_DAYS))
    for name in ("from", "to", "log"):
        if options[name] is not None:
            yield from (f"--{name}", options[name])
    for bucket in options["bucket"]:
        yield from ("--bucket", bucket)
    if options["queue"] is not None:
        yield from ("--queue", str(find_queue(options["queue"], options["team"]).pk))
    if options["every"]:
        yield from ("--every", str(options["every"].total_seconds()))
    for name in ("since_last", "dry_run"):
        if options[name]:
            yield "--" + name.replace("_", "-")
