import pytest

from queues.errors import Invalid
from queues.maintenance import promote
from queues.models import Message, State
from queues.operations import queues
from queues.operations.lease import change_visibility
from queues.operations.nack import nack
from queues.operations.receive import receive
from queues.receipts import Receipt
from queues.values import Failure
from tests.factories import NOW, after, in_flight_message, new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db
BACKOFF = {"base_seconds": 10, "factor": 3, "max_seconds": 60, "jitter": 0}


def waiting_queue(**settings):
    settings = {"backoff": BACKOFF, "max_deliveries": None, "visibility_timeout": 30, **settings}
    return new_queue(**settings)


def waits_after_nacks(queue, count: int) -> list[float]:
    """How long the message waits after each nack."""
    waits, now = [], NOW
    in_flight_message(queue)
    for _ in range(count):
        message = Message.objects.get()
        receipt = Receipt(message.id, message.receipt)
        visible_at = Message.objects.nack(queue, receipt, Failure(), None, now).visible_at
        waits.append((visible_at - now).total_seconds())
        now = visible_at
        assert receive(queue, now=now)
    return waits


def test_it_waits_longer_each_time_up_to_a_bound():
    assert waits_after_nacks(waiting_queue(), 4) == [10, 30, 60, 60]


def test_it_waits_the_same_with_a_factor_of_one():
    assert waits_after_nacks(waiting_queue(backoff={"base_seconds": 7, "factor": 1}), 3) == [7, 7, 7]


def test_it_heeds_the_delay_of_a_nack_first():
    queue = waiting_queue()
    delivery = in_flight_message(queue)
    result = nack(queue, delivery.message_id, delivery.receipt_handle, delay_seconds=0, now=NOW)
    assert result.visible_at == NOW


@pytest.mark.parametrize(("chance", "seconds"), [(0.0, 5), (0.5, 10), (1.0, 15)])
def test_it_varies_by_the_jitter(chance, seconds):
    queue = waiting_queue(backoff={**BACKOFF, "jitter": 0.5})
    delivery = in_flight_message(queue)
    receipt = Receipt(delivery.id, delivery.receipt)
    row = Message.objects.nack(queue, receipt, Failure(), None, NOW, chance)
    assert row.visible_at == after(seconds=seconds)


def test_it_rolls_the_dice_itself():
    queue = waiting_queue(backoff={**BACKOFF, "jitter": 0.5})
    ends = set()
    for _ in range(5):
        delivery = in_flight_message(queue)
        ends.add(nack(queue, delivery.message_id, delivery.receipt_handle, now=NOW).visible_at)
    assert len(ends) > 1
    assert all(after(seconds=5) <= end <= after(seconds=15) for end in ends)


def test_it_survives_any_number_of_deliveries():
    queue = waiting_queue(backoff={"base_seconds": 1, "factor": 10, "max_seconds": 43_200})
    in_flight_message(queue)
    Message.objects.update(delivery_count=2_000_000_000)
    Message.objects.promote(queue, 10, after(seconds=30))
    assert Message.objects.get().visible_at == after(seconds=30 + 43_200)


@pytest.mark.parametrize("backoff", [None, BACKOFF])
def test_it_costs_a_receive_no_further_statement(backoff, django_assert_num_queries):
    queue = waiting_queue(backoff=backoff)
    ready_message(queue)
    with django_assert_num_queries(2):
        assert receive(queue, now=NOW)


