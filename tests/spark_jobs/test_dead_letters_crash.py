"""Killed in the middle of an archive of dead letters: real processes, a Spark of their own, `kill -9`."""

from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from django.db import connection

from queues.models import Queue
from tests.factories import new_queue, new_team
from tests.spark_jobs.job_process import JobProcess, running

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LETTERS, SIZE = 400, 200_000
AT_ONCE = 30  # seconds, on a busy machine
FILL = """
    INSERT INTO message (queue_id, size_bytes, data, dead_lettered_at)
    SELECT %(queue_id)s, %(size)s, rpad(n::text || ' ', %(size)s, md5(n::text)),
           now() - n %% 2 * interval '1 day'
      FROM generate_series(1, %(letters)s) AS n
"""


@pytest.fixture
def dlq() -> Queue:
    """Letters of two days, more than one reader has of each."""
    dlq = new_queue(new_team(), name="orders-dlq", retention_seconds=3_600)
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"queue_id": dlq.pk, "size": SIZE, "letters": LETTERS})
    return dlq


def archived(lake: Path) -> Counter[int]:
    """How often the lake has each letter, by the number its body begins with. Every file can be read."""
    return Counter(
        int(body.split(" ", 1)[0])
        for path in lake.glob("dead_letters/date=*/*.parquet")
        for body in pq.ParquetFile(path).read(["body"]).column("body").to_pylist()
    )


def kill(job: JobProcess) -> None:
    """All of it at once, as a machine that loses its power does: parents first, who might tidy up."""
    family = job.family()
    for process in family:
        with suppress(psutil.NoSuchProcess):  # it went with the one before
            process.kill()
    _, alive = psutil.wait_procs(family, AT_ONCE)
    assert alive == []


def parts(folder: Path, pattern: str) -> list[Path]:
    return list(folder.glob(pattern))


MOMENTS = {
    "being written": "_staging/dead_letters/*/*/_temporary/**/*.parquet",
    "one day done": "dead_letters/date=*/*.parquet",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_next_run_adds_what_is_missing_and_nothing_twice(dlq, tmp_path, moment):
    lake = tmp_path / "lake"
    command = ("archive_dead_letters", "--lake", str(lake), "--master", "local[2]")
    with running(tmp_path, *command) as job:
        job.until(lambda: parts(lake, MOMENTS[moment]))
        kill(job)
    before = archived(lake)
    assert len(before) < LETTERS, "it was done before it was killed"
    assert set(before.values()) <= {1}
    with running(tmp_path, *command) as job:
        assert job.ended() == 0, job.told.read_text()
    assert archived(lake) == dict.fromkeys(range(1, LETTERS + 1), 1)
    assert not parts(lake, "_staging/dead_letters/*")
