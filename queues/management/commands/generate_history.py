"""`manage.py generate_history`: a week of a busy service in the log, for demonstrations and measurements."""

import argparse
import sys
import time
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone
from tqdm import tqdm

from queues.management import interruption
from queues.management.commands.bootstrap_demo import TEAM
from queues.management.refusals import in_one_sentence
from queues.models import MetricsWatermark, Queue, Team
from queues.operations import generate_history, teams
from queues.operations.generate_history import Written
from queues.synthetic_history import HOUR, Incident, Story

PARTIAL = 3


class Command(BaseCommand):
    help = (
        "Write made-up history of finished messages into the log: daily waves, a weekend's dip, retries, "
        "a bad deploy, a burst of poison and a noisy tenant. No message is sent. "
        "Exit status: 0 all written, 1 nothing done, 3 stopped; whole hours stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queues", type=int, default=50, metavar="N", help="how many queues (50)")
        parser.add_argument("--messages", type=int, default=1_000_000, metavar="N", help="in all (1000000)")
        parser.add_argument("--days", type=int, default=7, metavar="N", help="how far back it begins (7)")
        parser.add_argument(
            "--until", type=_moment, metavar="TIME", help="when it ends, as 2026-11-18T12:00Z (now)"
        )
        parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same messages (1)")
        parser.add_argument("--team", default=TEAM, help=f"whose queues; made if there is none ({TEAM})")
        parser.add_argument(
            "--force", action="store_true", help="write into queues that have history of their own"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        story = Story(
            queues=options["queues"],
            messages=options["messages"],
            days=options["days"],
            until=options["until"] or timezone.now().replace(microsecond=0),
            seed=options["seed"],
        )
        began = time.monotonic()
        with in_one_sentence():
            generate_history.verified(story)
            team = Team.objects.filter(name=options["team"]).first() or teams.create_team(options["team"])
            queues = generate_history.prepare(team, story, options["force"])
        written = _write(queues, story)
        self.stdout.write(
            f"Wrote {written.messages:,} messages ({written.rows:,} rows) of {len(queues)} queues "
            f"of the team {team.name} in {time.monotonic() - began:.1f} s, {_span(story.since, story.until)}."
        )
        if written.messages < story.messages:
            self.stdout.write("Stopped; the hours that are written stay.")
            raise SystemExit(PARTIAL)
        for incident in story.incidents:
            self.stdout.write(_told(incident, queues, story))
        self.stdout.write(f"To see it in the console: manage.py run_metrics{_from(story)}")


def _write(queues: list[Queue], story: Story) -> Written:
    messages = rows = 0
    with (
        interruption.as_a_request() as interrupted,
        tqdm(total=story.messages, unit=" messages", unit_scale=True, disable=None, file=sys.stderr) as bar,
    ):
        for written in generate_history.write(queues, story):
            messages, rows = messages + written.messages, rows + written.rows
            bar.update(written.messages)
            if interrupted.is_set():
                break
    return Written(messages, rows)


def _told(incident: Incident, queues: list[Queue], story: Story) -> str:
    names = ", ".join(queues[number].name for number in sorted(incident.queues))
    span = _span(story.until - incident.begins * HOUR, story.until - incident.ends * HOUR)
    return f"A {incident.title} in {names}, {span}."


def _span(since: datetime, until: datetime) -> str:
    return f"{since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC"


def _from(story: Story) -> str:
    """The job goes on where it last ended: of what is written behind its back it has to be told."""
    has_run = MetricsWatermark.objects.filter(computed_until__gt=story.since).exists()
    return f" --from {story.since:%Y-%m-%dT%H:%MZ}" if has_run else ""


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 2026-11-18T12:00Z") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
