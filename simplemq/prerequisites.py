"""`python -m simplemq.prerequisites java chromium`: what pip cannot install, checked or installed.

Debian and Ubuntu have both. Without the right to install, the exact command is named and the exit code is 1.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from simplemq.errors import CannotStart, one_sentence_for_people

OLDEST_JAVA = 17


@dataclass(frozen=True)
class Prerequisite:
    title: str
    programs: tuple[str, ...]
    packages: tuple[str, ...]
    oldest: int = 1  # what says no version does not work

    def path(self) -> str | None:
        """The first of its programs that is installed and new enough."""
        found = (shutil.which(program) for program in self.programs)
        return next((path for path in found if path and _version(path) >= self.oldest), None)

    def present(self) -> bool:
        return self.path() is not None

    def install_command(self) -> str:
        return f"apt-get install -y --no-install-recommends {_available(self.packages)}"


PREREQUISITES = {
    "java": Prerequisite(
        f"Java {OLDEST_JAVA} or newer",
        programs=("java",),
        packages=("openjdk-17-jre-headless", "openjdk-21-jre-headless", "default-jre-headless"),
        oldest=OLDEST_JAVA,
    ),
    "chromium": Prerequisite(
        "Chromium",
        programs=("chromium", "chromium-browser", "google-chrome"),
        packages=("chromium", "chromium-browser"),
    ),
}


def _version(program: str) -> int:
    """The first number it says: `openjdk version "17.0.9"`, `Chromium 120.0`; 0 when it says none."""
    asked = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    number = re.search(r"\d+", asked.stdout + asked.stderr)
    return int(number.group()) if number else 0


def _available(packages: tuple[str, ...]) -> str:
    """Distributions differ in which of them they carry; the first is a good guess without apt."""
    if not shutil.which("apt-cache"):
        return packages[0]
    return next((package for package in packages if _has_candidate(package)), packages[0])


def _has_candidate(package: str) -> bool:
    policy = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True, check=False)
    return "Candidate:" in policy.stdout and "Candidate: (none)" not in policy.stdout


def require(name: str) -> None:
    """Be sure that it is there, and install it if that is allowed."""
    wanted = PREREQUISITES[name]
    if not wanted.present() and (privileges := _privileges()) is not None:
        _install(wanted, privileges)
    find(name)


def find(name: str) -> str:
    """Where its program is."""
    wanted = PREREQUISITES[name]
    path = wanted.path()
    if path is None:
        raise CannotStart(f"{wanted.title} is needed; install it with: {wanted.install_command()}")
    return path


def _privileges() -> list[str] | None:
    """The words before apt-get, or None when we may not install anything."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if _sudo_asks_for_no_password() else None


def _sudo_asks_for_no_password() -> bool:
    if not shutil.which("sudo"):
        return False
    return subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0


def _install(wanted: Prerequisite, privileges: list[str]) -> None:
    # The lists of a fresh container are empty: without the update no package has a candidate.
    subprocess.run([*privileges, "apt-get", "update", "-q"], check=False)
    subprocess.run([*privileges, *wanted.install_command().split()], check=False)


def main(names: list[str]) -> None:
    with one_sentence_for_people():
        for name in names:
            if name not in PREREQUISITES:
                raise CannotStart(f"'{name}' is not one of {', '.join(PREREQUISITES)}.")
            require(name)


if __name__ == "__main__":
    main(sys.argv[1:])
