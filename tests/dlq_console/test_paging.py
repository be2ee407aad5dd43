"""Keyset pages of the console."""

import pytest
from django.test import RequestFactory

from dlq_console.paging import Page, link, page_of
from queues.models import AuditEntry, Message, Team
from tests.factories import new_team

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(team: Team) -> list[int]:
    entries = [AuditEntry(team=team, actor="olga", action="queue.paused") for _ in range(5)]
    return [entry.pk for entry in AuditEntry.objects.bulk_create(entries)]


def page(address: str = "/list/", newest_first: bool = False) -> Page:
    return page_of(RequestFactory().get(address), AuditEntry.objects.all(), size=2, newest_first=newest_first)


def keys(page: Page) -> list[int]:
    return [row.pk for row in page.rows]


@pytest.mark.parametrize("newest_first", [False, True])
def test_it_walks_there_and_back(rows: list[int], newest_first: bool) -> None:
    expected = rows[::-1] if newest_first else rows
    first = page(newest_first=newest_first)
    second = page(first.next, newest_first)
    third = page(second.next, newest_first)
    assert [keys(p) for p in (first, second, third)] == [expected[:2], expected[2:4], expected[4:]]
    assert (first.previous, third.next) == (None, None)
    back = page(third.previous, newest_first)
    assert keys(back) == expected[2:4]
    assert keys(page(back.previous, newest_first)) == expected[:2]
    assert page(back.previous, newest_first).previous is None


def test_it_keeps_the_filters_in_its_links(rows: list[int]) -> None:
    found = page(f"/list/?q=a%26b&team=x&after={rows[0]}")
    assert found.next == f"/list/?q=a%26b&team=x&after={rows[2]}"
    assert found.previous == f"/list/?q=a%26b&team=x&before={rows[1]}"


@pytest.mark.parametrize("garbage", ["x", "", "1e9", "9" * 40, "%00", "<script>"])
def test_it_begins_at_the_beginning_when_the_place_is_none(rows: list[int], garbage: str) -> None:
    assert keys(page(f"/list/?after={garbage}")) == rows[:2]


def test_it_knows_ids_that_are_no_numbers() -> None:
    request = RequestFactory().get("/list/?after=no-uuid")
    assert page_of(request, Message.objects.all()) == Page([])


def test_it_is_one_statement_whatever_there_is(rows: list[int], django_assert_num_queries) -> None:
    new_team()
    with django_assert_num_queries(1):
        page()


def test_a_link_without_parameters_is_the_path() -> None:
    assert link(RequestFactory().get("/list/?before=4")) == "/list/"
