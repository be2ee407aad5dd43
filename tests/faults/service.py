"""A service for tests that break things: a durable PostgreSQL of its own, with a team and its key."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from simplemq.embedded_postgres import EmbeddedPostgres
from tests.concurrency.client import Client
from tests.simplemq.gunicorn_server import ROOT, Server, running


class Service:
    def __init__(self, postgres: EmbeddedPostgres) -> None:
        self.postgres = postgres
        self.env = {"DATABASE_URL": postgres.url, "WEB_CONCURRENCY": "2"}
        self.manage("migrate", "--verbosity=0")
        self.manage("create_team", "payments")
        key = self.manage("create_api_key", "payments", "--name=worker", "--format=json")
        self.bearer = json.loads(key)["bearer"]
        self.server: Server

    def manage(self, *command: str) -> str:
        finished = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env={**os.environ, **self.env},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        return finished.stdout

    @contextmanager
    def maintenance(self) -> Iterator[subprocess.Popen[bytes]]:
        command = [sys.executable, "manage.py", "run_maintenance"]
        with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **self.env}) as process:
            try:
                yield process
            finally:
                process.terminate()

    def connect(self) -> Client:
        return Client(self.server.port, self.bearer)

    def make_queue(self, name: str, **settings: Any) -> str:
        with self.connect() as client:
            answer = client.call("POST", "", queue_name=name, **settings)
        assert answer.status == 201, answer
        return answer.body["queue_id"]

    def ask(self, question: str) -> list[Any]:
        """The first column of the answer, straight from the database."""
        with psycopg.connect(self.postgres.url) as connection:
            return [row[0] for row in connection.execute(question)]


@contextmanager
def serving(data_dir: Path) -> Iterator[Service]:
    with EmbeddedPostgres(data_dir) as postgres:
        service = Service(postgres)
        with running("simplemq.wsgi:application", **service.env) as service.server:
            yield service
