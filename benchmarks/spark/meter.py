"""What a tree of processes used: CPU, and the most memory it had at once.

Spark's JVM does not wait for its Python workers, nor the driver for the JVM, so the kernel adds up nothing:
the tree is looked at a few times a second.
"""

import threading
import time
from dataclasses import dataclass
from typing import Self

import psutil

PAUSE_SECONDS = 0.25
MEMORY_PAUSE_SECONDS = 1.0  # the kernel walks all pages to tell whose they are


@dataclass(frozen=True)
class Used:
    seconds: float
    cpu_seconds: float
    peak_bytes: int


class Meter:
    """Use as a context, around the work of the process; `used` is there afterwards."""

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self.used = Used(0, 0, 0)
        self._cpu: dict[psutil.Process, float] = {}
        self._peak = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._look(with_memory=False)
        self._before = dict(self._cpu)
        self._began = time.monotonic()
        self._watcher.start()
        return self

    def __exit__(self, *error: object) -> None:
        seconds = time.monotonic() - self._began
        self._over.set()
        self._watcher.join()
        self._look(with_memory=False)
        cpu = sum(used - self._before.get(member, 0.0) for member, used in self._cpu.items())
        self.used = Used(seconds, cpu, self._peak)

    def _watch(self) -> None:
        memory_due = 0.0
        while not self._over.is_set():
            with_memory = time.monotonic() >= memory_due
            self._look(with_memory)
            if with_memory:
                memory_due = time.monotonic() + MEMORY_PAUSE_SECONDS
            self._over.wait(PAUSE_SECONDS)

    def _look(self, with_memory: bool) -> None:
        shares = 0
        for member in self._family():
            try:
                times = member.cpu_times()
                self._cpu[member] = times.user + times.system
                if with_memory:
                    # Shared pages in equal parts: forked workers, and backends with their buffers, have many.
                    shares += member.memory_full_info().pss
            except (psutil.NoSuchProcess, psutil.ZombieProcess, psutil.AccessDenied):
                continue  # it has just ended
        self._peak = max(self._peak, shares)

    def _family(self) -> list[psutil.Process]:
        try:
            return [self.process, *self.process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
