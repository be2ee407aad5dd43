"""How long each measurement takes. One option scales them all."""

from dataclasses import dataclass

PARTS = ("http", "sql", "held", "long_poll")
START_SECONDS = 15.0
SLICES_BEFORE, SLICES = 2, 6
WAITERS_SECONDS = 6.0  # until all of them wait, and all are answered


@dataclass(frozen=True)
class Plan:
    seconds: float
    parts: tuple[str, ...]

    @property
    def probe_seconds(self) -> float:
        return self.seconds / 3

    @property
    def slice_seconds(self) -> float:
        """Six of them, with each design, are a minute under the open transaction."""
        return self.seconds * 2 / 3

    @property
    def total_seconds(self) -> float:
        lengths = {
            "http": self.probe_seconds + 3 * self.seconds,
            "sql": 2 * self.seconds,
            "held": 2 * (SLICES_BEFORE + SLICES) * self.slice_seconds
            + 2 * (SLICES_BEFORE + 1) * self.probe_seconds,
            "long_poll": self.seconds + WAITERS_SECONDS,
        }
        return START_SECONDS + sum(lengths[part] for part in self.parts)
