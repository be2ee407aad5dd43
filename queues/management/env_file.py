"""Files of NAME=value lines that a shell can source and only their owner can read."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path


def read(path: Path) -> dict[str, str]:
    """Empty when there is no such file."""
    if not path.exists():
        return {}
    assignments = [word for word in shlex.split(path.read_text(), comments=True) if "=" in word]
    return dict(word.split("=", 1) for word in assignments)


def write(path: Path, values: Mapping[str, str]) -> None:
    """All of it or nothing: a crash half way must not leave a file without its secrets."""
    lines = [f"{name}={shlex.quote(value)}\n" for name, value in values.items()]
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.writelines(lines)
    unfinished.rename(path)
