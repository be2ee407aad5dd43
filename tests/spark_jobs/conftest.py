"""One real Spark session for all of these tests, on the one worker that has them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from queues.models import MessageLog, Queue
from spark_jobs import session
from spark_jobs.config import Config
from spark_jobs.runs import run_once
from tests.factories import new_queue, new_team
from tests.simplemq.gunicorn_server import database_url

Run = Callable[..., None]

HERE = Path(__file__).parent
# Frames of three rows: planning and compiling them would be all the work there is. `test_command.py` runs the
# job as it comes.
LIGHT_JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
QUICK = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": LIGHT_JAVA,
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One session is enough: one worker has it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    spark = session.start("local[2]", QUICK)
    yield spark
    spark.stop()


@pytest.fixture
def run(spark: SparkSession) -> Run:
    """Runs the job on the test database, in this process."""

    def run_metrics(*argv: str, **urls: str) -> None:
        env = {"DATABASE_URL": database_url(), **urls}
        run_once(Config.read(["--partitions", "2", *argv], env), lambda: spark)

    return run_metrics


@pytest.fixture
def orders(transactional_db: None) -> Queue:
    """Committed, so that others see it; and the log is empty, which Django does not know to be a table."""
    MessageLog.objects.all().delete()
    return new_queue(new_team(), name="orders", visibility_timeout=30, max_deliveries=3)
