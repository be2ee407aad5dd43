"""`manage.py seed_demo`: a team whose queues look like a working day, to try the console on."""

import random
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from queues.demo import filling
from queues.demo.scenes import SCENES
from queues.management.refusals import in_one_sentence
from queues.models import Role, Team
from queues.operations.teams import find_team

MOST = 100_000


class Command(BaseCommand):
    help = (
        "Fill a team with queues in every state: dead letters of several causes, a full queue, a paused one, "
        "one without consumers, a redrive, a trash and a day of charts. It touches no queue that exists."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--team", default="demo", help="the team that gets them (default: demo)")
        parser.add_argument(
            "--dead-letters", type=int, default=600, metavar="N", help="how many (default: 600)"
        )
        parser.add_argument("--seed", type=int, help="the same number makes the same messages")

    def handle(self, *args: Any, team: str, dead_letters: int, seed: int | None, **options: Any) -> None:
        if not 1 <= dead_letters <= MOST:
            raise CommandError(f"--dead-letters: Must be between 1 and {MOST}.")
        rng = random.Random(seed)  # noqa: S311  # no secret is drawn from it
        with in_one_sentence():
            chosen = find_team(team)
            filling.verify_room(chosen)
            made = filling.fill(chosen, _owner(chosen), dead_letters, rng, timezone.now())
            total = sum(tqdm(made, total=dead_letters, unit="letter", disable=not sys.stderr.isatty()))
        self.stdout.write(
            f"The team {chosen.name} has {len(SCENES)} more queues and {total} dead letters: "
            "look at them at /console/."
        )


def _owner(team: Team) -> User:
    """In whose name the demo works: redrives and the audit show it."""
    owner = User.objects.filter(memberships__team=team, memberships__role=Role.OWNER).order_by("pk").first()
    if owner is None:
        raise CommandError(f"The team {team.name} has no owner yet: the demo works in the owner's name.")
    return owner
