import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from queues.models import ApiKey, Team
from queues.operations.keys import IssuedKey, create_api_key, reveal_secret

pytestmark = pytest.mark.django_db


@pytest.fixture
def issued() -> IssuedKey:
    return create_api_key(Team.objects.create(name="payments"), "worker", ["send"])


def test_it_lets_the_old_setting_be_removed(
    issued: IssuedKey, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = ["n" * 32, *settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS]
    call_command("rotate_key_encryption")
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = ["n" * 32]
    assert reveal_secret(ApiKey.objects.get()) == issued.secret
    assert capsys.readouterr().out == "Encrypted 1 API key secrets under the first encryption secret.\n"


def test_it_names_the_key_whose_setting_was_lost(issued: IssuedKey, settings: Settings) -> None:
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = ["n" * 32]
    with pytest.raises(CommandError, match=issued.access_key_id):
        call_command("rotate_key_encryption")
