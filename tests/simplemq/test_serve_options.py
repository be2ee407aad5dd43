from pathlib import Path

from simplemq.serve_options import BASE_DIR, Options


def test_it_needs_no_environment():
    options = Options.from_environment({})
    assert (options.bind, options.data_dir) == ("127.0.0.1:8000", BASE_DIR / ".simplemq")
    assert options.endpoint == "http://127.0.0.1:8000"


def test_a_port_of_ones_own_stays_on_this_machine():
    assert Options.from_environment({"PORT": "9000"}).bind == "127.0.0.1:9000"


def test_the_bind_address_wins_over_the_port():
    options = Options.from_environment({"PORT": "9000", "SIMPLEMQ_BIND": "0.0.0.0:8080"})
    assert options.bind == "0.0.0.0:8080"
    assert options.endpoint == "http://127.0.0.1:8080"


def test_a_relative_data_directory_is_seen_from_here(monkeypatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    assert Options.from_environment({"SIMPLEMQ_DATA_DIR": "mq"}).data_dir == tmp_path / "mq"
