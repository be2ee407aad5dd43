"""The job with no more rights than it needs: real roles of a real server, with the grants of README.md."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pyarrow.parquet as pq
import pytest

from simplemq.embedded_postgres import EmbeddedPostgres
from spark_jobs import database
from spark_jobs.dead_letters import Config, archive_once
from spark_jobs.errors import JobError
from spark_jobs.settled import settled
from tests.spark_jobs.history import START, after
from tests.spark_jobs.own_server import LETTER, LETTER_READER, READER, STAY, WRITER, own_server, url_of

WINDOW = ("--from", START.isoformat(), "--to", after(5).isoformat(), "--bucket", "1m")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    with own_server(tmp_path_factory.mktemp("roles") / "home") as server:
        yield server


@pytest.fixture
def reader(server: EmbeddedPostgres) -> str:
    return url_of(READER, "reading", server)


@pytest.fixture
def writer(server: EmbeddedPostgres) -> str:
    return url_of(WRITER, "writing", server)


@pytest.fixture
def letter_reader(server: EmbeddedPostgres) -> str:
    return url_of(LETTER_READER, "opening", server)


def test_one_reads_and_the_other_writes(run, server, reader, writer):
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute(STAY, [after(1), after(2)])
        run(*WINDOW, DATABASE_URL=writer, SIMPLEMQ_METRICS_SOURCE_URL=reader)
        assert owner.execute("SELECT sum(sent), sum(acked) FROM queue_metrics").fetchone() == (1, 1)


FORBIDDEN = (
    "SELECT data FROM message",
    "SELECT body FROM dead_letter",
    "SELECT row FROM discarded_message",
    "SELECT * FROM api_key",
    "DELETE FROM queue",
)


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_reader_sees_no_body_and_changes_nothing(reader, statement):
    with psycopg.connect(reader) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(statement)


def test_letters_are_read_by_one_who_sees_nothing_else(spark, server, letter_reader, writer, tmp_path):
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute(LETTER)
    given = {"DATABASE_URL": writer, "SIMPLEMQ_METRICS_SOURCE_URL": letter_reader}
    archive_once(Config.read(["--lake", str(tmp_path)], given), lambda: spark)
    [path] = tmp_path.glob("dead_letters/*/*.parquet")
    assert pq.ParquetFile(path).read().column("body").to_pylist() == ["poison"]
    for table in ("message", "message_stay", "queue", "team", "api_key"):
        with (
            psycopg.connect(letter_reader) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(f"SELECT FROM {table}")


def test_a_role_that_cannot_see_who_writes_is_told_how(server, reader):
    """With somebody else connected, of whom it cannot tell."""
    with (
        psycopg.connect(server.url),
        closing(database.connect(reader)) as connection,
        pytest.raises(JobError, match='let it, with: GRANT pg_read_all_stats TO "metrics_reader"'),
    ):
        settled(connection, settle_seconds=1)


def test_a_writer_that_may_not_write_says_so_and_writes_nothing(run, server, reader):
    with pytest.raises(JobError, match="The database refused: permission denied"):
        run(*WINDOW, DATABASE_URL=reader)


def test_they_may_archive_a_day_of_the_log(run, server, reader, writer, tmp_path):
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute(
            "CREATE TABLE message_log_20260101 PARTITION OF message_log"
            " FOR VALUES FROM ('2026-01-01Z') TO ('2026-01-02Z')"
        )
        run(
            *WINDOW,
            "--lake",
            str(tmp_path),
            DATABASE_URL=writer,
            SIMPLEMQ_METRICS_SOURCE_URL=reader,
        )
        assert owner.execute("SELECT day::text, rows FROM archived_day").fetchall() == [("2026-01-01", 0)]
