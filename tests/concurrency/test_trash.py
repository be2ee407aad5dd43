"""Messages are discarded, restored and pulled back while others are at them: none is lost, none doubled."""

from collections.abc import Callable

import pytest

from queues import ids
from queues.errors import AlreadyReceived
from queues.maintenance import trash as duty
from queues.models import DiscardedMessage, Message, Outcome, Queue, QueueSlot
from queues.operations import trash
from queues.operations.ack import ack
from queues.operations.dead_letters import bury, requeue, undo_requeue
from queues.operations.receive import receive
from queues.operations.send import send, send_many
from queues.values import NewMessage
from tests.concurrency import ledger
from tests.concurrency.together import at_once, uncommitted, waiting_for_a_lock

MESSAGES = 300


def in_trash(queue: Queue) -> set[str]:
    return {discarded.public_id for discarded in trash.trash_of(queue)}


@pytest.fixture
def queue(make_queue: Callable[..., Queue]) -> Queue:
    return make_queue(queue_size=MESSAGES)


def test_a_message_is_discarded_or_received_never_both_or_neither(queue: Queue) -> None:
    sent = [ids.message_id(uid) for uid in send_many(queue, [NewMessage("x")] * MESSAGES)]

    def discard_one_by_one() -> int:
        return sum(trash.discard(queue, [message_id], by="ada") for message_id in sent)

    def receive_all() -> list[str]:
        received = []
        while batch := receive(queue, 5, visibility_timeout=600):
            received += [delivery.message_id for delivery in batch]
        return received

    discarded, one, other = at_once(discard_one_by_one, receive_all, receive_all)
    received = {*one, *other}
    assert (len(received), len(received) + discarded) == (len(one) + len(other), MESSAGES)
    assert in_trash(queue) == set(sent) - received
    assert QueueSlot.objects.free(queue) == discarded


def test_acks_and_discards_of_the_same_messages_account_for_all_of_them(queue: Queue) -> None:
    sent = send_many(queue, [NewMessage("x")] * MESSAGES)

    def consume() -> None:
        while batch := receive(queue, 10, visibility_timeout=0):
            ack(queue, [delivery.receipt_handle for delivery in batch])

    def discard() -> int:
        return trash.discard(queue, [ids.message_id(uid) for uid in sent], by="ada")

    at_once(consume, discard, discard)
    trashed = set(DiscardedMessage.objects.values_list("message_id", flat=True))
    acked = ledger.ended(queue, Outcome.ACKED)
    assert set(acked.values()) <= {1}
    assert set(acked).isdisjoint(trashed)
    assert set(acked) | trashed | set(ledger.live(queue)) == set(sent)
    held, free = ledger.places(queue)
    assert held + free == MESSAGES


def test_a_discard_that_waited_for_a_receive_leaves_the_message(queue: Queue) -> None:
    message_id = ids.message_id(send(queue, NewMessage("x")))
    with uncommitted(lambda: receive(queue)) as deliveries:
        discarding = waiting_for_a_lock(lambda: trash.discard(queue, [message_id], by="ada"))
    assert discarding.result() == 0
    assert ack(queue, [deliveries[0].receipt_handle])[0].error is None


def test_a_receive_passes_over_a_message_that_is_being_discarded(queue: Queue) -> None:
    message_id = ids.message_id(send(queue, NewMessage("x")))
    with uncommitted(lambda: trash.discard(queue, [message_id], by="ada")):
        assert receive(queue) == []
    assert in_trash(queue) == {message_id}


def test_of_several_that_restore_at_once_one_does(queue: Queue) -> None:
    sent = [ids.message_id(uid) for uid in send_many(queue, [NewMessage("x")] * 10)]
    trash.discard(queue, sent, by="ada")

    def restore() -> int:
        return trash.restore(queue, sent)

    assert sorted(at_once(restore, restore, restore)) == [0, 0, 10]
    assert (len(ledger.live(queue)), QueueSlot.objects.free(queue)) == (10, MESSAGES - 10)


def test_what_is_being_restored_is_not_emptied(queue: Queue) -> None:
    message_id = ids.message_id(send(queue, NewMessage("x")))
    trash.discard(queue, [message_id], by="ada")
    DiscardedMessage.objects.update(expires_at="2000-01-01T00:00:00Z")
    with uncommitted(lambda: trash.restore(queue, [message_id])):
        assert duty.run_once(10) == 0
    assert len(ledger.live(queue)) == 1


@pytest.mark.parametrize("attempt", range(5))
def test_a_requeued_message_is_pulled_back_or_received(
    make_queue: Callable[..., Queue], attempt: int
) -> None:
    source = make_queue("orders", dlq=make_queue("morgue", queue_size=5))
    uid = send(source, NewMessage("poison"))
    Message.objects.filter(id=uid).update(state="exhausted")
    bury(source, 1)
    dlq = Queue.objects.get(pk=source.dlq_id)
    requeue(dlq, ids.message_id(uid))

    def undo() -> bool:
        try:
            undo_requeue(dlq, ids.message_id(uid))
        except AlreadyReceived:
            return False
        return True

    pulled_back, received = at_once(undo, lambda: bool(receive(source)))
    assert pulled_back is not received
    assert ledger.live(dlq if pulled_back else source) == [uid]
    held, free = ledger.places(dlq)
    assert held + free == 5
