from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from queues import shutdown


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    shutdown.stopping.clear()
    shutdown._callbacks.clear()


def test_it_is_not_stopping_until_asked() -> None:
    assert not shutdown.stopping.is_set()
    shutdown.begin()
    assert shutdown.stopping.is_set()


def test_it_wakes_whoever_waits() -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(shutdown.stopping.wait, 10)
        shutdown.begin()
        assert waiting.result()


def test_it_runs_every_callback_once() -> None:
    calls: list[str] = []
    shutdown.when_stopping(lambda: calls.append("first"))
    shutdown.when_stopping(lambda: calls.append("second"))
    shutdown.begin()
    shutdown.begin()
    assert calls == ["first", "second"]


def test_it_runs_a_late_callback_at_once() -> None:
    calls: list[str] = []
    shutdown.begin()
    shutdown.when_stopping(lambda: calls.append("late"))
    assert calls == ["late"]


def test_it_goes_on_after_a_callback_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[str] = []
    shutdown.when_stopping(lambda: print(calls[1]))
    shutdown.when_stopping(lambda: calls.append("second"))
    shutdown.begin()
    assert calls == ["second"]
    assert "A callback failed" in caplog.text
