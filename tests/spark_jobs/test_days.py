from datetime import UTC, date, datetime

from spark_jobs.days import apart_from, back_through, bounds_of


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=UTC)


def days(*numbers: int) -> list[date]:
    return [date(2026, 11, number) for number in numbers]


def test_a_day_goes_from_midnight_to_midnight():
    assert bounds_of(date(2026, 11, 18)) == (at(18), at(19))


def test_without_days_all_is_left():
    assert apart_from([], at(1, 5), at(3, 7)) == [(at(1, 5), at(3, 7))]


def test_days_are_cut_out_wherever_they_lie():
    assert apart_from(days(4, 2), at(1, 5), at(6, 7)) == [
        (at(1, 5), at(2)),
        (at(3), at(4)),
        (at(5), at(6, 7)),
    ]


def test_days_at_the_edges_leave_what_is_between():
    assert apart_from(days(1, 3), at(1, 5), at(3, 7)) == [(at(2), at(3))]
    assert apart_from(days(1, 9), at(2), at(3)) == [(at(2), at(3))]


def test_nothing_may_be_left():
    assert apart_from(days(1, 2, 3), at(1, 5), at(3, 7)) == []
    assert apart_from(days(1, 2), at(1), at(3)) == []


def test_days_are_followed_back_until_one_is_missing():
    assert back_through(days(1, 3, 4, 5), at(6)) == at(3)
    assert back_through(days(1, 3), at(6)) == at(6)
