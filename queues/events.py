"""Facts the engine reports. Who turns them into metrics, totals or log lines subscribes in `QueuesConfig`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction

Subscriber = Callable[[str, dict[str, Any]], None]
_subscribers: list[Subscriber] = []


def subscribe(subscriber: Subscriber) -> None:
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)


def emit(name: str, **facts: Any) -> None:
    """Report a fact once it is one: after the commit, at once when there is no transaction."""
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(partial(_tell, name, facts), robust=True)
    else:
        _tell(name, facts)


def _tell(name: str, facts: dict[str, Any]) -> None:
    for subscriber in _subscribers:
        subscriber(name, facts)
