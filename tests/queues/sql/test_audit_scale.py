"""A million entries of one team: what people ask of the audit is answered before their patience ends."""

import time

import pytest
from django.db import connection

from queues import limits
from queues.models import Team
from queues.operations import audit
from queues.operations.search import in_time

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

ENTRIES, PAGE = 1_000_000, 51
NOTHING = [
    {"actor": "nobody"},
    {"queue": "no-such-queue"},
    {"action": "queue.purged"},
    {"until": "2000-01-01T00:00:00Z"},
    {"since": "2100-01-01T00:00:00Z"},
    {"actor": "nobody", "queue": "orders", "action": "message.requeued"},
]


@pytest.fixture(scope="module")
def team(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        team = Team.objects.create(name="of a million entries")
        cursor.execute(
            f"""INSERT INTO audit_entry (team_id, at, actor, action, queue_name, subject, detail, reason)
                SELECT {team.pk}, now() - n * interval '10 s', 'user' || n % 50,
                       (ARRAY['message.requeued', 'message.discarded', 'queue.paused'])[1 + n % 3], 'orders',
                       'msg_0123456789012345678901', '{{"to": "orders"}}', 'because'
                  FROM generate_series(1, {ENTRIES}) AS n"""
        )
        cursor.execute("VACUUM ANALYZE audit_entry")
        yield team
        cursor.execute("TRUNCATE audit_entry")
        team.delete()


@pytest.mark.parametrize("filters", NOTHING, ids=lambda filters: "+".join(filters))
def test_a_filter_that_matches_nothing_is_answered_in_time(team, filters):
    began = time.perf_counter()
    with in_time():
        assert list(audit.entries(Team.objects.filter(pk=team.pk), **filters)[:PAGE]) == []
    assert time.perf_counter() - began < limits.SEARCH_SECONDS


def test_the_newest_page_is_there_at_once(team):
    began = time.perf_counter()
    assert len(audit.entries(Team.objects.filter(pk=team.pk))[:PAGE]) == PAGE
    assert time.perf_counter() - began < 0.5
