"""Runs jobs at the same moment, each in a thread with a connection of its own."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Barrier, Event
from typing import Any, TypeVar

from django.db import connection, connections, transaction

PATIENCE = 30.0

Result = TypeVar("Result")


def at_once(*jobs: Callable[[], Result], meanwhile: Sequence[Callable[[], Any]] = ()) -> list[Result]:
    """What each job answered, in order. They start together, when all have their connections.

    Each of `meanwhile` is repeated, at least once, until the last job has ended.
    """
    start, over = Barrier(len(jobs) + len(meanwhile)), Event()

    def repeat(job: Callable[[], Any]) -> None:
        job()
        while not over.is_set():
            job()

    def run(job: Callable[..., Result], *arguments: Any) -> Result:
        try:
            connection.ensure_connection()
            start.wait(PATIENCE)
            return job(*arguments)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs) + len(meanwhile)) as pool:
        repeated = [pool.submit(run, repeat, job) for job in meanwhile]
        running = [pool.submit(run, job) for job in jobs]
        wait(running)
        over.set()
    for job in repeated:
        job.result()
    return [job.result() for job in running]


def elsewhere(job: Callable[[], Result]) -> Result:
    """The same on one other connection."""
    return at_once(job)[0]


@contextmanager
def uncommitted(job: Callable[[], Result]) -> Iterator[Result]:
    """Another connection has done the job but commits only when the block ends."""
    answer: Future[Result] = Future()
    commit = Event()

    def hold() -> None:
        with transaction.atomic():
            try:
                answer.set_result(job())
            except BaseException as error:
                answer.set_exception(error)
            assert commit.wait(PATIENCE)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(_then_close, hold)
        try:
            yield answer.result(PATIENCE)
        finally:
            commit.set()
            holding.result()


def waiting_for_a_lock(job: Callable[[], Result], others: int = 0) -> Future[Result]:
    """The job, begun on another connection, when it has come to wait for a lock as `others` do already."""
    pool = ThreadPoolExecutor(1)
    begun = pool.submit(_then_close, job)
    pool.shutdown(wait=False)
    deadline = time.monotonic() + PATIENCE
    while _waiting() <= others:
        assert not begun.done(), "it did not wait"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return begun


@contextmanager
def in_a_hurry() -> Iterator[None]:
    """One transaction in which waiting for anybody's lock is an error."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = '5s'")
        yield


def _then_close(job: Callable[[], Result]) -> Result:
    try:
        return job()
    finally:
        connections.close_all()


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]
