"""Where Parquet is kept: a folder that all workers see, or any address that Spark's file systems know.

<lake>/message_log/date=2026-10-19/*.parquet     one day of the log, by the day its rows were logged
<lake>/queue_metrics/bucket_seconds=300/date=…   history, as in the tables of the same names
<lake>/dead_letters/date=2026-11-18/*.parquet    dead letters with their bodies, by the day they died
"""

import re
import tempfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from spark_jobs.errors import JobError, UsageError

SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=://)")


@dataclass(frozen=True)
class Lake:
    location: str  # without a / at its end, as the service has it

    def __post_init__(self) -> None:
        """Named in full: a path that depends on where the job was started would be another lake each time."""
        object.__setattr__(self, "location", self.location.rstrip("/"))
        if self.folder is not None and not self.folder.is_absolute():
            raise UsageError(
                f"The lake {self.location!r} must be an absolute path, or an address as s3a://…."
            )

    @property
    def folder(self) -> Path | None:
        """The path of a lake on a file system of this machine."""
        scheme = SCHEME.match(self.location)
        if scheme and scheme[0] != "file":
            return None
        return Path(self.location.removeprefix("file://"))

    @property
    def root(self) -> str:
        """As Spark is told: a bare path would be on whatever file system a cluster has as its default."""
        folder = self.folder
        return self.location if folder is None else folder.as_uri()

    def day(self, table: str, day: date, *parts: str) -> str:
        return "/".join([self.root, table, *parts, f"date={day.isoformat()}"])

    def check(self) -> None:
        """Say at once, before anything is computed, that a folder cannot be written to."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as problem:
            raise JobError(f"Cannot write to the lake {self.location}: {problem.strerror}.") from None
