"""Gates of a FIFO queue: where producers of one group pass one after the other.

A producer draws the place of its message in the line behind the gate of the group, and holds the gate until
it has committed: so nobody sees a message before one with a lower place. Many groups share a gate; there are
no more of them than the locks PostgreSQL by default reckons with for a transaction, and a batch may need all.
"""

import zlib
from collections.abc import Iterable

GATES = 64


def of(group_id: str) -> int:
    return zlib.crc32(group_id.encode()) % GATES


def of_all(group_ids: Iterable[str]) -> list[int]:
    """In the one order in which everybody takes them."""
    return sorted({of(group_id) for group_id in group_ids})
