"""CPU time of a process and its descendants. On a shared machine it tells more than the clock does."""

from collections.abc import Mapping
from typing import Self

import psutil


class CpuMeter:
    """Use as a context; `seconds` then has what each named process tree used meanwhile."""

    def __init__(self, processes: Mapping[str, psutil.Process]) -> None:
        self.processes = processes
        self.seconds: dict[str, float] = {}

    def __enter__(self) -> Self:
        self._before = self._read()
        return self

    def __exit__(self, *error: object) -> None:
        self.seconds = {name: used - self._before[name] for name, used in self._read().items()}

    def _read(self) -> dict[str, float]:
        return {name: _used(process) for name, process in self.processes.items()}


def _used(process: psutil.Process) -> float:
    return sum(_own(member) for member in [process, *process.children(recursive=True)])


def _own(process: psutil.Process) -> float:
    """Including that of children which have ended."""
    try:
        return sum(process.cpu_times()[:4])
    except psutil.NoSuchProcess:  # it ended just now: its parent has its time
        return 0.0
