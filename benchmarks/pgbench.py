"""Runs pgbench and reads what it measured."""

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import libpq
from benchmarks.errors import CannotMeasure
from benchmarks.scripts import Script
from simplemq import processes
from simplemq.postgres_placement import installed_bin_dir

OPTIONS = ("--no-vacuum", "--protocol=prepared", "--report-per-command", "--log")
RATE = re.compile(r"tps = ([\d.]+) \(without initial connection time\)")
MEAN_OF_STATEMENT = re.compile(r"^ +([\d.]+) +\d+ +[^\s\\]", re.MULTILINE)  # not of a backslash command
SPARE_SECONDS = 30


@dataclass(frozen=True)
class Measured:
    """Cycles a second, the mean milliseconds of each named statement, the milliseconds of each cycle."""

    rate: float
    statement_ms: dict[str, float]
    cycle_ms: list[float]


@dataclass(frozen=True)
class Pgbench:
    """pgbench on one database, with the planner settings the service's own connections have."""

    url: str
    options: str
    heartbeat: processes.Heartbeat

    def run(self, script: Script, *, clients: int, seconds: float, **variables: object) -> Measured:
        with tempfile.TemporaryDirectory(prefix="simplemq-pgbench-") as name:
            folder = Path(name)
            (folder / "script.sql").write_text(script.text)
            said = self._finish(
                _command(folder, script.variables | variables, clients, seconds), folder, seconds
            )
            return Measured(_rate(said), _statement_ms(said, script.names), _cycle_ms(folder))

    def _finish(self, command: list[processes.Word], folder: Path, seconds: float) -> str:
        output = folder / "output"
        with output.open("wb") as stream:
            env = {**os.environ, **libpq.environment(self.url), "PGOPTIONS": self.options}
            process = processes.spawn(command, output=stream, env=env)
        code = processes.finish(process, self.heartbeat, seconds + SPARE_SECONDS)
        said = output.read_text()
        if code != 0:
            raise CannotMeasure(f"pgbench failed: {said}")
        return said


def _command(
    folder: Path, variables: dict[str, object], clients: int, seconds: float
) -> list[processes.Word]:
    return [
        installed_bin_dir() / "pgbench",
        *OPTIONS,
        *(f"--define={name}={value}" for name, value in variables.items()),
        f"--client={clients}",
        f"--time={max(1, round(seconds))}",
        f"--log-prefix={folder / 'log'}",
        f"--file={folder / 'script.sql'}",
    ]


def _rate(said: str) -> float:
    return float(RATE.findall(said)[0])


def _statement_ms(said: str, names: Iterable[str]) -> dict[str, float]:
    """Statements of the same name add up."""
    _, _, report = said.partition("statement latencies in milliseconds")
    total: dict[str, float] = defaultdict(float)
    for name, mean in zip(names, MEAN_OF_STATEMENT.findall(report), strict=True):
        total[name] += float(mean)
    return dict(total)


def _cycle_ms(folder: Path) -> list[float]:
    """The third field of a logged transaction is its latency in microseconds."""
    lines = (line for log in folder.glob("log.*") for line in log.read_text().splitlines())
    return [int(line.split()[2]) / 1000 for line in lines]
