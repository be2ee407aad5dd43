"""What the parts share: the running service, queues on it, and ways to load it and to look at it."""

from dataclasses import dataclass
from functools import cached_property

import psutil
from django.conf import settings
from django.db import connection

from benchmarks.cpu import CpuMeter
from benchmarks.errors import CannotMeasure
from benchmarks.http_load import Target
from benchmarks.pgbench import Pgbench
from benchmarks.plan import Plan
from benchmarks.progress import Progress
from benchmarks.recording import Recording, record
from benchmarks.service import HOST, Service
from queues.models import Queue, Team
from queues.operations.queues import create

# The load shape of the service's first document.
CLIENTS, QUEUES = 10, 15
BODY = "a message of ordinary size, the same over HTTP and in SQL " + "x" * 64


@dataclass
class Stage:
    service: Service
    plan: Plan
    progress: Progress

    @cached_property
    def queues(self) -> list[Queue]:
        """With consecutive numbers, so that pgbench can draw one."""
        made = [_new_queue(f"bench-{number:02}") for number in range(QUEUES)]
        if made[-1].pk - made[0].pk != QUEUES - 1:
            raise CannotMeasure("somebody else makes queues in this database.")
        return made

    @cached_property
    def fifo_queues(self) -> list[Queue]:
        return [_new_queue(f"bench-{number:02}.fifo", mode="fifo") for number in range(QUEUES)]

    @cached_property
    def hot_queue(self) -> Queue:
        return _new_queue("bench-hot")

    @property
    def target(self) -> Target:
        ids, fifo_ids = ([queue.public_id for queue in some] for some in (self.queues, self.fifo_queues))
        return Target(HOST, self.service.port, self.service.api_key, ids, fifo_ids, BODY)

    @property
    def pgbench(self) -> Pgbench:
        """Plans depend on the options of the session, so these are the service's own."""
        options = settings.DATABASES["default"]["OPTIONS"].get("options", "")
        return Pgbench(self.service.database_url, options, self.progress.heartbeat)

    def cpu(self) -> CpuMeter:
        web, database = self.service.child("gunicorn"), self.service.child("bin/postgres")
        return CpuMeter({"web": web, "database": database})

    def record(self, queue: Queue, batch: int) -> Recording:
        recording = record(queue, BODY, batch)
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        return recording


def _new_queue(name: str, **settings: str) -> Queue:
    queue, _ = create(Team.objects.get(), name=name, **settings)
    return queue


def machine() -> dict[str, object]:
    with connection.cursor() as cursor:
        shown = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers")
        cursor.execute("SELECT name, setting FROM pg_settings WHERE name = ANY (%s)", [list(shown)])
        database = dict(cursor.fetchall())
    load = psutil.getloadavg()[0]
    return {"cpus": psutil.cpu_count(), "load_before": load, "postgres": database}
