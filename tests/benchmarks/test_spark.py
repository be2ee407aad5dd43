"""The benchmark of the metrics job, on few rows: what it compares is the same, and nothing is left behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from benchmarks.spark.job import JobFigures
from benchmarks.spark.meter import Meter, Used
from benchmarks.spark.parts import LakeFigures, TableFigures
from benchmarks.spark.report import report

ROOT = Path(__file__).resolve().parents[2]
# A worker of a worker, which works, takes 50 MB, and is gone before its parents are.
BUSY = "import time\nheld = b'x' * 50_000_000\nwhile time.process_time() < 1.5: pass"
PARENT = f"import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', {BUSY!r}])\ntime.sleep(0.5)"


def figures(rows: int, seconds: float) -> TableFigures:
    used = Used(seconds, seconds, 10**9)
    return TableFigures(rows, JobFigures(rows, used, 0.0), used, 0)


def test_it_counts_what_children_of_children_used_that_have_ended():
    process = subprocess.Popen([sys.executable, "-c", PARENT])
    with Meter(psutil.Process(process.pid)) as meter:
        process.wait()
    assert 1.2 < meter.used.cpu_seconds < 4
    assert meter.used.peak_bytes > 50_000_000


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(99.0, "at most linear"), (101.0, "MORE than linear")], ids=["less", "more"]
)
def test_it_says_whether_time_grew_faster_than_rows(seconds, verdict):
    sizes = [figures(1_000, 10.0), figures(10_000, seconds)]
    lake = LakeFigures(0, sizes[1].job, sizes[1].postgres, sizes[1].job, {})
    assert f"CPU: {verdict}." in report({"tables": sizes, "lake": lake, "increments": []})


@pytest.mark.slow
def test_the_job_and_the_queries_say_the_same(tmp_path):
    command = [sys.executable, "-m", "benchmarks.spark", "--rows", "20000", "--json"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    [of_table] = found["tables"]
    assert of_table["differences"] == 0
    assert found["lake"]["differences"] == {"DuckDB": 0, "the job on the lake": 0}
    assert of_table["job"]["stays"] == of_table["rows"] >= 20_000
    assert [one["minutes"] for one in found["increments"]] == [1, 5]
    assert list(tmp_path.glob("simplemq-bench-spark-*")) == []
