"""Pages of a dead-letter queue read a page, however many letters and groups there are.

Whatever the statistics say, too: a queue that has just filled up is in none of them.
"""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from queues.limits import PAGE_SIZE
from queues.models import ErrorGroupDelta
from queues.operations import error_groups, redrive, search
from tests.dlq_console.filling import OF_THE_SMALL_GROUP, Place, empty, fill
from tests.queues.sql.explained import Plan, explain, without_statistics

pytestmark = pytest.mark.django_db

LETTERS = 50_000
ONE_PAGE = PAGE_SIZE + 1
MANY_GROUPS = 900_031
TABLES = ("message", "error_group", "error_group_hour", "error_group_delta")


@pytest.fixture(scope="module", params=["never analysed", "analysed long ago", "analysed"])
def place(request, django_db_setup, django_db_blocker):
    """50,000 letters in 200 groups, and a queue with as many groups as letters."""
    with django_db_blocker.unblock(), without_statistics(*TABLES), connection.cursor() as cursor:
        if request.param == "analysed long ago":  # when there were other queues, and this one was not there
            fill("long-ago", letters=1_000, trail=1, others=1)
            cursor.execute(f"ANALYZE {', '.join(TABLES)}")
            empty()
        place = fill("plans", letters=LETTERS, trail=10, others=1)
        cursor.execute(
            f"""INSERT INTO error_group (queue_id, fingerprint, title, count, note, noted_by)
                SELECT {MANY_GROUPS}, 'f' || n, 't', n % 7, '', '' FROM generate_series(1, {LETTERS}) AS n"""
        )
        if request.param == "analysed":
            cursor.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")
        yield place
        empty()


def plans_of(look: Callable[[], object]) -> list[Plan]:
    """The plans of what this asks of the messages, in order."""
    with CaptureQueriesContext(connection) as caught:
        look()
    asked = [query["sql"] for query in caught if re.search(r'^SELECT .* FROM "message"', query["sql"])]
    plans = []
    for statement in asked:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
            [(answer,)] = cursor.fetchall()
        plans.append(Plan(answer[0]["Plan"]))
    return plans


def rows_read(look: Callable[[], object]) -> int:
    plans = plans_of(look)
    assert plans
    return sum(plan.rows_read() for plan in plans)


def shown(queue_id: int, fingerprint: str | None = None, most: int = error_groups.MOST_GROUPS) -> Plan:
    return explain("error_group/shown", queue_id=queue_id, fingerprint=fingerprint, most=most)


def test_the_groups_of_a_queue_are_read_without_its_letters(place: Place):
    plan = shown(place.dlq.pk)
    assert plan.scans("message") == []
    assert plan.indexes("error_group") == {"error_group_largest", "error_group_once"}
    assert plan.rows_read("error_group") <= 2 * error_groups.MOST_GROUPS


def test_of_many_groups_only_the_largest_are_read(place: Place):
    assert shown(MANY_GROUPS).rows_read("error_group") <= 2 * error_groups.MOST_GROUPS


def test_and_those_that_change_just_now(place: Place):
    ErrorGroupDelta.objects.bulk_create(
        ErrorGroupDelta(queue_id=MANY_GROUPS, fingerprint=f"f{number}", count=1) for number in range(50)
    )
    plan = shown(MANY_GROUPS)
    assert plan.rows_read("error_group") <= 2 * error_groups.MOST_GROUPS + 3 * 50
    assert plan.rows_read("error_group_delta") <= 2 * 50


def test_one_group_is_one_row(place: Place):
    plan = shown(MANY_GROUPS, "f7", most=1)
    assert plan.rows_read("error_group") == 1


def test_sparklines_read_their_hours(place: Place):
    groups = [group.fingerprint for group in error_groups.groups(place.dlq)[:20]]
    since = timezone.now() - timedelta(hours=23)
    plan = explain("error_group/hours", queue_id=place.dlq.pk, fingerprints=groups, since=since)
    assert plan.indexes("error_group_hour") == {"error_group_hour_once"}
    assert plan.rows_read("error_group_hour") <= 24 * len(groups)


@pytest.mark.parametrize("edge", [{}, {"after": "middle"}, {"before": "middle"}, {"before": "end"}], ids=str)
def test_a_page_of_letters_is_a_page_of_the_key(place: Place, edge: dict[str, str]):
    given = {name: place.words[word] for name, word in edge.items()}
    [plan] = plans_of(lambda: search.find(place.dlq, search.Search(), dead_only=True, **given))
    assert plan.indexes() == {"message_pkey"}
    assert plan.rows_read() == ONE_PAGE


@pytest.mark.parametrize("edge", [{}, {"after": "middle"}, {"before": "middle"}, {"before": "end"}], ids=str)
@pytest.mark.parametrize("which", ["large", "small"])
def test_a_page_of_a_group_is_a_page_of_its_index(place: Place, edge: dict[str, str], which: str):
    given = {name: place.words[word] for name, word in edge.items()}
    of_group = search.parse(f'fingerprint:"{place.words[which]}"')
    [plan] = plans_of(lambda: search.find(place.dlq, of_group, dead_only=True, **given))
    assert plan.indexes() == {"message_group"}
    assert plan.rows_read() <= ONE_PAGE


def test_letters_that_are_named_are_looked_up(place: Place):
    named = search.parse(f"id:{place.words['letter']} id:{place.words['middle']}")
    assert rows_read(lambda: search.find(place.dlq, named)) <= 2


@pytest.mark.parametrize("state", ["leased", "delayed", "exhausted"])
def test_a_state_in_which_there_is_nothing_reads_nothing(place: Place, state: str):
    assert rows_read(lambda: search.find(place.dlq, search.Search(), state=state)) == 0


def test_a_state_in_which_they_all_are_reads_a_page(place: Place):
    assert rows_read(lambda: search.find(place.dlq, search.Search(), state="ready")) == ONE_PAGE


def test_a_state_in_which_many_are_reads_no_more_than_is_counted(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    """Too many to sort: they are found on the way through the queue."""
    monkeypatch.setattr("queues.operations.look.EXACT_COUNT", 100)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""UPDATE message SET state = 'leased', visible_at = now() + interval '1 hour'
                 WHERE queue_id = {place.dlq.pk} AND right(id::text, 1) < '8'"""
        )
    read = rows_read(lambda: search.find(place.dlq, search.Search(), state="leased"))
    assert read <= 101 + 5 * ONE_PAGE


def test_the_plan_of_a_redrive_of_a_group_counts_that_group(place: Place):
    given = {"fingerprint": place.words["small"]}
    [plan] = plans_of(lambda: redrive.plan(place.dlq, filter=given))
    assert plan.indexes() == {"message_group"}
    assert plan.rows_read() <= OF_THE_SMALL_GROUP


def test_the_plan_of_a_redrive_with_a_limit_counts_no_further(place: Place):
    assert rows_read(lambda: redrive.plan(place.dlq, limit=10)) <= 2 * 10


def test_the_plan_of_a_redrive_of_named_letters_looks_them_up(place: Place):
    given = {"message_ids": [place.words["letter"], place.words["middle"]]}
    assert rows_read(lambda: redrive.plan(place.dlq, filter=given)) <= 2
