import pytest
from django.core.management import CommandError, call_command

from queues.models import Team
from queues.operations.keys import authenticate, create_api_key

pytestmark = pytest.mark.django_db


def test_it_revokes_the_key(capsys: pytest.CaptureFixture[str]) -> None:
    issued = create_api_key(Team.objects.create(name="payments"), "worker", ["send"])
    call_command("revoke_api_key", issued.access_key_id)
    assert authenticate(issued.bearer) is None
    assert f"Revoked API key worker ({issued.access_key_id}) of team payments." in capsys.readouterr().out


def test_it_says_when_there_is_no_such_key() -> None:
    with pytest.raises(CommandError, match=r"^access_key_id: There is no such API key.$"):
        call_command("revoke_api_key", "SMQNOBODY")
