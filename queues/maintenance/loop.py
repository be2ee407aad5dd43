"""Runs the duties, each in its own rhythm. Of several copies one works; the others wait to take over."""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import datetime

from django.db import DatabaseError, InterfaceError, connection

from queues import tallies
from queues.maintenance import DUTIES, Duty
from queues.managers.statements import run_one

STANDBY_SECONDS = 2.0
TICK_SECONDS = 0.2

logger = logging.getLogger(__name__)


def run_all_once(now: datetime | None = None) -> Iterator[tuple[str, int]]:
    """One pass of every duty, whoever else is at work: passes may overlap without harm."""
    for duty in DUTIES:
        yield duty.name, duty.run_once(duty.batch, now)


def run_until(stopping: Callable[[], bool]) -> None:
    """Work, or stand by, until told to stop. A database that is away is waited for."""
    while not stopping():
        try:
            if run_one("maintenance/try_lock").ours:
                _work(stopping)
            else:
                _sleep(STANDBY_SECONDS, stopping)
        except (DatabaseError, InterfaceError) as error:
            logger.warning("maintenance cannot reach the database, trying again: %s", error)
            connection.close()
            _sleep(STANDBY_SECONDS, stopping)


def _work(stopping: Callable[[], bool]) -> None:
    due_at = {duty.name: 0.0 for duty in DUTIES}
    while not stopping():
        tallies.flush()
        for duty in DUTIES:
            if time.monotonic() >= due_at[duty.name] and not stopping():
                due_at[duty.name] = time.monotonic() + (0.0 if _attend_to(duty) else duty.every_seconds)
        _sleep(TICK_SECONDS, stopping)


def _attend_to(duty: Duty) -> bool:
    """Whether there is probably more to do at once. One duty's trouble is not the others'."""
    try:
        done = duty.run_once(duty.batch, None)
    except Exception:
        if not connection.is_usable():
            raise
        logger.exception("%s failed, trying again later", duty.name)
        return False
    if done:
        logger.info("%s: %d", duty.name, done)
    return done >= duty.batch


def _sleep(seconds: float, stopping: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stopping():
        time.sleep(min(TICK_SECONDS, seconds))
