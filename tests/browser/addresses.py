"""Every address of the console, taken from the urlconf: tests of rights cannot forget a new page."""

from collections.abc import Iterator
from typing import NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver, reverse

Values = dict[str, str | int]


class Address(NamedTuple):
    name: str
    path: str
    names: frozenset[str]  # of what it is about: nothing, a queue, a message in a queue …


def addresses(values: Values) -> list[Address]:
    """All of them, with these values in the place of their parameters."""
    return [_address(pattern, values) for pattern in _patterns(get_resolver(), in_console=False)]


def _patterns(resolver: URLResolver, in_console: bool) -> Iterator[URLPattern]:
    for pattern in resolver.url_patterns:
        inside = in_console or getattr(pattern, "namespace", None) == "console"
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, inside)
        elif inside:
            yield pattern


def _address(pattern: URLPattern, values: Values) -> Address:
    wanted = pattern.pattern.converters
    unknown = set(wanted) - set(values)
    assert not unknown, f"tell the tests of rights what {unknown} is, in the address {pattern.name}"
    path = reverse(f"console:{pattern.name}", kwargs={name: values[name] for name in wanted})
    return Address(str(pattern.name), path, frozenset(wanted))
