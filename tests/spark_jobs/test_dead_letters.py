"""Dead letters that are about to expire, from the real tables into a lake, read there by another reader."""

import base64
import hashlib
import json
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from queues import limits
from queues.models import Message, Queue
from queues.operations import queues, trash
from queues.operations.dead_letters import requeue, undo_requeue
from queues.operations.nack import nack
from queues.operations.receive import receive
from spark_jobs.contract import DEAD_LETTER
from spark_jobs.dead_letters import LOCK, Config, archive_once
from spark_jobs.errors import JobError, UsageError
from spark_jobs.jobs import dead_letters as job
from spark_jobs.sinks import letters as sink
from tests.factories import NOW, new_queue, new_team, ready_message, reloaded
from tests.queues.dying import died_of
from tests.simplemq.gunicorn_server import database_url

Archive = Callable[..., None]
Row = dict[str, Any]

LIFE = timedelta(seconds=limits.DLQ_RETENTION_SECONDS)
LAST_DAY = NOW + LIFE - timedelta(hours=1)  # of what died NOW
TABLES = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture
def archive(spark: SparkSession, lake: Path) -> Archive:
    def archive_dead_letters(*argv: str, now: datetime = LAST_DAY, **urls: str) -> None:
        env = {"DATABASE_URL": database_url(), "SIMPLEMQ_LAKE": str(lake), **urls}
        archive_once(Config.read(["--partitions", "2", *argv], env), lambda: spark, now)

    return archive_dead_letters


@pytest.fixture
def orders(transactional_db: None) -> Queue:
    return new_queue(new_team("payments"), name="orders", max_deliveries=1, max_message_bytes=1_048_576)


def dlq_of(queue: Queue) -> Queue:
    dlq = reloaded(queue).dlq
    assert dlq is not None
    return dlq


def files_of(lake: Path) -> list[Path]:
    return sorted(lake.glob("dead_letters/date=*/*.parquet"))


def archived(lake: Path) -> list[Row]:
    """Every row of every file, with the day of its folder."""
    return [
        {**row, "date": date.fromisoformat(path.parent.name.removeprefix("date="))}
        for path in files_of(lake)
        for row in pq.ParquetFile(path).read().to_pylist()
    ]


def bodies(lake: Path) -> list[str]:
    return sorted(row["body"] for row in archived(lake))


# --- What is archived ----------------------------------------------------------------------------


def test_it_keeps_all_that_is_known_of_a_letter(archive, lake, orders):
    letter = died_of(
        orders,
        "TimeoutError",
        "the body",
        group_id="acme",
        trace_id="00-abc",
        priority=-7,
        attributes={"kind": "café", "tries": 12345678901234567, "raw": {"binary": "AAE="}},
    )
    archive()
    [row] = archived(lake)
    assert list(row) == [*DEAD_LETTER.columns, "date"]
    for name in ("attributes", "last_error", "history"):
        assert json.loads(row.pop(name)) == getattr(letter, name)
    assert row == {
        "message_id": str(letter.id),
        "team_id": orders.team_id,
        "team_name": "payments",
        "queue_id": dlq_of(orders).pk,
        "queue_name": dlq_of(orders).name,
        "source_queue_id": orders.pk,
        "source_queue_name": "orders",
        "dead_lettered_at": NOW,
        "dead_letter_reason": letter.dead_letter_reason,
        "enqueued_at": NOW,
        "entered_at": NOW,
        "retention_seconds": limits.DLQ_RETENTION_SECONDS,
        "ttl_expires_at": None,
        "expires_at": NOW + LIFE,
        "first_delivered_at": NOW,
        "last_delivered_at": NOW,
        "first_failed_at": NOW,
        "last_failed_at": NOW,
        "delivery_count": 1,
        "nack_count": 1,
        "lease_expiry_count": 0,
        "redrive_count": 0,
        "max_deliveries": None,
        "priority": -7,
        "sequence": None,
        "group_id": "acme",
        "deduplication_id": None,
        "key": None,
        "trace_id": "00-abc",
        "error_type": "TimeoutError",
        "fingerprint": letter.fingerprint,
        "size_bytes": letter.size_bytes,
        "body": "the body",
        "body_sha256": hashlib.sha256(b"the body").hexdigest(),
        "date": NOW.astimezone(UTC).date(),
    }
    [path] = files_of(lake)
    stored = pq.ParquetFile(path)
    assert stored.schema_arrow.field("expires_at").type == pa.timestamp("us", "UTC")
    assert stored.metadata.row_group(0).column(0).compression == "ZSTD"


