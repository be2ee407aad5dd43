import stat
from pathlib import Path

import pytest

from spark_jobs import session
from spark_jobs.errors import JobError


def fake_java(folder: Path, says: str) -> None:
    program = folder / "java"
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def test_without_java_it_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JobError, match=r"needs Java 17 .* there is none; install it with: apt-get install"):
        session.check_java()


@pytest.mark.parametrize(
    ("says", "version"),
    [('java version "1.8.0_392"', 8), ('openjdk version "11.0.2" 2019', 11), ("what?", 0)],
)
def test_with_an_old_java_it_says_so(tmp_path, monkeypatch, says, version):
    fake_java(tmp_path, says)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(JobError, match=f"not {version}; install it with: apt-get install"):
        session.check_java()


def test_it_takes_the_java_of_java_home_first(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    fake_java(tmp_path / "bin", 'openjdk version "9" 2017')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JobError, match="not 9"):
        session.check_java()


@pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "spark://[::1]:1,a b:1", "k8s://https://[::1]:1"])
def test_it_does_not_wait_for_a_master_that_is_not_there(master):
    with pytest.raises(JobError) as refusal:
        session.start(master)
    assert str(refusal.value) == f"No Spark master answers at {master}."


def test_it_asks_where_yarn_is(monkeypatch):
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(JobError, match="set HADOOP_CONF_DIR to the folder"):
        session.start("yarn")
