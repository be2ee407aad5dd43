"""`make run`, really started: what it says, what it keeps, and that it leaves no process behind."""

import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import pytest

from tests.simplemq.serving import Serving, still_running

# One worker of pytest-xdist runs all of these, so that the shared service is started once.
pytestmark = pytest.mark.xdist_group("serve")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    service = Serving(tmp_path_factory.mktemp("serve") / "data").wait_until_ready()
    yield service
    service.send(SIGTERM)
    service.ended()


def test_its_key_opens_the_door(service):
    key = service.credentials["SIMPLEMQ_API_KEY"]
    assert service.get("/api/queues", Authorization=f"Bearer {key}") == 200
    assert service.get("/api/queues") == 401


def test_it_prints_how_to_reach_it(service):
    endpoint, known = f"http://127.0.0.1:{service.port}", service.credentials
    for text in (f"{endpoint}/api/docs/", f"{endpoint}/admin/", known["SIMPLEMQ_ADMIN_PASSWORD"]):
        assert text in service.said


def test_a_shell_can_source_its_credentials(service):
    script = f"set -a; . {service.data_dir}/dev.env; env"
    said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, env={}).stdout
    assert set(service.credentials.items()) <= {tuple(line.split("=", 1)) for line in said.splitlines()}
    assert service.credentials["AWS_ENDPOINT_URL_SQS"] == f"http://127.0.0.1:{service.port}"


def test_only_its_owner_can_read_its_files(service):
    secret_files = [service.data_dir / name for name in ("dev.env", "secrets.env", "service.env")]
    assert stat.S_IMODE(service.data_dir.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in secret_files} == {0o600}


def test_a_port_in_use_is_one_sentence(service, data_dir):
    second = Serving(data_dir, PORT=str(service.port))
    assert second.ended() == 1
    assert second.said.startswith(f"simplemq: port {service.port} cannot be used (Address already in use)")
    assert second.said.count("\n") == 1


def test_a_directory_in_use_is_one_sentence(service):
    second = Serving(service.data_dir)
    assert second.ended() == 1
    assert f"already in use by process {service.process.pid}" in second.said
    assert service.get("/readyz") == 200


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1", "8000.5"])
def test_a_bad_port_is_one_sentence(data_dir, port):
    service = Serving(data_dir, PORT=port)
    assert service.ended() == 1
    assert service.said == f"simplemq: PORT must be a number from 1 to 65535, not '{port}'.\n"


def test_files_of_another_postgresql_are_one_sentence(data_dir):
    cluster = data_dir / "postgres" / "cluster"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("16\n")
    service = Serving(data_dir)
    assert service.ended() == 1
    assert "was made by PostgreSQL 16 and this is 18" in service.said
    assert "Traceback" not in service.said


def test_a_database_that_does_not_answer_is_one_sentence(data_dir):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"postgresql://user:hidden@127.0.0.1:{nobody.getsockname()[1]}/none"
        service = Serving(data_dir, DATABASE_URL=url)
        assert service.ended() == 1
    assert service.said.startswith("simplemq: cannot reach the PostgreSQL that DATABASE_URL names: ")
    assert "hidden" not in service.said


@pytest.mark.parametrize("moment", ["Starting PostgreSQL", "Preparing the database"])
def test_ctrl_c_while_starting_leaves_no_process_behind(data_dir, moment):
    service = Serving(data_dir)
    service.wait_for(moment)
    family = service.family()
    service.send(SIGINT, SIGINT)
    assert service.ended() == 0
    assert still_running(family) == []
    assert service.said.endswith("Stopped.\n")


def test_a_restart_keeps_credentials_and_leaves_no_process_behind(data_dir):
    first = Serving(data_dir).wait_until_ready()
    family, noted = first.family(), first.credentials
    first.send(SIGTERM)
    assert first.ended() == 0
    assert still_running(family) == []
    again = Serving(data_dir, PORT=str(first.port)).wait_for("SimpleMQ answers on")
    assert first.get("/api/queues", Authorization=f"Bearer {noted['SIMPLEMQ_API_KEY']}") == 200
    assert again.credentials == noted
    again.send(SIGINT)
    assert again.ended() == 0


@pytest.mark.slow
def test_two_live_side_by_side(service, data_dir):
    second = Serving(data_dir).wait_until_ready()
    assert service.get("/readyz") == 200
    assert second.credentials["SIMPLEMQ_API_KEY"] != service.credentials["SIMPLEMQ_API_KEY"]
    second.send(SIGTERM)
    assert second.ended() == 0
    assert service.get("/readyz") == 200


@pytest.mark.slow
def test_its_children_go_with_it_when_it_is_killed(data_dir):
    killed = Serving(data_dir).wait_until_ready()
    family, noted = killed.family(), killed.credentials
    killed.send(SIGKILL)
    killed.ended()
    again = Serving(data_dir, PORT=str(killed.port)).wait_for("SimpleMQ answers on")
    assert still_running(family, seconds=10) == []
    assert again.credentials == noted
    again.send(SIGTERM)
    assert again.ended() == 0


@pytest.mark.slow
@pytest.mark.parametrize("word", ["gunicorn", "postgres"])
def test_the_loss_of_an_essential_child_stops_everything(data_dir, word):
    service = Serving(data_dir).wait_until_ready()
    family = service.family()
    service.child(word).kill()
    assert service.ended() == 1
    assert still_running(family, seconds=10) == []
    assert "ended unexpectedly (exit code -9), so everything stops." in service.said


@pytest.mark.slow
def test_maintenance_comes_back(data_dir):
    service = Serving(data_dir).wait_until_ready()
    lost = service.child("run_maintenance")
    lost.kill()
    service.wait_for("Maintenance ended (exit code -9); again in 1 s.")
    assert service.get("/readyz") == 200
    assert service.child("run_maintenance") != lost
    service.send(SIGINT, SIGINT)
    assert service.ended() == 0
