"""A PostgreSQL of its own, full of made-up history, in a folder that is removed with all that is in it."""

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from benchmarks import libpq
from benchmarks.errors import CannotMeasure
from benchmarks.spark.plan import DAYS, QUEUES, Plan
from simplemq import processes
from simplemq.embedded_postgres import EmbeddedPostgres
from simplemq.serve_options import BASE_DIR

# What would make it another service than the one on a fresh machine.
FOREIGN = ("DATABASE_URL", "PGOPTIONS", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME")


@dataclass(frozen=True)
class Server:
    """Where the history is, and a folder for whatever a measurement leaves behind."""

    postgres: EmbeddedPostgres
    folder: Path
    heartbeat: processes.Heartbeat

    @property
    def url(self) -> str:
        return self.postgres.url

    @property
    def lake(self) -> Path:
        return self.folder / "lake"

    @property
    def process(self) -> psutil.Process:
        assert self.postgres.process is not None
        return psutil.Process(self.postgres.process.pid)

    @property
    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in FOREIGN and not name.startswith("SIMPLEMQ_")
        }
        return {
            **kept,
            **libpq.environment(self.url),
            "DATABASE_URL": self.url,
            "SIMPLEMQ_SECRET_KEY": secrets.token_urlsafe(48),
            "SIMPLEMQ_KEY_ENCRYPTION_SECRETS": secrets.token_urlsafe(48),
            "SPARK_LOCAL_DIRS": str(self.folder / "scratch"),
            "PYTHONPATH": str(BASE_DIR),
        }

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(self.url, autocommit=True)

    def spawn(self, *command: processes.Word) -> tuple[processes.Process, Path]:
        """A process, and the file in which it says what it has to say."""
        handle, name = tempfile.mkstemp(dir=self.folder, suffix=".log")
        with os.fdopen(handle, "wb") as output:
            return processes.spawn(command, output=output, env=self.environment), Path(name)

    def finish(self, process: processes.Process, said: Path) -> str:
        code = processes.finish(process, self.heartbeat)
        if code != 0:
            raise CannotMeasure(f"{process.args} ended with {code}: {said.read_text()[-2000:]}")
        return said.read_text()

    def manage(self, *words: str) -> str:
        return self.finish(*self.spawn(sys.executable, BASE_DIR / "manage.py", *words))


@contextmanager
def started(heartbeat: processes.Heartbeat) -> Iterator[Server]:
    """As durable as any other; only the tables are there."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="simplemq-bench-spark-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        postgres = EmbeddedPostgres(folder / "postgres", heartbeat=heartbeat)
        # Run by root, the server may keep its files elsewhere.
        stack.callback(shutil.rmtree, postgres.placement.home, ignore_errors=True)
        server = Server(stack.enter_context(postgres), folder, heartbeat)
        server.manage("migrate", "--verbosity", "0")
        yield server


def generate(server: Server, rows: int, plan: Plan) -> int:
    """Answers how many rows there are: a message that died has several."""
    story = {"queues": QUEUES, "messages": rows, "days": DAYS, "until": plan.until.isoformat()}
    server.manage("generate_history", *(f"--{name}={value}" for name, value in story.items()))
    with server.connect() as connection:
        # The planner of a service that has run for a week knows its tables.
        connection.execute("VACUUM ANALYZE message_log")
        (found,) = connection.execute("SELECT count(*) FROM message_log").fetchone() or (0,)
    return int(found)
