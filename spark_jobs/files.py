"""Files of a lake, on whatever file system it is: what Spark has no words for, Hadoop's own interface has."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from spark_jobs.errors import JobError


class Files:
    def __init__(self, spark: SparkSession) -> None:
        assert spark._jvm is not None  # noqa: S101  # for as long as the session lives
        self._path = spark._jvm.org.apache.hadoop.fs.Path
        self._configuration = spark._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        with _said_plainly(path):
            return bool(self._system(path).exists(self._path(path)))

    def remove(self, path: str) -> None:
        """With all that is in it; what is not there need not be removed."""
        with _said_plainly(path):
            self._system(path).delete(self._path(path), True)

    def move_parts(self, folder: str, target: str) -> None:
        """Each file appears there whole or not at all. Spark draws their names, which never come twice."""
        system = self._system(folder)
        with _said_plainly(target):
            system.mkdirs(self._path(target))
            for status in system.listStatus(self._path(folder)):
                name = status.getPath().getName()
                if name.startswith("part-") and not system.rename(
                    status.getPath(), self._path(f"{target}/{name}")
                ):
                    raise JobError(f"The lake could not move {name} into {target}.")

    def _system(self, path: str) -> Any:
        with _said_plainly(path):
            return self._path(path).getFileSystem(self._configuration)


@contextmanager
def _said_plainly(path: str) -> Iterator[None]:
    try:
        yield
    except Py4JJavaError as problem:
        raise JobError(f"The lake refused {path}: {problem.java_exception.getMessage()}") from problem
