import pytest
from django.test import RequestFactory

from dlq_console import client_address


def address_of(peer: str, forwarded: str | None = None) -> str | None:
    headers = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    return client_address.of(RequestFactory().get("/", REMOTE_ADDR=peer, **headers))


def test_it_is_whoever_connects():
    assert address_of("203.0.113.9") == "203.0.113.9"


def test_it_does_not_read_headers_that_anybody_may_send():
    assert address_of("203.0.113.9", "198.51.100.1") == "203.0.113.9"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "client"),
    [
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        (2, "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        (2, "198.51.100.1,10.0.0.2", "198.51.100.1"),
    ],
)
def test_behind_proxies_it_is_what_the_outermost_saw(settings, proxies, forwarded, client):
    settings.SIMPLEMQ_TRUSTED_PROXIES = proxies
    assert address_of("10.0.0.1", forwarded) == client


@pytest.mark.parametrize("forwarded", [None, "", "unknown", "198.51.100.1, ", "x" * 5_000, "1.2.3.4:80"])
def test_a_header_that_says_nothing_leaves_the_proxy(settings, forwarded):
    settings.SIMPLEMQ_TRUSTED_PROXIES = 1
    assert address_of("10.0.0.1", forwarded) == "10.0.0.1"


def test_a_header_that_is_too_short_is_not_believed(settings):
    """It did not pass all the proxies, so somebody came by another way."""
    settings.SIMPLEMQ_TRUSTED_PROXIES = 2
    assert address_of("10.0.0.1", "198.51.100.1") == "10.0.0.1"


def test_a_household_of_ipv6_is_one_address():
    assert address_of("2001:db8:1:2:aaaa::1") == address_of("2001:db8:1:2:bbbb::2") == "2001:db8:1:2::"
    assert address_of("2001:db8:1:3::1") == "2001:db8:1:3::"


def test_ipv4_in_the_clothes_of_ipv6_is_ipv4():
    assert address_of("::ffff:203.0.113.9") == "203.0.113.9"


def test_a_unix_socket_has_none():
    assert address_of("") is None
