"""Two people at once: threads with real connections, because a test transaction would hide the locks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from django.db import connection, transaction

from queues.errors import Conflict, QueueError, QuotaExceeded
from queues.models import ApiKey, Team
from queues.operations.keys import authenticate, create_api_key

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def team() -> Team:
    return Team.objects.create(name="payments", max_api_keys=1)


def both(*jobs: Callable[[], object]) -> list[object]:
    """Runs the jobs at the same moment; what each returned or refused."""
    start = Barrier(len(jobs))

    def run(job: Callable[[], object]) -> object:
        start.wait(10)
        try:
            return job()
        except QueueError as refusal:
            return type(refusal)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


@pytest.mark.parametrize("attempt", range(5))
def test_it_gives_the_last_free_place_to_one_of_two(team: Team, attempt: int) -> None:
    results = both(
        lambda: create_api_key(team, "first", ["send"]), lambda: create_api_key(team, "second", ["send"])
    )
    assert results.count(QuotaExceeded) == 1
    assert ApiKey.objects.live().count() == 1


@pytest.mark.parametrize("attempt", range(5))
def test_it_gives_a_name_to_one_of_two(team: Team, attempt: int) -> None:
    Team.objects.update(max_api_keys=10)
    create = lambda: create_api_key(team, "worker", ["send"])  # noqa: E731
    assert both(create, create).count(Conflict) == 1
    assert ApiKey.objects.live().count() == 1


def test_it_does_not_wait_for_another_request_that_notes_the_use(team: Team) -> None:
    issued = create_api_key(team, "worker", ["send"], now=NOW)
    with transaction.atomic():
        ApiKey.objects.select_for_update().get(pk=issued.key.pk)
        [key] = both(lambda: authenticate(issued.bearer, now=NOW + timedelta(hours=1)))
    assert key == issued.key
    assert ApiKey.objects.get().last_used_at is None
