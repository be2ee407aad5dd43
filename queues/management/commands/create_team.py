from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from queues.management.refusals import in_one_sentence
from queues.operations.teams import create_team


class Command(BaseCommand):
    help = "Create a team. A team owns queues and API keys; nothing is visible across teams."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="1 to 80 letters, digits, hyphens or underscores")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        with in_one_sentence():
            team = create_team(name)
        self.stdout.write(f"Created team {team.name}.")
