"""Collects the static files only when they changed: hashing and compressing them takes seconds."""

import hashlib
from collections.abc import Callable
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


def collect_if_changed(target: Path, collect: Callable[[], None]) -> None:
    stamp = target / ".collected-from"
    sources = _fingerprint()
    if not stamp.exists() or stamp.read_text() != sources:
        collect()
        target.mkdir(exist_ok=True)
        stamp.write_text(sources)


def _fingerprint() -> str:
    """Our own files, and the pins that decide those of the installed packages."""
    digest = hashlib.sha256((BASE_DIR / "requirements.txt").read_bytes())
    for path in sorted(BASE_DIR.glob("*/static/**/*")):
        if path.is_file():
            digest.update(str(path.relative_to(BASE_DIR)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
