"""The secrets of API keys: made here, compared in constant time, encrypted before they are stored."""

import base64
import hashlib
import hmac
import re
import secrets
import string
from functools import lru_cache
from typing import NamedTuple

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from queues.ids import ALPHABET

ID_PREFIX = "SMQ"
ID_CHARS = string.ascii_uppercase + "234567"  # base 32
ID_RANDOM_LENGTH = 17
SECRET_LENGTH = 40  # of 62 characters: 238 bits
TOKEN = re.compile(
    rf"smq_({ID_PREFIX}[A-Z2-7]{{{ID_RANDOM_LENGTH}}})_([0-9A-Za-z]{{{SECRET_LENGTH}}})", re.ASCII
)
# Another purpose derived from the same setting would use other words here, and so get other keys.
KEY_PURPOSE = b"simplemq api key secret, v1"


class Undecipherable(Exception):
    """None of SIMPLEMQ_KEY_ENCRYPTION_SECRETS decrypts this secret."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)


class Credentials(NamedTuple):
    access_key_id: str
    secret: str


def new_credentials() -> Credentials:
    access_key_id = ID_PREFIX + _random(ID_CHARS, ID_RANDOM_LENGTH)
    return Credentials(access_key_id, _random(ALPHABET, SECRET_LENGTH))


def write_bearer(credentials: Credentials) -> str:
    return f"smq_{credentials.access_key_id}_{credentials.secret}"


def read_bearer(token: str) -> Credentials | None:
    """The two halves of a token, or None for anything `write_bearer` could not have written."""
    match = TOKEN.fullmatch(token)
    return Credentials(*match.groups()) if match else None


def digest(secret: str) -> bytes:
    """One round is enough: nobody guesses 238 random bits, so there is nothing to slow down."""
    return hashlib.sha256(secret.encode()).digest()


def matches(secret: str, stored_digest: bytes | memoryview) -> bool:
    return hmac.compare_digest(digest(secret), bytes(stored_digest))


def encrypt(secret: str) -> bytes:
    return _cipher().encrypt(secret.encode())


def decrypt(ciphertext: bytes | memoryview) -> str:
    try:
        return _cipher().decrypt(bytes(ciphertext)).decode()
    except InvalidToken:
        raise Undecipherable from None


def reencrypt(ciphertext: bytes | memoryview) -> bytes:
    """The same secret under the first of SIMPLEMQ_KEY_ENCRYPTION_SECRETS."""
    try:
        return _cipher().rotate(bytes(ciphertext))
    except InvalidToken:
        raise Undecipherable from None


def _random(alphabet: str, length: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))


def _cipher() -> MultiFernet:
    return _cipher_of(tuple(settings.SIMPLEMQ_KEY_ENCRYPTION_SECRETS))


@lru_cache(maxsize=4)
def _cipher_of(key_secrets: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(_derived_key(secret)) for secret in key_secrets])


def _derived_key(secret: str) -> bytes:
    raw = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_PURPOSE).derive(secret.encode())
    return base64.urlsafe_b64encode(raw)
