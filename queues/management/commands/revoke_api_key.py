from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from queues.management.refusals import in_one_sentence
from queues.operations.keys import revoke_api_key


class Command(BaseCommand):
    help = "Revoke an API key. It is refused from the next request on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("access_key_id", help="SMQ… as printed when the key was created")

    def handle(self, *args: Any, access_key_id: str, **options: Any) -> None:
        with in_one_sentence():
            key = revoke_api_key(access_key_id)
        self.stdout.write(f"Revoked API key {key.name} ({key.access_key_id}) of team {key.team.name}.")
