"""What the job says instead of a traceback, and the exit code that goes with it."""


class JobError(Exception):
    """Something outside the code is in the way; the text says what, and what to do about it."""

    exit_code = 1


class UsageError(JobError):
    """The job was asked for something that makes no sense."""

    exit_code = 2


class SparkLost(JobError):
    """The session is gone, and this process can make no other."""
