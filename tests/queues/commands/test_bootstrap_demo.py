from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from queues import limits
from queues.management import env_file
from queues.models import ApiKey, Membership, Team
from queues.operations.keys import authenticate, revoke_api_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def run_command(endpoint: str = "http://127.0.0.1:8000") -> dict[str, str]:
        call_command("bootstrap_demo", credentials=tmp_path / "dev.env", endpoint=endpoint)
        return env_file.read(tmp_path / "dev.env")

    return run_command


def test_it_makes_a_key_that_may_do_everything(run: Any) -> None:
    key = authenticate(run()["SIMPLEMQ_API_KEY"])
    assert key is not None
    assert (key.team.name, tuple(key.scopes)) == ("demo", limits.SCOPES)


def test_the_same_key_is_written_as_an_aws_pair(run: Any) -> None:
    noted = run("http://127.0.0.1:9000")
    assert f"smq_{noted['AWS_ACCESS_KEY_ID']}_{noted['AWS_SECRET_ACCESS_KEY']}" == noted["SIMPLEMQ_API_KEY"]
    assert noted["AWS_ENDPOINT_URL_SQS"] == noted["SIMPLEMQ_ENDPOINT"] == "http://127.0.0.1:9000"


def test_it_makes_an_admin_who_owns_the_team(run: Any) -> None:
    noted = run()
    admin = User.objects.get(username=noted["SIMPLEMQ_ADMIN_USER"])
    assert admin.check_password(noted["SIMPLEMQ_ADMIN_PASSWORD"])
    assert admin.is_superuser
    assert Membership.objects.get(user=admin).role == "owner"


def test_a_second_run_changes_nothing(run: Any) -> None:
    assert run() == run()
    assert (Team.objects.count(), User.objects.count(), ApiKey.objects.count()) == (1, 1, 1)


def test_another_port_changes_the_endpoint_only(run: Any) -> None:
    first, second = run(), run("http://127.0.0.1:9000")
    assert first["SIMPLEMQ_API_KEY"] == second["SIMPLEMQ_API_KEY"]
    assert second["SIMPLEMQ_ENDPOINT"] == "http://127.0.0.1:9000"


def test_lost_credentials_are_made_anew_and_the_old_key_is_revoked(run: Any, tmp_path: Path) -> None:
    lost = run()
    (tmp_path / "dev.env").unlink()
    noted = run()
    assert authenticate(noted["SIMPLEMQ_API_KEY"])
    assert authenticate(lost["SIMPLEMQ_API_KEY"]) is None
    assert User.objects.get().check_password(noted["SIMPLEMQ_ADMIN_PASSWORD"])


def test_credentials_of_another_database_are_replaced(run: Any) -> None:
    old = run()
    Team.objects.all().delete()
    User.objects.all().delete()
    noted = run()
    assert authenticate(noted["SIMPLEMQ_API_KEY"])
    assert noted["SIMPLEMQ_ADMIN_PASSWORD"] != old["SIMPLEMQ_ADMIN_PASSWORD"]


def test_a_revoked_key_is_replaced(run: Any) -> None:
    revoke_api_key(run()["AWS_ACCESS_KEY_ID"])
    assert authenticate(run()["SIMPLEMQ_API_KEY"])
