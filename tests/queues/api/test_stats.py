from queues.models import Queue, QueueTally
from tests.factories import ready_message
from tests.queues.api.caller import Caller, assert_problem


def test_it_tells_counts_and_rates(owner: Caller, queue: Queue) -> None:
    ready_message(queue)
    QueueTally.objects.append({queue.pk: {"sent": 60}})
    stats = owner.get(f"/api/queues/{queue.public_id}/stats").json()
    assert (stats["current_message_count"], stats["visible_count"], stats["counts_exact"]) == (1, 1, True)
    assert [rates["minutes"] for rates in stats["rates"]] == [1, 5, 15]
    assert stats["rates"][0]["sent"] == 1.0


def test_a_stranger_gets_none(stranger: Caller, queue: Queue) -> None:
    assert_problem(stranger.get(f"/api/queues/{queue.public_id}/stats"), 404, "queue_not_found")
