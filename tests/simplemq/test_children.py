import subprocess

import pytest

from simplemq import children, processes
from simplemq.children import Essential, Restarted
from simplemq.errors import CannotStart


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(children, "time", clock)
    return clock


def ended() -> processes.Process:
    process = subprocess.Popen(["false"])
    process.wait()
    return process


def pauses(child: Restarted, clock: Clock, times: int) -> list[float]:
    found = []
    for _ in range(times):
        child.tend()
        found.append(child.due_at - clock.now)
        clock.now = child.due_at
        child.tend()
    return found


def test_the_end_of_an_essential_child_is_an_error():
    Essential("web", lambda: None).tend()
    with pytest.raises(CannotStart, match=r"web ended unexpectedly \(exit code 3\)"):
        Essential("web", lambda: 3).tend()


def test_the_pause_before_a_restart_doubles_up_to_a_limit(clock):
    child = Restarted("worker", ended, say=lambda text: None)
    assert pauses(child, clock, 7) == [1, 2, 4, 8, 16, 30, 30]


def test_the_pause_starts_over_after_a_steady_run(clock):
    child = Restarted("worker", ended, say=lambda text: None)
    pauses(child, clock, 5)
    clock.now += children.STEADY_SECONDS + 1
    assert pauses(child, clock, 2) == [1, 2]
