import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LINES = (ROOT / ".env.example").read_text().splitlines()


def test_it_names_every_setting():
    settings = (ROOT / "simplemq" / "settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*"(\w+)"', settings))
    named = {line.removeprefix("#").split("=")[0] for line in LINES if "=" in line}
    assert read - named == set()


def test_a_plain_copy_of_it_changes_nothing():
    assert [line for line in LINES if line and not line.startswith("#")] == []
