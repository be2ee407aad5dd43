"""No page asks the database once more for each row it shows: few rows or many, the statements are as many."""

from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.dlq_console.filling import Place, empty, fill
from tests.dlq_console.pages import DEEDS, PAGES, Page, address_of, admin_lists, names, visit

pytestmark = pytest.mark.django_db

# Four say who asks, for which queue, and what they may do there; four more keep a search short.
MOST = 15
FEW, MANY = 10, 200


@pytest.fixture(scope="module")
def places(django_db_setup, django_db_blocker):
    """One place with few of everything, one with many; more letters than a page shows in both."""
    with django_db_blocker.unblock():
        yield [
            fill("few", letters=500, trail=FEW, others=FEW),
            fill("many", letters=2_000, trail=MANY, others=MANY),
        ]
        empty()


def statements(client: Client, look: Callable[[Client], object]) -> list[str]:
    with CaptureQueriesContext(connection) as caught:
        look(client)
    return [query["sql"][:200] for query in caught]


def look_at(address: str, client: Client) -> None:
    assert client.get(address).status_code == 200


@pytest.mark.parametrize("one", PAGES, ids=str)
def test_a_page_asks_the_same_of_few_and_of_many(one: Page, places: list[Place]):
    few, many = (statements(place.client, partial(visit, page=one, place=place)) for place in places)
    assert len(few) == len(many), "\n".join(many)
    assert len(many) <= MOST, "\n".join(many)


@pytest.mark.parametrize("model", sorted(admin_lists(None)))
def test_so_does_a_list_of_the_admin(model: str, places: list[Place]):
    few, many = (statements(place.client, partial(look_at, admin_lists(place)[model])) for place in places)
    assert len(few) == len(many), "\n".join(many)
    assert len(many) <= MOST, "\n".join(many)


def test_every_address_is_a_page_of_the_list_or_a_deed():
    assert names() == {page.name for page in PAGES} | DEEDS


def test_none_is_both():
    assert {page.name for page in PAGES} & DEEDS == set()


@pytest.mark.parametrize("name", sorted(DEEDS))
def test_a_deed_shows_no_page(name: str, places: list[Place]):
    """Or it would be missing among those that are counted."""
    assert places[0].client.get(address_of(name, places[0])).status_code == 405
