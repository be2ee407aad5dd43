"""Fake programs on a PATH of their own stand for what is or is not installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simplemq.serving import ROOT


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A PATH with nothing on it but a shell."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sh").symlink_to("/bin/sh")
    return programs


def install(machine: Path, name: str, says: str) -> None:
    program = machine / name
    program.write_text(f"#!{machine}/sh\n{says}\n")
    program.chmod(0o755)


def check(machine: Path, *names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "simplemq.prerequisites", *names]
    env = {**os.environ, "PATH": str(machine)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_what_is_there_is_not_installed(machine):
    install(machine, "java", "echo 'openjdk 21.0.4 2024-07-16'")
    install(machine, "chromium-browser", "echo 'Chromium 130.0.6723'")
    assert check(machine, "java", "chromium").returncode == 0


def test_a_missing_java_is_one_sentence_with_the_command(machine):
    asked = check(machine, "java")
    assert asked.returncode == 1
    assert asked.stderr == (
        "simplemq: Java 17 or newer is needed; install it with: "
        "apt-get install -y --no-install-recommends openjdk-17-jre-headless\n"
    )


def test_an_old_java_is_as_good_as_none(machine):
    install(machine, "java", "echo 'openjdk version \"11.0.21\"' >&2")
    assert "Java 17 or newer is needed" in check(machine, "java").stderr


def test_the_java_of_old_numbering_is_old(machine):
    install(machine, "java", "echo 'java version \"1.8.0_392\"' >&2")
    assert check(machine, "java").returncode == 1


def test_a_missing_chromium_is_one_sentence_with_the_command(machine):
    assert "apt-get install -y --no-install-recommends chromium" in check(machine, "chromium").stderr


def test_a_chromium_that_does_not_start_is_as_good_as_none(machine):
    """Ubuntu has a program of this name that only says which other package to install."""
    install(machine, "chromium-browser", "echo 'Command requires the chromium snap' >&2; exit 1")
    assert check(machine, "chromium").returncode == 1


def test_it_installs_when_it_may(machine):
    """As root, or through a sudo that asks for no password."""
    install(machine, "sudo", f'shift; exec "$@"; exec {machine}/sh')
    install(machine, "true", "exit 0")
    install(machine, "chmod", '/bin/chmod "$@"')
    java = f"printf '#!{machine}/sh\\necho 17\\n' > {machine}/java; chmod 755 {machine}/java"
    install(machine, "apt-get", f'echo "$@" >> {machine}/calls; [ "$1" = update ] || {{ {java}; }}')
    assert check(machine, "java").returncode == 0
    assert (machine / "calls").read_text() == (
        "update -q\ninstall -y --no-install-recommends openjdk-17-jre-headless\n"
    )


def test_the_package_is_one_this_distribution_has(machine):
    install(
        machine, "apt-cache", 'case "$2" in *21*) echo "Candidate: 21";; *) echo "Candidate: (none)";; esac'
    )
    assert "openjdk-21-jre-headless" in check(machine, "java").stderr


def test_an_unknown_name_is_one_sentence(machine):
    assert check(machine, "cobol").stderr == "simplemq: 'cobol' is not one of java, chromium.\n"
