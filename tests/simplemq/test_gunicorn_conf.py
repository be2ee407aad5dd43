"""What happens to requests when the server is told to stop, and how its workers count together."""

import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from queues.models import Team
from queues.operations.keys import create_api_key
from simplemq import gunicorn_conf
from tests.simplemq.gunicorn_server import Server, database_url, running, until

WORKER_CLASSES = [["-k", "gevent"], ["-k", "gthread", "--threads", "4"]]
EITHER_WORKER = pytest.mark.parametrize("worker_class", WORKER_CLASSES, ids=["gevent", "gthread"])
WHOAMI_COUNT = re.compile(r"simplemq_http_request_seconds_count\{.*whoami.*\}")
SERVICE, PARKED = "simplemq.wsgi", "tests.simplemq.parked_app:application"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as threads:
        yield threads


@pytest.fixture
def ask(transactional_db: None) -> Callable[[Server], int]:
    """A call that has to read the table of API keys; its status."""
    bearer = create_api_key(Team.objects.create(name="payments"), "worker", ["send"]).bearer
    return lambda server: server.get("/api/whoami", Authorization=f"Bearer {bearer}").status_code


@pytest.fixture
def lock(transactional_db: None) -> Iterator[psycopg.Connection]:
    """Holds what `ask` needs until it is rolled back."""
    with psycopg.connect(database_url()) as holder:
        holder.execute("LOCK TABLE api_key")
        yield holder


def somebody_waits(holder: psycopg.Connection) -> bool:
    waiting = """
        SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
         WHERE d.datname = current_database() AND NOT l.granted
    """
    return holder.execute(waiting).fetchone() is not None


def test_it_answers_the_request_in_flight_and_refuses_new_ones(
    ask: Callable[[Server], int], lock: psycopg.Connection, pool: ThreadPoolExecutor
) -> None:
    # Our worker class only: gthread, stopping, keeps the listening socket open and serves nobody from it.
    with running(SERVICE, DATABASE_URL=database_url()) as server:
        in_flight = pool.submit(ask, server)
        until(lambda: somebody_waits(lock))
        server.process.send_signal(signal.SIGTERM)
        until(server.refuses_connections)
        lock.rollback()
        assert in_flight.result() == 200
        assert server.process.wait(10) == 0


@EITHER_WORKER
def test_it_serves_others_while_a_request_waits_for_the_database(
    worker_class: list[str], ask: Callable[[Server], int], lock: psycopg.Connection, pool: ThreadPoolExecutor
) -> None:
    with running(SERVICE, *worker_class, DATABASE_URL=database_url()) as server:
        in_flight = pool.submit(ask, server)
        until(lambda: somebody_waits(lock))
        assert server.get("/healthz").status_code == 200
        assert not in_flight.done()
        lock.rollback()
        assert in_flight.result() == 200


@EITHER_WORKER
def test_it_wakes_a_parked_request_when_it_stops(
    worker_class: list[str], tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    note = tmp_path / "parked"
    with running(PARKED, *worker_class, NOTE_WHEN_PARKED=str(note)) as server:
        parked = pool.submit(server.get, "/park")
        until(note.exists)
        server.process.send_signal(signal.SIGTERM)
        assert parked.result().text == "stopping"
        assert server.process.wait(10) == 0


def test_it_adds_up_the_metrics_of_its_workers(
    ask: Callable[[Server], int], tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    env = {"DATABASE_URL": database_url(), "TMPDIR": str(tmp_path), "WEB_CONCURRENCY": "2"}
    with running(SERVICE, **env) as server:
        [directory] = tmp_path.glob("simplemq-metrics-*")
        asked = 0
        while len(list(directory.glob("histogram_*.db"))) < 2:  # until both workers had something to do
            asked += len(list(pool.map(ask, [server] * 10)))
        [count] = [line for line in server.get("/metrics").text.splitlines() if WHOAMI_COUNT.match(line)]
        assert count.endswith(f" {asked}.0")
    assert not directory.exists()


def test_it_leaves_a_given_metrics_directory_to_its_owner(tmp_path: Path) -> None:
    with running(PARKED, PROMETHEUS_MULTIPROC_DIR=str(tmp_path)):
        pass
    assert tmp_path.exists()


def test_it_forgets_the_live_gauges_of_a_dead_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(gunicorn_conf.METRICS_DIR, str(tmp_path))
    for name in ("gauge_livesum_7.db", "gauge_liveall_7.db", "gauge_livesum_77.db", "counter_7.db"):
        (tmp_path / name).touch()
    gunicorn_conf.child_exit(None, SimpleNamespace(pid=7))
    assert {left.name for left in tmp_path.iterdir()} == {"gauge_livesum_77.db", "counter_7.db"}
