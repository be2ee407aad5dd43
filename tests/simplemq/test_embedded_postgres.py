"""The real server, in throwaway directories."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from simplemq.embedded_postgres import EmbeddedPostgres
from simplemq.errors import AlreadyInUse, CannotStart
from simplemq.throwaway import FAST

SMALL = {**FAST, "shared_buffers": "16MB", "max_connections": 20}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Behind a directory that only its owner may enter, as under mktemp -d or root's home."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    return closed / "postgres"


@pytest.fixture
def server(home: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(home, settings=SMALL)
    yield server
    server.stop("immediate")


def ask(server: EmbeddedPostgres, question: str) -> object:
    with psycopg.connect(server.url) as connection:
        return connection.execute(question).fetchone()[0]


def test_it_runs_behind_a_closed_directory_and_leaves_its_mode_alone(server, home):
    server.start()
    assert ask(server, "SHOW server_version").startswith("18")
    assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700


def test_it_is_durable_unless_told_otherwise(home):
    with EmbeddedPostgres(home) as server:
        assert [ask(server, f"SHOW {name}") for name in ("fsync", "synchronous_commit")] == ["on", "on"]
        assert ask(server, "SHOW max_connections") == "200"


def test_it_lets_nobody_in_without_the_password(server):
    server.start()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.url, password="guess")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.url, user="postgres")


def test_it_listens_on_this_machine_only(server):
    server.start()
    listening = psutil.Process(server.process.pid).net_connections(kind="all")
    assert {connection.laddr for connection in listening} == {("127.0.0.1", server.port)}


def test_its_role_is_no_superuser(server):
    server.start()
    assert ask(server, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False


def test_it_keeps_data_and_address_over_a_restart(server, home):
    address = server.start().url
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS answer")
    server.stop()
    with EmbeddedPostgres(home, settings=SMALL) as again:
        assert again.url == address
        assert ask(again, "SELECT answer FROM kept") == 1


def test_it_makes_a_new_password_when_the_old_one_is_lost(server, home):
    server.start().stop()
    (home / "password").unlink()
    server.start()
    assert ask(server, "SELECT 1") == 1
    assert stat.S_IMODE((home / "password").stat().st_mode) == 0o600


def test_a_second_server_on_the_same_directory_is_refused(server, home):
    server.start()
    with pytest.raises(AlreadyInUse, match=f"in use by process {os.getpid()}"):
        EmbeddedPostgres(home).start()
    assert ask(server, "SELECT 1") == 1


def test_it_starts_over_after_an_interrupted_initdb(server, home):
    (home / "cluster.unfinished" / "base").mkdir(parents=True)
    server.start()
    assert ask(server, "SELECT 1") == 1
    assert not (home / "cluster.unfinished").exists()


def test_an_interrupted_start_leaves_no_process_behind(home):
    def interrupt() -> None:
        if (home / "cluster.unfinished" / "base").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EmbeddedPostgres(home, heartbeat=interrupt).start()
    assert [child for child in psutil.Process().children(recursive=True) if "initdb" in child.name()] == []
    with EmbeddedPostgres(home, settings=SMALL) as server:
        assert ask(server, "SELECT 1") == 1


def test_it_recovers_from_the_crash_of_a_server(server, home):
    server.start()
    server.process.kill()
    server.process.wait()
    assert (home / "cluster" / "postmaster.pid").exists()
    server.stop()
    assert ask(server.start(), "SELECT 1") == 1


def test_a_stale_pid_file_that_names_another_program_is_no_obstacle(server, home):
    server.start().stop()
    (home / "cluster" / "postmaster.pid").write_text(f"{os.getpid()}\n")
    assert ask(server.start(), "SELECT 1") == 1


def test_files_of_another_version_are_refused_in_one_sentence(server, home):
    server.start().stop()
    (home / "cluster" / "PG_VERSION").write_text("17\n")
    with pytest.raises(CannotStart, match="was made by PostgreSQL 17 and this is 18"):
        server.start()


def test_a_setting_it_does_not_know_is_named(home, monkeypatch):
    monkeypatch.setattr("simplemq.embedded_postgres.PAUSE_SECONDS", 0)
    with pytest.raises(CannotStart, match='unrecognized configuration parameter "colour"'):
        EmbeddedPostgres(home, settings={"colour": "blue"}).start()


def test_the_server_goes_when_its_owner_is_killed(home):
    program = (
        "import sys, time, pathlib; from simplemq.embedded_postgres import EmbeddedPostgres;"
        "server = EmbeddedPostgres(pathlib.Path(sys.argv[1])).start();"
        "print(server.process.pid, flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen([sys.executable, "-c", program, home], stdout=subprocess.PIPE)
    orphan = psutil.Process(int(owner.stdout.readline()))
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    with EmbeddedPostgres(home, settings=SMALL) as server:
        assert not orphan.is_running()
        assert ask(server, "SELECT 1") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become another user")
def test_it_runs_as_the_owner_of_the_files(home, monkeypatch):
    monkeypatch.setattr("simplemq.postgres_placement.ACCOUNTS", ("nobody",))
    with EmbeddedPostgres(home, settings=SMALL) as first:
        assert psutil.Process(first.process.pid).username() == "nobody"
    monkeypatch.undo()
    with EmbeddedPostgres(home, settings=SMALL) as again:
        assert psutil.Process(again.process.pid).username() == "nobody"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become another user")
def test_without_the_capability_it_moves_to_a_place_its_user_can_enter(home, tmp_path):
    program = (
        "import sys, pathlib, simplemq.postgres_placement as placement;"
        "placement.SHARED_HOMES = pathlib.Path(sys.argv[2]);"
        "from simplemq.embedded_postgres import EmbeddedPostgres;"
        "server = EmbeddedPostgres(pathlib.Path(sys.argv[1]));"
        "server.start().stop(); print(server.placement.remark)"
    )
    shared = Path("/var/tmp") / f"test-{tmp_path.name}-{os.getpid()}"
    shared.mkdir(mode=0o755)
    try:
        weak = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", sys.executable, "-c", program]
        said = subprocess.run([*weak, home, shared], capture_output=True, text=True, check=True).stdout
        assert f"keeps its files in {shared}" in said
    finally:
        subprocess.run(["rm", "-rf", shared], check=True)
