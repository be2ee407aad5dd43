"""`manage.py run_maintenance`: keeps queues in order. Run one beside the service; more copies stand by."""

import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from queues.maintenance import loop


class Command(BaseCommand):
    help = "Run the maintenance duties until stopped. Safe in several copies: one works, the others stand by."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="run every duty once, say what it did, and stop"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            for name, done in loop.run_all_once():
                self.stdout.write(f"{name}: {done}")
            return
        self.stopped = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        loop.run_until(lambda: self.stopped)

    def _stop(self, *_: Any) -> None:
        self.stopped = True
