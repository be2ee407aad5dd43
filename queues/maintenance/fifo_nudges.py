"""Takes in the nudges of FIFO queues nobody polls, so that they do not pile up."""

from datetime import datetime

from queues.models import FifoGroup, FifoNudge


def run_once(batch: int, now: datetime | None = None) -> int:
    oldest = FifoNudge.objects.order_by("id").values_list("queue_id", flat=True)[:batch]
    return sum(FifoGroup.objects.fold(queue_id, batch, now) for queue_id in sorted(set(oldest)))
