"""A PostgreSQL of its own for tests that need roles: the service's role may not make any."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from simplemq.embedded_postgres import EmbeddedPostgres
from simplemq.throwaway import FAST
from tests.simplemq.gunicorn_server import ROOT

READER, WRITER, COPIER = "metrics_reader", "metrics_writer", "copier"
LETTER_READER = "letter_reader"
ROLES = (
    f"CREATE ROLE {READER} LOGIN PASSWORD 'reading'",
    f"CREATE ROLE {WRITER} LOGIN PASSWORD 'writing'",
    f"CREATE ROLE {LETTER_READER} LOGIN PASSWORD 'opening'",
    f"CREATE ROLE {COPIER} LOGIN REPLICATION PASSWORD 'copying'",
    f"GRANT pg_read_all_stats TO {WRITER}",
)
STAY = """
    INSERT INTO message_log (
        message_id, team_id, queue_id, enqueued_at, finished_at, delivery_count, nack_count,
        lease_expiry_count, size_bytes, priority, outcome
    )
    VALUES (uuidv7(), 7, 1, %s, %s, 0, 0, 0, 10, 0, 'acked')
"""
LETTER = """
    WITH payments AS (
        INSERT INTO team (name, max_queues, max_api_keys, max_topics, created_at)
        VALUES ('payments', 1, 1, 1, now())
        RETURNING id
    ),
    dlq AS (
        INSERT INTO queue (
            uid, team_id, name, mode, visibility_timeout, delay_seconds, retention_seconds, max_message_bytes,
            receive_wait_seconds, tags, description, dlq_is_lazy, is_dlq, allow_edit, ranks_by_time, paused,
            created_at, updated_at
        )
        SELECT uuidv7(), id, 'orders-dlq', 'standard', 30, 0, 3600, 1024,
               0, '{}', '', false, true, false, false, false,
               now(), now()
          FROM payments
        RETURNING id
    )
    INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at)
    SELECT id, 6, 'poison', now() FROM dlq
"""


@contextmanager
def own_server(home: Path) -> Iterator[EmbeddedPostgres]:
    """With the service's tables, and the roles that README.md speaks of with the rights it gives them."""
    server = EmbeddedPostgres(home, settings=FAST)
    server.cluster.home.mkdir(parents=True, exist_ok=True)
    server.cluster.prepare()
    server.cluster._run_statements(server.cluster.directory, ROLES)
    with server:
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env={**os.environ, "DATABASE_URL": server.url}, check=True)
        with psycopg.connect(server.url, autocommit=True) as owner:
            for statement in [*granted(READER), *granted(WRITER), *granted(LETTER_READER)]:
                owner.execute(statement)
        yield server


def url_of(role: str, password: str, server: EmbeddedPostgres) -> str:
    return f"postgresql://{role}:{password}@127.0.0.1:{server.port}/simplemq"


def granted(role: str) -> list[str]:
    """The statements that README.md lists, but for the one that takes an administrator."""
    text = (ROOT / "spark_jobs" / "README.md").read_text()
    block = re.search(rf"```sql {role.removeprefix('metrics_')}\n(.*?)```", text, re.DOTALL)
    assert block is not None
    statements = [statement.strip() for statement in block[1].split(";")]
    return [words for words in statements if words.startswith("GRANT") and "pg_read" not in words]


@contextmanager
def replica_of(server: EmbeddedPostgres, home: Path) -> Iterator[EmbeddedPostgres]:
    """A real standby, which streams what the server writes."""
    standby = EmbeddedPostgres(home, settings=FAST)
    copy = standby.cluster.directory
    copy.mkdir(mode=0o700, parents=True)
    if owner := server.placement.owner:
        os.chown(copy, owner.pw_uid, owner.pw_gid)
    source = url_of(COPIER, "copying", server)
    server.cluster._run(
        "pg_basebackup", "--pgdata", copy, "--dbname", source, "--write-recovery-conf", "--checkpoint=fast"
    )
    (standby.cluster.home / "password").write_text(server.cluster.password)
    with standby:
        yield standby
