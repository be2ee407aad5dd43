import pytest
from hypothesis import given
from hypothesis import strategies as st

from queues import durations, limits


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("90", 90),
        ("30s", 30),
        ("4 days", 345_600),
        ("1 h 30 min", 5_400),
        ("1h30m", 5_400),
        ("  2 Weeks ", 1_209_600),
        ("1 day 1 s", 86_401),
        ("15 secs", 15),
        ("1.5 h", 5_400),
        ("1.1 h", 3_960),
        ("2.5", 2.5),
    ],
)
def test_it_reads_what_people_type(text: str, seconds: int) -> None:
    assert durations.read(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "s",
        "four days",
        "-1",
        "1.",
        ".5 h",
        "1e3",
        "4 parsecs",
        "4 days or so",
        "1 30 min",
        "²",
        "9" * 13,
    ],
)
def test_it_reads_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        durations.read(text)


@given(st.integers(0, limits.RETENTION_SECONDS[1]) | st.floats(1, limits.BACKOFF_MAX_SECONDS[1]))
def test_what_it_writes_exactly_it_reads_again(seconds: float) -> None:
    assert durations.read(durations.exactly(seconds)) == seconds


def test_it_writes_the_units_people_use() -> None:
    assert durations.exactly(30) == "30 s"
    assert durations.exactly(345_600) == "4 d"
    assert durations.exactly(90_061) == "1 d 1 h 1 min 1 s"
