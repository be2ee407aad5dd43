"""What the job says instead of a traceback, and the exit code that goes with it."""

import re

from py4j.protocol import Py4JError

# The first call to a Java that was killed finds nobody there, the next cannot even connect.
JAVA_GONE = (Py4JError, ConnectionError)
NAMED = re.compile(r"^(?:Caused by: |: )?[\w.$]*(?:Error|Exception): (.+)$", re.MULTILINE)


class JobError(Exception):
    """Something outside the code is in the way; the text says what, and what to do about it."""

    exit_code = 1


class UsageError(JobError):
    """The job was asked for something that makes no sense."""

    exit_code = 2


class SparkLost(JobError):
    """The session is gone, and this process can make no other."""


def cause_in(report: str) -> str:
    """The last exception named in what Java or a worker reports on many lines, else the first line."""
    named = NAMED.findall(report)
    return named[-1] if named else report.splitlines()[0]
