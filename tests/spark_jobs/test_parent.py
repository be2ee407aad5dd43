"""The job ends with the process that started it. Real processes: nobody else can be orphaned."""

import subprocess
import sys

import psutil

from tests.simplemq.gunicorn_server import PATIENCE, ROOT

CHILD = "import time; from spark_jobs.parent import end_with; end_with({parent}); print('up'); time.sleep(60)"
PARENT = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-uc", {CHILD!r}.format(parent=os.getpid())])
print(child.pid, flush=True)
child.wait()
"""


def test_it_ends_when_its_parent_is_killed():
    command = [sys.executable, "-uc", PARENT]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        assert parent.stdout.readline() == "up\n"
        parent.kill()
        child.wait(PATIENCE)


def test_it_does_not_begin_when_its_parent_is_gone_already():
    command = [sys.executable, "-c", CHILD.format(parent=1)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1].endswith("The process that started this, 1, has ended.")
