"""Processes die in the middle of traffic. What was answered stays true, and everybody recovers by himself.

Real servers of their own: a crash cannot be played with fewer. The PostgreSQL here is as durable as in
production.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from queues import ids
from tests.faults.service import Service, serving
from tests.faults.traffic import Traffic
from tests.simplemq.gunicorn_server import until

pytestmark = pytest.mark.slow

ENOUGH = 300


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with serving(tmp_path / "postgres") as service:
        assert service.ask("SHOW fsync") == ["on"]
        yield service


@pytest.fixture
def traffic(service: Service) -> Iterator[Traffic]:
    traffic = Traffic(service.connect, service.make_queue("orders", max_deliveries=None))
    with traffic.flowing():
        traffic.wait_for_more(ENOUGH)
        yield traffic


def workers(service: Service) -> list[psutil.Process]:
    return psutil.Process(service.server.process.pid).children()


def finish(service: Service, traffic: Traffic) -> None:
    """Traffic flows again; then every promise is compared with what the database knows."""
    traffic.wait_for_more(ENOUGH)
    traffic.drain(lambda: service.ask("SELECT count(*) FROM message") == [0])
    logged = [ids.message_id(uid) for uid in service.ask("SELECT message_id FROM message_log")]
    assert len(logged) == len(set(logged))
    assert traffic.stored <= set(logged)
    assert traffic.acked.keys() <= set(logged)
    assert traffic.acked_twice == set()
    assert traffic.came_back_acked == set()


def test_a_killed_worker_loses_nothing(service: Service, traffic: Traffic) -> None:
    for worker in workers(service):
        worker.send_signal(signal.SIGKILL)
        traffic.wait_for_more(ENOUGH)
    until(lambda: len(workers(service)) == 2)
    finish(service, traffic)
    assert traffic.troubles


def test_a_crash_of_the_database_loses_nothing(service: Service, traffic: Traffic) -> None:
    for _ in range(2):
        troubles = traffic.troubles.total()
        service.postgres.stop("immediate")
        until(lambda before=troubles: traffic.troubles.total() > before)
        service.postgres.start()
        traffic.wait_for_more(ENOUGH)
    finish(service, traffic)
    assert traffic.troubles.keys() == {"503"}


def test_maintenance_outlives_a_crash_of_the_database(service: Service) -> None:
    queue_id = service.make_queue("unattended")
    with service.maintenance() as maintenance, service.connect() as client:
        until(lambda: service.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [1])
        answer = client.call("POST", f"{queue_id}/messages", data="hello", delay_seconds=2)
        assert answer.status == 201
        service.postgres.stop("immediate")
        service.postgres.start()
        assert service.ask("SELECT state FROM message") == ["delayed"]
        until(lambda: service.ask("SELECT state FROM message") == ["ready"])
        assert maintenance.poll() is None