HOSTILE = [
    "\x01\x02\x7f\r\n\t\x1b[31m",
    "'); DROP TABLE message; --",
    "e\u0301 \u200d \u202e \u2028 \ufeff \ufffe \uffff",
    "\U0010ffff \U0001f9d1\u200d\U0001f680",
    "NaN",
    '{"not": "json"',
    base64.b64encode(random.Random(1).randbytes(3_000)).decode(),
    "".join(chr(random.Random(2).randint(0x20, 0xD7FF)) for _ in range(1_000)),
    "é" * (limits.MESSAGE_BYTES[1] // 2),
]


def test_it_keeps_any_body_byte_for_byte(archive, lake, orders):
    for body in HOSTILE:
        died_of(orders, data=body)
    archive()
    assert bodies(lake) == sorted(HOSTILE)
    assert all(
        hashlib.sha256(row["body"].encode()).hexdigest() == row["body_sha256"] for row in archived(lake)
    )


def test_it_takes_only_dead_letters_that_expire_in_time(archive, lake, orders):
    died_of(orders, data="by its retention")
    died_of(orders, data="later", now=NOW + timedelta(hours=24))
    over = died_of(orders, data="by its own time", now=NOW + timedelta(days=7))
    Message.objects.filter(id=over.id).update(expires_at=LAST_DAY - timedelta(hours=1))
    dlq = dlq_of(orders)
    ready_message(orders, "alive")
    ready_message(dlq, "sent here by hand")
    discarded = died_of(orders, data="in the trash")
    trash.discard(dlq, [discarded.public_id], by="ada", now=NOW)
    deleted = new_queue(max_deliveries=1)
    died_of(deleted, data="deleted with its queue")
    queues.delete(reloaded(deleted), with_dlq=True)
    archive()
    assert bodies(lake) == ["by its own time", "by its retention"]
    archive("--within", "90000")
    assert bodies(lake) == ["by its own time", "by its retention", "later"]


def test_one_that_is_over_and_not_removed_yet_is_still_saved(archive, lake, orders):
    died_of(orders, data="nearly gone")
    archive(now=NOW + LIFE + timedelta(days=3))
    assert bodies(lake) == ["nearly gone"]


def test_it_leaves_other_queues_alone(archive, lake, orders):
    died_of(orders, data="ours")
    died_of(new_queue(max_deliveries=1), data="theirs")
    archive("--queue", str(dlq_of(orders).pk))
    assert bodies(lake) == ["ours"]


# --- Each once -----------------------------------------------------------------------------------


def test_a_second_run_adds_what_is_new_and_nothing_twice(archive, lake, orders):
    died_of(orders, data="first")
    archive()
    [before] = files_of(lake)
    archive()
    assert files_of(lake) == [before]
    died_of(orders, data="second")
    died_of(orders, data="of another day", now=NOW - timedelta(days=1))
    archive()
    assert bodies(lake) == ["first", "of another day", "second"]
    assert before in files_of(lake)
    assert not list(lake.glob("_staging/dead_letters"))


def test_a_letter_that_expires_on_another_day_now_is_the_same_letter(archive, lake, orders):
    """By another retention of its queue, after a time in the trash, after a move that was undone."""
    letter = died_of(orders)
    dlq = dlq_of(orders)
    archive()
    queues.update(dlq, retention_seconds=86_400)
    trash.discard(dlq, [letter.public_id], by="ada", now=NOW)
    trash.restore(dlq, [letter.public_id], NOW + timedelta(days=2))
    requeue(dlq, letter.public_id, NOW + timedelta(days=2))
    undo_requeue(dlq, letter.public_id, NOW + timedelta(days=2))
    assert Message.objects.get(id=letter.id).entered_at == NOW + timedelta(days=2)
    archive()
    assert [row["expires_at"] for row in archived(lake)] == [NOW + LIFE]


def test_a_message_that_died_again_is_another_letter(archive, lake, orders):
    letter = died_of(orders)
    archive()
    later = NOW + timedelta(hours=1)
    requeue(dlq_of(orders), letter.public_id, later)
    [delivery] = receive(orders, now=later)
    nack(orders, delivery.message_id, delivery.receipt_handle, now=later)
    archive()
    assert {(row["message_id"], row["dead_lettered_at"]) for row in archived(lake)} == {
        (str(letter.id), NOW),
        (str(letter.id), later),
    }


def test_files_from_before_a_column_was_added_count_as_well(archive, lake, orders, spark):
    died_of(orders, data="old")
    archive()
    [old] = files_of(lake)
    pq.write_table(pq.ParquetFile(old).read().drop_columns(["trace_id"]), old)
    old.with_name(f".{old.name}.crc").unlink()
    died_of(orders, data="new", trace_id="t")
    archive()
    table = spark.read.option("mergeSchema", True).parquet(f"{lake}/dead_letters")
    assert {(row.body, row.trace_id) for row in table.collect()} == {("old", None), ("new", "t")}


# --- What goes wrong -----------------------------------------------------------------------------


def rewritten(path: Path, change: Callable[[list[Row]], list[Row]]) -> None:
    """The file with other rows, as if the disk had made them up."""
    table = pq.ParquetFile(path).read()
    pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), table.schema), path)
    path.with_name(f".{path.name}.crc").unlink()


