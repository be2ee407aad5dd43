"""CPU time of a process and its descendants. On a shared machine it tells more than the clock does."""

import time
from collections.abc import Mapping
from typing import Self

import psutil

from benchmarks.errors import CannotMeasure

ATTEMPTS, PAUSE_SECONDS = 200, 0.02


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
    """Read again if somebody came or went meanwhile: his time would be counted twice, or not at all."""
    for _ in range(ATTEMPTS):
        family = [process, *process.children(recursive=True)]
        try:
            used = sum(sum(member.cpu_times()[:4]) for member in family)  # also of children that have ended
        except psutil.NoSuchProcess:
            continue
        if family[1:] == process.children(recursive=True):
            return used
        time.sleep(PAUSE_SECONDS)
    raise CannotMeasure("processes come and go too fast to add up their CPU time.")
