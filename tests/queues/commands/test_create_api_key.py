import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from queues.models import ApiKey, Team
from queues.operations.keys import authenticate

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def team() -> Team:
    return Team.objects.create(name="payments")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def run_command(*args: str) -> str:
        call_command("create_api_key", "payments", "--name", "worker", *args)
        return capsys.readouterr().out

    return run_command


def test_it_prints_a_token_that_works(run: Any) -> None:
    token = re.search(r"^Authorization: Bearer (\S+)$", run(), re.MULTILINE)
    assert token
    assert authenticate(token[1]) == ApiKey.objects.get()


def test_it_prints_the_same_key_as_an_aws_pair(run: Any) -> None:
    printed = dict(re.findall(r"^(AWS_\w+)=(\S+)$", run("--queue-pattern", "orders-*"), re.MULTILINE))
    assert authenticate(f"smq_{printed['AWS_ACCESS_KEY_ID']}_{printed['AWS_SECRET_ACCESS_KEY']}")


def test_it_says_that_the_secret_will_not_be_shown_again(run: Any) -> None:
    assert "will not be shown again" in run()


def test_it_says_what_the_key_may_do(run: Any) -> None:
    printed = run("--scope", "send", "--queue-pattern", "orders-*", "--expires-in", "30d")
    assert "may send on queues and topics named orders-*, until 2" in printed


def test_it_gives_all_scopes_unless_told(run: Any) -> None:
    run()
    assert ApiKey.objects.get().scopes == ["send", "receive", "manage"]


@pytest.mark.parametrize("args", [["--scope", "send,receive"], ["--scope", "receive", "--scope", "send"]])
def test_it_takes_scopes_as_a_list_or_one_by_one(run: Any, args: list[str]) -> None:
    run(*args)
    assert ApiKey.objects.get().scopes == ["send", "receive"]


def test_it_lets_the_key_expire(run: Any) -> None:
    run("--expires-in", "30d")
    left = ApiKey.objects.get().expires_at - timezone.now()
    assert timedelta(days=29, hours=23) < left <= timedelta(days=30)


def test_it_prints_json_and_nothing_else(run: Any) -> None:
    printed = json.loads(run("--format", "json", "--expires-in", "1h"))
    assert authenticate(printed["bearer"]) == ApiKey.objects.get()
    assert printed["bearer"] == f"smq_{printed['access_key_id']}_{printed['secret_access_key']}"
    assert (printed["team"], printed["name"]) == ("payments", "worker")


@pytest.mark.parametrize("text", ["30", "d", "0d", "-1d", "1y", "1.5d", "٣d", "9999999d"])
def test_it_refuses_an_expiry_that_is_no_duration(run: Any, text: str) -> None:
    with pytest.raises(CommandError, match="is not a duration"):
        run(f"--expires-in={text}")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--scope", "fly"], "^scopes: Must be one or more of send, receive, manage.$"),
        (["--queue-pattern", "a b"], "^queue_pattern: Must be one queue name"),
    ],
)
def test_it_refuses_in_one_sentence(run: Any, args: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(*args)


def test_it_says_when_the_team_does_not_exist() -> None:
    with pytest.raises(CommandError, match=r"^team: There is no team named nobody.$"):
        call_command("create_api_key", "nobody", "--name", "worker")
