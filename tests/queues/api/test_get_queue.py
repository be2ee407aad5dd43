from django.utils import timezone

from queues.models import Queue
from tests.factories import dead_letter, in_flight_message, ready_message
from tests.queues.api.caller import Caller, assert_problem

CONTRACT = (
    "queue_id queue_name queue_size visibility_timeout max_deliveries current_message_count dlq_id "
    "mode delay_seconds retention_seconds max_message_bytes priority_aging_seconds target_age_seconds "
    "receive_wait_seconds backoff allow_edit tags description "
    "visible_count in_flight_count delayed_count exhausted_count counts_exact oldest_message_age_seconds "
    "is_dlq paused source_queue_ids created_at"
).split()


def test_it_has_the_fields_of_the_contract(owner: Caller, address: str) -> None:
    assert sorted(owner.get(address).json()) == sorted(CONTRACT)


def test_it_counts_messages_by_state(owner: Caller, queue: Queue, address: str) -> None:
    now = timezone.now()
    in_flight_message(queue, now=now)
    ready_message(queue, now=now)
    ready_message(queue, now=now, delay_seconds=60)
    shown = owner.get(address).json()
    assert (shown["visible_count"], shown["in_flight_count"], shown["delayed_count"]) == (1, 1, 1)
    assert (shown["current_message_count"], shown["exhausted_count"], shown["counts_exact"]) == (3, 0, True)
    assert shown["oldest_message_age_seconds"] >= 0


def test_it_has_no_dlq_before_the_first_dead_letter(owner: Caller, queue: Queue, address: str) -> None:
    assert owner.get(address).json()["dlq_id"] is None
    dlq = dead_letter(queue)
    assert owner.get(address).json()["dlq_id"] == dlq.public_id


def test_it_names_the_sources_of_a_dlq(owner: Caller, queue: Queue) -> None:
    dlq = dead_letter(queue)
    shown = owner.get(f"/api/queues/{dlq.public_id}").json()
    assert (shown["is_dlq"], shown["source_queue_ids"]) == (True, [queue.public_id])


def test_it_writes_times_in_utc(owner: Caller, address: str) -> None:
    assert owner.get(address).json()["created_at"].endswith("Z")


def test_it_is_404_for_anything_that_is_no_queue(owner: Caller) -> None:
    for queue_id in ("q_", "nothing", "q_0000000000000000000000", "q_zzzzzzzzzzzzzzzzzzzzzz", "%00", "ü"):
        assert_problem(owner.get(f"/api/queues/{queue_id}"), 404, "queue_not_found")
