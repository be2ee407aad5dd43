"""compose.yaml is not run here, so what matters in it is read."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_layers import offenders

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "compose.yaml").read_text()
SECRETS = ("SIMPLEMQ_DB_PASSWORD", "SIMPLEMQ_SECRET_KEY", "SIMPLEMQ_KEY_ENCRYPTION_SECRETS")


@pytest.fixture
def services() -> dict[str, Any]:
    return yaml.safe_load(TEXT)["services"]


def test_it_has_every_part_of_the_service(services):
    assert set(services) == {"postgres", "migrate", "web", "maintenance", "metrics"}
    assert services["postgres"]["image"] == "postgres:18"
    assert services["maintenance"]["command"][-1] == "run_maintenance"


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_has_a_default(secret):
    uses = re.findall(rf"\$\{{{secret}(.*?)\}}", TEXT)
    assert uses
    assert all(use.startswith(":?") for use in uses)


def test_the_database_and_the_web_are_checked(services):
    assert "pg_isready" in services["postgres"]["healthcheck"]["test"]
    assert "/readyz" in services["web"]["healthcheck"]["test"][-1]


def test_only_the_web_inherits_the_health_check_of_the_image(services):
    """The others listen on nothing and would be unhealthy for ever."""
    for name in ("migrate", "maintenance", "metrics"):
        assert services[name]["healthcheck"] == {"disable": True}


@pytest.mark.parametrize("name", ["web", "maintenance", "metrics"])
def test_nothing_serves_before_the_migrations_are_through(services, name):
    assert services[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"


def test_the_migration_runs_once(services):
    assert services["migrate"]["restart"] == "no"


def test_the_database_is_kept_and_not_published(services):
    assert services["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]
    assert "ports" not in services["postgres"]


def test_the_web_may_finish_its_long_polls_before_it_is_killed(services):
    conf = (ROOT / "simplemq" / "gunicorn_conf.py").read_text()
    graceful = int(re.search(r"^graceful_timeout = (\d+)$", conf, re.MULTILINE)[1])
    assert int(services["web"]["stop_grace_period"].removesuffix("s")) > graceful


class TestTheMetricsJob:
    def test_it_is_there_for_those_who_ask_for_it(self, services):
        assert services["metrics"]["profiles"] == ["spark"]
        assert [name for name, service in services.items() if "profiles" in service] == ["metrics"]

    def test_it_runs_once_a_minute_in_an_image_of_its_own(self, services):
        assert services["metrics"]["command"] == ["python", "manage.py", "run_metrics", "--every", "60s"]
        assert services["metrics"]["build"]["target"] == "spark"
        assert services["metrics"]["image"] != services["web"]["image"]

    def test_it_reaches_the_database_like_the_others(self, services):
        assert services["web"]["environment"].items() <= services["metrics"]["environment"].items()


class TestTheImages:
    @pytest.fixture
    def stages(self) -> list[str]:
        text = (ROOT / "Dockerfile").read_text()
        return re.split(r"^FROM ", text, flags=re.MULTILINE)[1:]

    def test_only_that_of_the_job_has_java_and_spark(self, stages):
        with_java = [stage.split("\n")[0] for stage in stages if "jre" in stage]
        assert with_java == ["runtime AS spark"]
        assert "--requirement service.txt" in stages[0]

    def test_a_build_without_a_target_makes_that_of_the_service(self, stages):
        assert "gunicorn" in stages[-1]

    def test_none_runs_as_root(self, stages):
        for stage in stages[-2:]:
            assert re.findall(r"^USER (.*)$", stage, re.MULTILINE) == ["10001"]

    def test_the_service_needs_nothing_of_what_it_is_spared(self, stages):
        """As the Dockerfile leaves packages out, so do we; then nobody but the job may import one of them."""
        [pattern] = re.findall(r"--extended-regexp '(.*?)'", stages[0])
        requirements = (ROOT / "requirements.txt").read_text().splitlines()
        spared = [line.split("==")[0] for line in requirements if re.match(pattern, line)]
        assert "pyspark" in spared
        modules = [name.replace("-", "_") for name in spared]
        for package in ("simplemq", "queues", "dlq_console"):
            assert offenders(package, modules) == set()
