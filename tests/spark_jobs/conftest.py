"""One real Spark session for all of these tests, on the one worker that has them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs import session

HERE = Path(__file__).parent
# Frames of three rows: planning and compiling them would be all the work there is. `test_command.py` runs the
# job as it comes.
QUICK = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": f"{session.QUIET_JAVA} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
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
