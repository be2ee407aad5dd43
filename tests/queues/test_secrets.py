import re

import pytest
from pytest_django import Settings

from queues import secrets

OLD, NEW = "old secret, thirty-two characters", "new secret, thirty-two characters"
ID, SECRET = "SMQ" + "A2" * 8 + "Z", "s3" * 20


def test_it_makes_ids_of_one_shape() -> None:
    assert re.fullmatch(r"SMQ[A-Z2-7]{17}", secrets.new_credentials().access_key_id)


def test_it_makes_secrets_no_shell_or_url_stumbles_over() -> None:
    assert re.fullmatch(r"[0-9A-Za-z]{40}", secrets.new_credentials().secret)


def test_it_makes_different_credentials_every_time() -> None:
    many = [secrets.new_credentials() for _ in range(100)]
    assert len({made.secret for made in many}) == len({made.access_key_id for made in many}) == 100


def test_it_reads_the_bearer_token_it_wrote() -> None:
    made = secrets.new_credentials()
    assert secrets.read_bearer(secrets.write_bearer(made)) == made


@pytest.mark.parametrize(
    "token",
    [
        "",
        "smq",
        "smq__",
        f"smq_{ID}",
        f"smq_{ID}_",
        f"smq_{ID}_{SECRET[:-1]}",
        f"smq_{ID}_{SECRET}x",
        f"smq_{ID[:-1]}_{SECRET}",
        f"smq_{ID}X_{SECRET}",
        f"smq_{ID.lower()}_{SECRET}",
        f"SMQ_{ID}_{SECRET}",
        f"smq_{ID}_{SECRET[:-1]}_",
        f"smq_{ID}_{SECRET[:-1]}é",
        f"smq_{ID}_{SECRET[:-1]}\u0663",  # a digit, but not an ASCII one
        f"smq_{ID}_{SECRET[:-1]}\x00",
        f"smq_{ID}_{SECRET[:-1]}\ud800",
        f"smq_{ID}_{SECRET}\n",
        f" smq_{ID}_{SECRET}",
        f"smq_{ID}_{SECRET * 10_000}",
    ],
)
def test_it_reads_no_token_it_could_not_have_written(token: str) -> None:
    assert secrets.read_bearer(token) is None


def test_it_tells_a_wrong_secret_from_the_right_one() -> None:
    stored = secrets.digest(SECRET)
    assert secrets.matches(SECRET, stored)
    assert not secrets.matches(SECRET[::-1], stored)


def test_it_compares_digests_as_the_database_returns_them() -> None:
    assert secrets.matches(SECRET, memoryview(secrets.digest(SECRET)))


def test_it_decrypts_what_it_encrypted() -> None:
    ciphertext = secrets.encrypt(SECRET)
    assert SECRET.encode() not in ciphertext
    assert secrets.decrypt(ciphertext) == SECRET


def test_it_decrypts_with_every_setting_and_encrypts_with_the_first(settings: Settings) -> None:
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [OLD]
    ciphertext = secrets.encrypt(SECRET)
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [NEW, OLD]
    assert secrets.decrypt(ciphertext) == SECRET
    renewed = secrets.encrypt(SECRET)
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [NEW]
    assert secrets.decrypt(renewed) == SECRET


def test_it_reencrypts_under_the_first_setting(settings: Settings) -> None:
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [OLD]
    ciphertext = secrets.encrypt(SECRET)
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [NEW, OLD]
    renewed = secrets.reencrypt(ciphertext)
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [NEW]
    assert secrets.decrypt(renewed) == SECRET


def test_it_says_so_when_the_setting_was_lost(settings: Settings) -> None:
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [OLD]
    ciphertext = secrets.encrypt(SECRET)
    settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS = [NEW]
    with pytest.raises(secrets.Undecipherable, match="SIMPLEMQ_KEY_ENCRYPTION_SECRETS"):
        secrets.decrypt(ciphertext)
    with pytest.raises(secrets.Undecipherable):
        secrets.reencrypt(ciphertext)
