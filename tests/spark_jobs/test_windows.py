from datetime import UTC, datetime, timedelta

import pytest

from spark_jobs.config import Config
from spark_jobs.windows import State, Window, advances, plan

DAY = datetime(2026, 11, 18, tzinfo=UTC)


def at(hour: int, minute: int = 0, second: float = 0) -> datetime:
    return DAY + timedelta(hours=hour, minutes=minute, seconds=second)


def config(*argv: str) -> Config:
    return Config.read(argv, {"DATABASE_URL": "postgresql://"})


def span(
    *argv: str,
    settled: datetime,
    watermark: datetime | None = None,
    log_begins: datetime | None = DAY,
    size: int = 60,
) -> tuple[datetime, datetime] | None:
    window = plan(config(*argv), size, State(settled, watermark, log_begins))
    return (window.start, window.stop) if window else None


def test_it_ends_with_the_last_bucket_that_is_settled():
    assert span(settled=at(9, 4, 59), watermark=at(9, 2)) == (at(8, 57), at(9, 4))


def test_it_looks_again_at_the_grace_before_the_watermark():
    assert span("--grace-seconds", "90", settled=at(9, 4), watermark=at(9, 2)) == (at(9), at(9, 4))


def test_there_is_nothing_to_do_until_another_bucket_is_settled():
    assert span(settled=at(9, 2, 59), watermark=at(9, 2)) is None
    assert span(settled=at(9, 1), watermark=at(9, 2)) is None


def test_the_first_run_begins_with_the_log():
    assert span(settled=at(9, 4), log_begins=at(3, 0, 30)) == (at(3), at(9, 4))


def test_without_any_log_it_begins_with_the_last_bucket():
    assert span(settled=at(9, 4, 30), log_begins=None) == (at(9, 3), at(9, 4))


def test_a_window_that_is_asked_for_grows_to_full_buckets():
    argv = ("--from", "2026-11-18T06:10", "--to", "2026-11-18T07:01")
    assert span(*argv, settled=at(9), size=3600) == (at(6), at(8))


def test_a_window_that_is_asked_for_ends_where_it_is_settled():
    assert span("--from", "2026-11-18T06:00", "--to", "2026-11-19", settled=at(9, 4, 1)) == (at(6), at(9, 4))
    assert span("--from", "2026-11-18T10:00", settled=at(9)) is None


def test_a_window_may_be_as_wide_as_times_go():
    argv = ("--from", "0001-01-01", "--to", "9999-12-31T23:59:59")
    assert span(*argv, settled=at(9, 4, 1), size=3600) == (DAY, at(9))
    assert span(*argv, settled=at(9, 4, 1), log_begins=None) == (datetime(1970, 1, 1, tzinfo=UTC), at(9, 4))


def test_what_was_dropped_from_the_log_is_not_computed_again():
    assert span("--from", "2026-11-18T01:00", settled=at(9), log_begins=at(5)) == (at(5), at(9))


@pytest.mark.parametrize(
    ("argv", "start", "watermark", "moves"),
    [
        ([], at(5), at(5), True),
        ([], at(5), None, True),
        ([], at(5), at(1), True),  # the log between has been dropped: there is nothing to wait for
        (["--from", "2026-11-18T05:00"], at(5), at(6), True),
        (["--from", "2026-11-18T05:00"], at(5), at(4), False),  # it would leave a gap
        (["--from", "2026-11-18T05:00"], at(5), at(8), False),
        (["--from", "2026-11-18T05:00"], at(5), None, False),
        (["--queue", "1"], at(5), at(5), False),  # the others are not computed
    ],
)
def test_the_watermark_moves_only_if_nothing_before_it_is_left_out(argv, start, watermark, moves):
    assert advances(Window(60, start, at(7), at(7)), watermark, config(*argv)) is moves
