"""`manage.py archive_dead_letters`: starts the Spark job that keeps dead letters about to expire."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from queues.management import spark_process
from queues.management.durations import duration
from queues.management.finding import find_dead_letter_queue
from queues.management.refusals import in_one_sentence

JOB = spark_process.job("dead_letters")


class Command(BaseCommand):
    help = (
        "Put dead letters that are about to expire into the lake, with their bodies, each of them once. "
        "Exit status: 0 done, 1 it could not be done, 2 it made no sense."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--lake", metavar="PATH|s3a://…", help="where Parquet is kept; else SIMPLEMQ_LAKE"
        )
        parser.add_argument(
            "--within", type=duration, help="archive what expires within this time, as in 48h; else 24h"
        )
        parser.add_argument("--queue", help="only this dead-letter queue, or that of a queue which has one")
        parser.add_argument("--team", help="the team that has the queue, when several have one of that name")
        parser.add_argument("--master", help="a Spark master; else SIMPLEMQ_SPARK_MASTER, which is local[*]")
        parser.add_argument("--dry-run", action="store_true", help="tell how many, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            command = [*JOB, *_arguments(options)]
        spark_process.run(command)


def _arguments(options: dict[str, Any]) -> Iterator[str]:
    """What was given, as the job is told it; what it means is for the job to say."""
    if options["team"] and options["queue"] is None:
        raise CommandError("--team says whose queue is meant: give --queue as well.", returncode=2)
    yield from ("--master", options["master"] or settings.SIMPLEMQ_SPARK_MASTER)
    yield from ("--lake", options["lake"] or settings.SIMPLEMQ_LAKE)
    if options["within"]:
        yield from ("--within", str(options["within"].total_seconds()))
    if options["queue"] is not None:
        yield from ("--queue", str(find_dead_letter_queue(options["queue"], options["team"]).pk))
    if options["dry_run"]:
        yield "--dry-run"
