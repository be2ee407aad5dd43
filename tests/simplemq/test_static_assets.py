from pathlib import Path

import pytest

from simplemq import static_assets


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(static_assets, "BASE_DIR", tmp_path)
    (tmp_path / "requirements.txt").write_text("Django==5.2\n")
    (tmp_path / "console" / "static").mkdir(parents=True)
    (tmp_path / "console" / "static" / "page.css").write_text("a {}")
    return tmp_path


def collected(project: Path) -> bool:
    calls: list[None] = []
    static_assets.collect_if_changed(project / "collected", lambda: calls.append(None))
    return bool(calls)


def test_it_collects_once(project):
    assert collected(project)
    assert not collected(project)


@pytest.mark.parametrize("changed", ["console/static/page.css", "console/static/new.js", "requirements.txt"])
def test_it_collects_again_after_a_change(project, changed):
    collected(project)
    (project / changed).write_text("changed")
    assert collected(project)


def test_a_failed_collection_is_tried_again(project):
    def fail() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        static_assets.collect_if_changed(project / "collected", fail)
    assert collected(project)
