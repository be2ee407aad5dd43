"""CPU time is not lost when those who used it are gone."""

import subprocess
import sys

import psutil

from benchmarks.cpu import CpuMeter

BUSY = "import time\nwhile time.process_time() < 0.3: pass"
# Waits for its child, as a server does for its workers, and stays.
PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BUSY!r}])
print("done", flush=True)
input()
"""


def test_it_counts_a_child_that_has_ended() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        with CpuMeter({"parent": psutil.Process(parent.pid)}) as meter:
            parent.stdout.readline()
        parent.communicate("\n")
    assert meter.seconds["parent"] >= 0.2  # the system counts in ticks, and rounds them down