def test_what_does_not_read_as_it_was_is_not_archived(archive, lake, orders, monkeypatch):
    died_of(orders, data="first")
    died_of(orders, data="second")

    def tampered(spark: SparkSession, staged: str, *rest: Any) -> None:
        [path] = Path(staged.removeprefix("file://")).glob("*.parquet")
        rewritten(path, lambda rows: [{**rows[0], "body": rows[0]["body"] + " "}, *rows[1:]])
        verify(spark, staged, *rest)

    verify = sink.verify
    monkeypatch.setattr(sink, "verify", tampered)
    with pytest.raises(JobError) as problem:
        archive()
    assert str(problem.value) == (
        f"The letters of {NOW.astimezone(UTC).date()} were not archived: of 2 that were written "
        "2 can be read back, 1 of them as they were."
    )
    assert [path for path in lake.rglob("*") if path.is_file()] == []
    monkeypatch.undo()
    archive()
    assert bodies(lake) == ["first", "second"]


SUM = hashlib.sha256(b"body").hexdigest()


@pytest.mark.parametrize(
    "rows",
    [[], [("body", SUM)] * 2, [("Body", SUM)], [("body", None)], [(None, SUM)]],
    ids=["none", "twice", "another body", "no sum", "no body"],
)
def test_it_takes_nothing_else_for_one_letter(spark, tmp_path, rows):
    table = pa.table({"body": [body for body, _ in rows], "body_sha256": [digest for _, digest in rows]})
    text = pa.schema([("body", pa.string()), ("body_sha256", pa.string())])
    pq.write_table(table.cast(text), tmp_path / "part-0.parquet")
    with pytest.raises(JobError, match="were not archived: of 1 that were written"):
        sink.verify(spark, str(tmp_path), NOW.date(), 1)


def test_a_dry_run_tells_and_writes_nothing(archive, lake, orders, capsys):
    died_of(orders, data="four")
    archive("--dry-run")
    dlq = dlq_of(orders)
    assert capsys.readouterr().out.splitlines() == [
        f"queue {dlq.pk} {dlq.name}: 1 letters, 4 bytes",
        "1 letters would be archived",
    ]
    assert not lake.exists()


def test_it_tells_what_it_did(archive, orders, capsys):
    died_of(orders, data="four")
    archive()
    [archived, done] = capsys.readouterr().err.splitlines()
    assert f"dead_letters.archived day={NOW.astimezone(UTC).date()} letters=1 bytes=4 seconds=" in archived
    assert "dead_letters.done letters=1 until=" in done


@TABLES
def test_spark_is_not_started_for_nothing(lake, capsys):
    env = {"DATABASE_URL": database_url(), "SIMPLEMQ_LAKE": str(lake)}
    archive_once(Config.read([], env), lambda: pytest.fail("it was started"))
    assert "dead_letters.none_expire" in capsys.readouterr().err


@TABLES
def test_a_second_archive_at_once_is_refused(archive):
    with psycopg.connect(database_url()) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        with pytest.raises(JobError, match=r"^Another archive of dead letters is under way\.$"):
            archive()


@TABLES
def test_an_unknown_queue_makes_no_sense(archive):
    with pytest.raises(UsageError, match=r"^There is no queue 987654\.$"):
        archive("--queue", "987654")


@TABLES
def test_a_lake_that_cannot_be_written_to_is_said_at_once(archive, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(JobError, match=r"^Cannot write to the lake .*/file/lake: Not a directory\.$"):
        archive("--lake", str(tmp_path / "file" / "lake"))


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ([], "Say where the lake is: set SIMPLEMQ_LAKE or give --lake."),
        (["--lake", "/lake", "--within", "soon"], "Argument --within: 'soon' is not a number above zero."),
    ],
)
def test_what_makes_no_sense_is_2(argv, sentence, capsys):
    assert job.main(argv, {"DATABASE_URL": "postgresql://"}) == 2
    assert capsys.readouterr().err == f"archive_dead_letters: {sentence}\n"
