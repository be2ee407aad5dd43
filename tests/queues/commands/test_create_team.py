import pytest
from django.core.management import CommandError, call_command

from queues.models import Team

pytestmark = pytest.mark.django_db


def test_it_creates_the_team(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_team", "payments")
    assert Team.objects.get().name == "payments"
    assert capsys.readouterr().out == "Created team payments.\n"


def test_it_says_in_one_sentence_that_the_team_exists() -> None:
    call_command("create_team", "payments")
    with pytest.raises(CommandError, match=r"^name: There is a team named payments already.$"):
        call_command("create_team", "payments")


def test_it_says_in_one_sentence_what_a_name_looks_like() -> None:
    with pytest.raises(CommandError, match=r"^name: Must be 1 to 80 letters"):
        call_command("create_team", "two words")
