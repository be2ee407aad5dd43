"""Which buckets a run computes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from spark_jobs.config import Config
from spark_jobs.days import back_through, bounds_of

EPOCH = datetime.fromtimestamp(0, UTC)  # nothing was sent before


@dataclass(frozen=True)
class Window:
    """Whole buckets in [start, stop), all of them settled."""

    bucket_seconds: int
    start: datetime
    stop: datetime
    settled_until: datetime  # nothing will be logged any more as having happened before
    archived: Sequence[date] = ()  # days of the log to be read from the lake

    @property
    def size(self) -> timedelta:
        return timedelta(seconds=self.bucket_seconds)

    @property
    def first(self) -> int:
        """The start in seconds of the epoch, as buckets are numbered."""
        return int(self.start.timestamp())

    @property
    def end(self) -> int:
        return int(self.stop.timestamp())


@dataclass(frozen=True)
class State:
    """How far things are, as the database tells."""

    settled_until: datetime
    watermark: datetime | None  # every bucket before it has been computed
    log_begins: datetime | None  # what was logged earlier has been dropped; None: nothing was ever logged
    archived: Sequence[date] = ()  # days of the log that are in the lake, in order

    @classmethod
    def of(
        cls,
        config: Config,
        settled_until: datetime,
        watermark: datetime | None,
        log_begins: datetime | None,
        archived: Sequence[date],
    ) -> "State":
        """The log begins with the first of the days before it that the lake has without a gap.

        Who reads the lake alone knows nothing of what was logged after its last day.
        """
        if config.log == "lake" and archived:
            settled_until = log_begins = bounds_of(archived[-1])[1]
        if archived:
            log_begins = back_through(set(archived), log_begins or settled_until)
        return cls(settled_until, watermark, log_begins, archived)


def plan(config: Config, bucket_seconds: int, state: State) -> Window | None:
    """The next window, or None when no further bucket is settled."""
    # A bucket that is not over, or whose rows may still come, would be written with too small figures.
    settled = _floor(state.settled_until, bucket_seconds)
    stop = _ceiling(config.stop, bucket_seconds) if config.stop and config.stop < settled else settled
    if config.start is not None:
        start = _floor(max(config.start, EPOCH), bucket_seconds)
    elif state.watermark is not None and state.watermark >= settled:
        return None
    else:
        start = _floor(_since_last(config, bucket_seconds, state), bucket_seconds)
    if state.log_begins is not None:
        # What has been dropped from the log cannot be computed again: what was computed then stays.
        start = max(start, _floor(state.log_begins, bucket_seconds))
    if start >= stop:
        return None
    archived = [day for day in state.archived if bounds_of(day)[1] > start]
    return Window(bucket_seconds, start, stop, state.settled_until, archived)


def advances(window: Window, watermark: datetime | None, config: Config) -> bool:
    """Whether every bucket before the window's end is computed once it is written."""
    if config.queue_id is not None or config.log == "lake":
        return False
    if config.start is None:
        return True
    return watermark is not None and window.start <= watermark < window.stop


def _since_last(config: Config, bucket_seconds: int, state: State) -> datetime:
    if state.watermark is not None:
        return state.watermark - timedelta(seconds=config.grace_seconds)
    return state.log_begins or state.settled_until - timedelta(seconds=bucket_seconds)


def _floor(time: datetime, size: int) -> datetime:
    seconds = int(time.timestamp() // size) * size
    return datetime.fromtimestamp(seconds, UTC)


def _ceiling(time: datetime, size: int) -> datetime:
    seconds = -int(-time.timestamp() // size) * size
    return datetime.fromtimestamp(seconds, UTC)
