import os
import re
import subprocess
from pathlib import Path

from tests.simplemq.serving import ROOT


def make(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # Not as a child of the `make test` that may have started us: that one would announce directories.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *words], cwd=directory, env=env, capture_output=True, text=True, check=False
    )


def test_plain_make_explains_every_target():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert re.findall(r"^  make ([a-z-]+) +\w", make(ROOT).stdout, re.MULTILINE) == targets


def test_an_old_python_is_one_sentence(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    asked = make(tmp_path, f"PYTHON={python}", "setup")
    assert asked.returncode != 0
    assert asked.stdout.startswith("SimpleMQ needs Python 3.11 or newer")
