"""The Spark session of the job."""

import atexit
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlsplit

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.errors import JobError, cause_in
from spark_jobs.sources.postgres import SimpleMQDataSource

PACKAGE = Path(__file__).resolve().parent
OLDEST_JAVA = 17
INSTALL_JAVA = "apt-get install -y --no-install-recommends openjdk-17-jre-headless"
PATIENCE_SECONDS = 5

SETTINGS = {
    # Days begin at midnight UTC, whatever the clock on the wall of this machine says.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # As every reader of Parquet knows them; Spark's own INT96 is deprecated.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.ui.showConsoleProgress": "false",
}
QUIET_JAVA = f"-Dlog4j2.configurationFile={(PACKAGE / 'log4j2.properties').as_uri()}"
LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
}


def start(master: str, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session on that master, or the one spark-submit chose, which knows how to read `simplemq`."""
    check_java()
    _check_reachable(master)
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it tells of every connection it closes
    # Workers run this very interpreter, and find this very package.
    os.environ["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON") or sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")])
    )
    # Whoever wants to hear more of Spark says so there too, and comes last.
    os.environ["SPARK_SUBMIT_OPTS"] = f"{QUIET_JAVA} {os.environ.get('SPARK_SUBMIT_OPTS', '')}"
    is_local = master.startswith("local")
    builder = SparkSession.builder.appName("simplemq metrics")
    if master:
        builder = builder.master(master)
    local = LOCAL_SETTINGS if is_local else {}
    for name, value in {**SETTINGS, **local, **(settings or {})}.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except (Py4JError, PySparkException, RuntimeError, OSError) as problem:
        raise JobError(f"Spark does not start on {master}: {cause_in(str(problem))}") from None
    if master and not is_local:
        spark.sparkContext.addPyFile(str(_zipped()))
    spark.dataSource.register(SimpleMQDataSource)
    return spark


@contextmanager
def when_needed(
    master: str, settings: Mapping[str, str] | None = None
) -> Iterator[Callable[[], SparkSession]]:
    """Starts one session the first time it is asked for, and stops it in the end."""
    sessions: list[SparkSession] = []

    def session() -> SparkSession:
        if not sessions:
            sessions.append(start(master, settings))
        return sessions[0]

    try:
        yield session
    finally:
        for started in sessions:
            with suppress(Py4JError, OSError):  # it may be gone already
                started.stop()


def check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if java is None:
        raise JobError(
            f"Spark needs Java {OLDEST_JAVA} or newer, and there is none; install it with: {INSTALL_JAVA}"
        )
    version = _version(java)
    if version < OLDEST_JAVA:
        raise JobError(
            f"Spark needs Java {OLDEST_JAVA} or newer, not {version}; install it with: {INSTALL_JAVA}"
        )


def _version(java: str) -> int:
    """17 of `openjdk version "17.0.9"`, 8 of `java version "1.8.0_392"`; 0 when it says none."""
    asked = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    number = re.search(r'version "(?:1\.)?(\d+)', asked.stderr + asked.stdout)
    return int(number[1]) if number else 0


def _check_reachable(master: str) -> None:
    """Spark itself would try for a minute, and then say it in forty lines."""
    if master == "yarn" and not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
        raise JobError("Say where YARN is: set HADOOP_CONF_DIR to the folder with its configuration.")
    if not master.startswith(("spark://", "k8s://")):
        return
    addresses = master.removeprefix("spark://").removeprefix("k8s://").split(",")
    if not any(_answers(address) for address in addresses):
        raise JobError(f"No Spark master answers at {master}.")


def _answers(address: str) -> bool:
    """Of `host:7077` or `https://host:443`."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        socket.create_connection((parts.hostname or "", parts.port or 443), PATIENCE_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True


def _zipped() -> Path:
    """This package, for workers on other machines. They fetch it as long as we live."""
    path = Path(mkdtemp(prefix="simplemq-metrics-")) / "spark_jobs.zip"
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(PACKAGE.rglob("*.py")):
            archive.write(file, file.relative_to(PACKAGE.parent))
    return path
