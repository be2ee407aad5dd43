"""The job is killed in the middle of an archive: no day is dropped that the lake does not have.

Real processes. A lock keeps them from noting a day as archived, so that they are killed before that.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psutil
import psycopg
import pytest

from queues.models import ArchivedDay
from tests.simplemq.gunicorn_server import database_url
from tests.spark_jobs.archives import NEXT, NOON, OLD, archived, days_left, log_rows, logged, old_days
from tests.spark_jobs.job_process import run_metrics

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# So that nothing but the archive is left to do.
ARGUMENTS = ("--bucket", "1h", "--from", NOON.isoformat(), "--to", (NOON + timedelta(hours=1)).isoformat())
NOTING = """
    SELECT pid FROM pg_stat_activity
     WHERE application_name = 'simplemq metrics' AND wait_event_type = 'Lock' AND query LIKE %s
"""


@pytest.fixture(autouse=True)
def _old_days(transactional_db):
    with old_days():
        log_rows(NOON, 20_000, timedelta(milliseconds=100))
        yield


@pytest.fixture
def lake(tmp_path: Path, settings) -> Path:
    settings.SIMPLEMQ_LAKE = str(tmp_path / "lake")
    return tmp_path / "lake"


def writing(lake: Path) -> bool:
    return any(lake.glob("message_log/*/_temporary/**/*.parquet"))


def noting(_: Path) -> bool:
    with psycopg.connect(database_url()) as other:
        return bool(other.execute(NOTING, ["%INSERT INTO archived_day%"]).fetchall())


def unsay() -> None:
    """What was sent to the server before the death it would still carry out."""
    with psycopg.connect(database_url()) as other:
        for [pid] in other.execute(NOTING, ["%INSERT INTO archived_day%"]).fetchall():
            other.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])


@pytest.mark.parametrize("moment", [writing, noting])
def test_a_killed_archive_is_made_again(
    spark, lake: Path, tmp_path: Path, moment: Callable[[Path], bool]
) -> None:
    before = logged()
    with psycopg.connect(database_url()) as holder:
        holder.execute("LOCK TABLE archived_day IN SHARE MODE")
        with run_metrics(tmp_path, *ARGUMENTS, "--lake", str(lake)) as job:
            job.until(lambda: moment(lake))
            family = job.family()
            job.driver.kill()
            assert job.ended() == 128 + 9
            assert psutil.wait_procs(family, 30)[1] == []
        unsay()
    assert not ArchivedDay.objects.exists()
    assert days_left() == {OLD, NEXT}
    assert logged() == before
    with run_metrics(tmp_path, *ARGUMENTS, "--lake", str(lake)) as job:
        assert job.ended() == 0, job.told.read_text()
    assert archived(spark, lake, OLD) == before
    assert not list(lake.rglob("_temporary"))
    assert days_left() == set()