class TestLeaseExpiry:
    def test_it_waits_from_the_end_of_the_lease_on(self):
        queue = waiting_queue()
        in_flight_message(queue)
        assert receive(queue, now=after(seconds=32)) == []
        assert Message.objects.get().state == State.DELAYED
        assert receive(queue, now=after(seconds=39)) == []
        assert receive(queue, now=after(seconds=40))

    def test_it_is_ready_at_once_when_nobody_looked_until_the_wait_was_over(self):
        queue = waiting_queue()
        in_flight_message(queue)
        assert receive(queue, now=after(seconds=40))

    def test_it_counts_the_expiry_once(self):
        queue = waiting_queue()
        in_flight_message(queue)
        for seconds in (31, 35, 40, 41):
            receive(queue, now=after(seconds=seconds))
        message = Message.objects.get()
        assert (message.lease_expiry_count, len(message.history)) == (1, 1)

    def test_it_waits_in_queues_nobody_polls(self):
        queue = waiting_queue()
        in_flight_message(queue)
        promote.run_once(10, after(seconds=30))
        assert Message.objects.get().state == State.DELAYED
        promote.run_once(10, after(seconds=40))
        assert Message.objects.get().state == State.READY

    def test_it_varies_by_the_jitter(self):
        queue = waiting_queue(backoff={**BACKOFF, "jitter": 1})
        in_flight_message(queue)
        Message.objects.promote(queue, 10, after(seconds=30), chance=0.75)
        assert Message.objects.get().visible_at == after(seconds=45)

    def test_it_does_not_keep_the_last_lease_from_the_dead_letter_queue(self):
        queue = waiting_queue(max_deliveries=1)
        in_flight_message(queue)
        receive(queue, now=after(seconds=30))
        assert reloaded(queue).dlq is not None

    def test_it_leaves_the_latest_handle_good(self):
        queue = waiting_queue()
        delivery = in_flight_message(queue)
        receive(queue, now=after(seconds=31))
        end = change_visibility(queue, delivery.message_id, delivery.receipt_handle, 60, after(seconds=32))
        assert end == after(seconds=92)

    def test_it_says_when_it_failed(self):
        queue = waiting_queue()
        in_flight_message(queue)
        receive(queue, now=after(seconds=35))
        message = Message.objects.get()
        assert (message.first_failed_at, message.last_failed_at) == (after(seconds=30), after(seconds=30))
        assert message.error_type == "LeaseExpired"

    def test_it_is_not_for_the_delay_of_a_new_message(self):
        queue = waiting_queue()
        ready_message(queue, delay_seconds=5)
        assert receive(queue, now=after(seconds=5))
        assert Message.objects.get().lease_expiry_count == 0


class TestSetting:
    def test_it_fills_in_what_is_not_given(self):
        queue = new_queue(backoff={"base_seconds": 5})
        assert queue.backoff == {"base_seconds": 5, "factor": 2.0, "max_seconds": 43_200, "jitter": 0.0}

    def test_it_can_be_changed_and_taken_away(self):
        queue = queues.update(new_queue(), backoff=BACKOFF)
        assert reloaded(queue).backoff == BACKOFF
        assert queues.update(queue, backoff=None).backoff is None

    def test_it_is_the_same_queue_with_the_same_backoff(self):
        queue = new_queue(backoff=BACKOFF)
        assert queues.create(queue.team, name=queue.name, backoff=BACKOFF) == (queue, False)

    @pytest.mark.parametrize(
        "wrong",
        [
            {},
            {"factor": 2},
            {"base_seconds": 0},
            {"base_seconds": 43_201},
            {"base_seconds": "5"},
            {"base_seconds": True},
            {"base_seconds": None},
            {"base_seconds": float("nan")},
            {"base_seconds": 10, "max_seconds": 9},
            {"base_seconds": 10, "factor": 0.9},
            {"base_seconds": 10, "factor": 11},
            {"base_seconds": 10, "jitter": -0.1},
            {"base_seconds": 10, "jitter": 1.1},
            {"base_seconds": 10, "colour": 1},
        ],
    )
    def test_it_refuses_what_makes_no_sense(self, wrong):
        with pytest.raises(Invalid) as caught:
            new_queue(backoff=wrong)
        assert caught.value.field.split(".")[0] == "backoff"

    def test_it_names_the_part_that_is_wrong(self):
        with pytest.raises(Invalid) as caught:
            new_queue(backoff={"base_seconds": 10, "factor": 11})
        assert caught.value.field == "backoff.factor"
