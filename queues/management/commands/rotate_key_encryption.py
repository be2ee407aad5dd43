from typing import Any

from django.core.management.base import BaseCommand

from queues.management.refusals import in_one_sentence
from queues.operations.keys import reencrypt_all


class Command(BaseCommand):
    help = (
        "Encrypt every API key's secret under the first of SIMPLEMQ_KEY_ENCRYPTION_SECRETS. "
        "Put the new one first, restart every worker, run this, then remove the old one."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            count = reencrypt_all()
        self.stdout.write(f"Encrypted {count} API key secrets under the first encryption secret.")
