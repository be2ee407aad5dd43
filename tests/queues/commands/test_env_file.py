import stat
import subprocess
from pathlib import Path

from queues.management import env_file

AWKWARD = {"PLAIN": "a-b_c", "SPACES": "two words", "QUOTES": 'it\'s "so" $HOME `id`', "EMPTY": ""}


def test_a_shell_and_we_read_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "some.env"
    env_file.write(path, AWKWARD)
    assert env_file.read(path) == AWKWARD
    script = f'. {path}; printf "%s|" "$PLAIN" "$SPACES" "$QUOTES" "$EMPTY"'
    said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.split("|")[:-1] == list(AWKWARD.values())


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "some.env"
    path.touch(mode=0o644)
    env_file.write(path, AWKWARD)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    assert env_file.read(tmp_path / "none.env") == {}


def test_comments_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "some.env"
    path.write_text("# NOT=this\n\nYES=that\n")
    assert env_file.read(path) == {"YES": "that"}
