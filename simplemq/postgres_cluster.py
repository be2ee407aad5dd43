"""The files of one embedded PostgreSQL: made whole or not at all."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from simplemq import postgres_guard, processes
from simplemq.errors import CannotStart
from simplemq.postgres_placement import CLUSTER, Placement

MAJOR_VERSION = "18"
ROLE = DATABASE = "simplemq"
INITDB_SECONDS = 120
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
        self.directory = self.home / CLUSTER
        self.log = self.home / "server.log"
        self._password_file = self.home / "password"
        self._lock: IO[str] | None = None

    @property
    def password(self) -> str:
        return self._password_file.read_text()

    def lock(self) -> None:
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = postgres_guard.take_lock(self.home)

    def unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def prepare(self) -> None:
        """Leave a complete cluster of our version that no other server is running on."""
        if self.directory.exists():
            self._check_version()
            if postmaster_pid := self._read("postmaster.pid"):
                postgres_guard.retire_orphan(self.directory, postmaster_pid)
        else:
            self._make()
        if not self._password_file.exists():
            self._set_password()

    def _check_version(self) -> None:
        version = self._read("PG_VERSION")
        if version and version != MAJOR_VERSION:
            raise CannotStart(
                f"{self.directory} was made by PostgreSQL {version} and this is {MAJOR_VERSION}: "
                "move it away (after a dump, if its data matters) or set SIMPLEMQ_DATA_DIR."
            )

    def _read(self, name: str) -> str:
        """Empty when it is missing, or when we are a root that may not read others' files."""
        try:
            return (self.directory / name).read_text().strip()
        except (FileNotFoundError, PermissionError):
            return ""

    def _make(self) -> None:
        # An interrupted initdb leaves only this sibling behind: the rename makes the cluster exist.
        unfinished = self.home / f"{CLUSTER}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if owner := self.placement.owner:
            os.chown(unfinished, owner.pw_uid, owner.pw_gid)
        self._run("initdb", *INITDB_OPTIONS, "--pgdata", unfinished)
        self._run_statements(unfinished, FIRST_STATEMENTS)
        self._password_file.unlink(missing_ok=True)
        unfinished.rename(self.directory)

    def _set_password(self) -> None:
        password = secrets.token_urlsafe(24)
        self._run_statements(self.directory, [f"ALTER ROLE {ROLE} PASSWORD '{password}'"])
        unfinished = self.home / "password.unfinished"
        unfinished.touch(mode=0o600)
        unfinished.write_text(password)
        unfinished.rename(self._password_file)

    def _run_statements(self, directory: Path, statements: Sequence[str]) -> None:
        # Single-user mode needs no listening server, and `ps` never shows what it reads from stdin.
        with tempfile.TemporaryFile() as lines:
            lines.write("".join(f"{statement}\n" for statement in statements).encode())
            lines.seek(0)
            self._run("postgres", "--single", "-D", directory, "postgres", stdin=lines)

    def _run(self, program: str, *arguments: str | Path, stdin: processes.Stream = None) -> None:
        process = self.spawn(program, *arguments, stdin=stdin)
        if processes.finish(process, self.heartbeat, INITDB_SECONDS) != 0:
            raise CannotStart(f"{program} failed: {self.last_words()} (see {self.log}).")

    def spawn(
        self, program: str, *arguments: str | Path, stdin: processes.Stream = None
    ) -> processes.Process:
        """Start one of PostgreSQL's programs as the owner of the files, its output going to the log."""
        with self.log.open("ab") as log:
            return processes.spawn(
                [self.placement.bin_dir / program, *arguments],
                death_signal="INT",
                privileges=self.placement.privileges,
                stdin=stdin,
                output=log,
            )

    def last_words(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-20:]
        telling = [line for line in lines if "FATAL" in line or "error" in line.lower()]
        return (telling or lines or ["it said nothing"])[-1]
