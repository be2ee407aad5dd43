"""Takes a sample of every queue for the charts, and forgets those of more than a day ago."""

from datetime import datetime

from queues.operations import samples


def run_once(batch: int, now: datetime | None = None) -> int:
    """Answers 0 whatever it did: nobody has to hear of it, and there is never more to do at once."""
    samples.take(now)
    samples.forget(now)
    return 0
