"""The files of one embedded PostgreSQL: made whole or not at all, guarded, never used by two servers."""

import fcntl
import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path
from typing import IO

import psutil

from simplemq import processes
from simplemq.errors import AlreadyInUse, CannotStart
from simplemq.postgres_placement import Placement

MAJOR_VERSION = "18"
ROLE = DATABASE = "simplemq"
# The application's role is no superuser: a mistake in its SQL cannot read the machine's files.
FIRST_STATEMENTS = (f"CREATE ROLE {ROLE} LOGIN CREATEDB", f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
# No local socket at all; over TCP a password. The superuser has none, so nobody can log in as it.
INITDB_OPTIONS = (
    "--username=postgres",
    "--auth-local=reject",
    "--auth-host=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
)


class Cluster:
    """`home` holds `cluster/` (the server's own files), the password, the log and the lock."""

    def __init__(self, placement: Placement, heartbeat: processes.Heartbeat) -> None:
        self.placement = placement
        self.heartbeat = heartbeat
        self.home = placement.home
        self.directory = self.home / "cluster"
        self.log = self.home / "server.log"
        self._password_file = self.home / "password"
        self._lock: IO[str] | None = None

    @property
    def password(self) -> str:
        return self._password_file.read_text().strip()

    def lock(self) -> None:
        """Held as long as this process lives: the kernel lets go of it even after kill -9."""
        self.home.mkdir(mode=0o711 if self.placement.remark else 0o700, parents=True, exist_ok=True)
        lock = (self.home / "lock").open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyInUse(self._in_use_sentence(lock)) from None
        lock.truncate(0)
        print(os.getpid(), file=lock, flush=True)
        self._lock = lock

    @staticmethod
    def _in_use_sentence(lock: IO[str]) -> str:
        lock.seek(0)
        holder, directory = lock.read().strip() or "unknown", Path(lock.name).parent
        return (
            f"the database in {directory} is already in use by process {holder}: "
            "stop that one, or set SIMPLEMQ_DATA_DIR to another directory."
        )

    def unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def prepare(self) -> None:
        """Leave a complete cluster of our version that no other server is running on."""
        if self.directory.exists():
            self._check_version()
            self._retire_orphan()
        else:
            self._make()
        if not self._password_file.exists():
            self._set_password()

    def _make(self) -> None:
        # An interrupted initdb leaves only this sibling behind: the rename is what makes the cluster exist.
        unfinished = self.home / "cluster.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if owner := self.placement.owner:
            os.chown(unfinished, owner.pw_uid, owner.pw_gid)
        self.run("initdb", *INITDB_OPTIONS, "--pgdata", unfinished)
        self._run_statements(unfinished, FIRST_STATEMENTS)
        self._password_file.unlink(missing_ok=True)
        unfinished.rename(self.directory)

    def _set_password(self) -> None:
        password = secrets.token_urlsafe(24)
        self._run_statements(self.directory, [f"ALTER ROLE {ROLE} PASSWORD '{password}'"])
        unfinished = self._password_file.with_suffix(".unfinished")
        unfinished.touch(mode=0o600)
        unfinished.write_text(password)
        unfinished.rename(self._password_file)

    def _run_statements(self, directory: Path, statements: "list[str] | tuple[str, ...]") -> None:
        # Single-user mode needs no listening server and no password, and never shows one in `ps`.
        text = "".join(f"{statement}\n" for statement in statements)
        self.run("postgres", "--single", "-D", directory, "postgres", stdin=text.encode())

    def run(self, program: str, *arguments: "str | Path", stdin: bytes = b"") -> None:
        process = self.spawn(program, *arguments, stdin=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(stdin)
        process.stdin.close()
        if processes.finish(process, self.heartbeat, seconds=120) != 0:
            raise CannotStart(f"{program} failed: {self.last_words()} (see {self.log}).")

    def spawn(self, program: str, *arguments: "str | Path", stdin: int = subprocess.DEVNULL) -> processes.Process:
        """Runs one of PostgreSQL's programs as the owner of the files, its output going to the log."""
        with self.log.open("ab") as log:
            return processes.spawn(
                [self.placement.bin_dir / program, *arguments],
                death_signal="INT",
                privileges=self.placement.privileges,
                stdin=stdin,
                output=log,
            )

    def last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        telling = [line for line in lines[-20:] if "FATAL" in line or "error" in line.lower()]
        return (telling or lines or ["it said nothing"])[-1]

    def _check_version(self) -> None:
        version = self._read("PG_VERSION")
        if version is not None and version != MAJOR_VERSION:
            raise CannotStart(
                f"{self.directory} was made by PostgreSQL {version} and this is {MAJOR_VERSION}: "
                "move it away (after a dump, if its data matters) or set SIMPLEMQ_DATA_DIR."
            )

    def _read(self, name: str) -> str | None:
        """None when it is missing, or when we are a root that may not read others' files."""
        try:
            return (self.directory / name).read_text().strip()
        except (FileNotFoundError, PermissionError):
            return None

    def _retire_orphan(self) -> None:
        """We hold the lock, so a server still running here lost its owner to a crash."""
        recorded = self._read("postmaster.pid")
        if not recorded:
            return
        orphan = self._server_process(int(recorded.splitlines()[0]))
        if orphan is None:
            # The number may belong to another program by now, which would make PostgreSQL refuse to start.
            (self.directory / "postmaster.pid").unlink(missing_ok=True)
        else:
            self._stop_orphan(orphan)

    def _server_process(self, pid: int) -> psutil.Process | None:
        try:
            process = psutil.Process(pid)
            return process if str(self.directory) in process.cmdline() else None
        except psutil.Error:
            return None

    def _stop_orphan(self, orphan: psutil.Process) -> None:
        try:
            orphan.send_signal(signal.SIGINT)
            orphan.wait(timeout=30)
        except psutil.NoSuchProcess:
            return
        except psutil.TimeoutExpired:
            raise CannotStart(f"PostgreSQL {orphan.pid} still runs on {self.directory}: stop it first.") from None
