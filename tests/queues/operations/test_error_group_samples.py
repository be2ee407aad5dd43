"""Samples of error groups: the newest letters of each, in one statement."""

import pytest

from queues import limits
from queues.models import Message, Queue
from queues.operations import error_groups
from queues.operations.nack import nack
from queues.operations.receive import receive
from tests.factories import new_queue, ready_message, reloaded

pytestmark = pytest.mark.django_db


def died_of(queue: Queue, error: str, data: str) -> Message:
    ready_message(queue, data)
    [delivery] = receive(queue)
    nack(queue, delivery.message_id, delivery.receipt_handle, error={"type": error, "message": "no"})
    return Message.objects.get(id=delivery.id)


@pytest.fixture
def queue() -> Queue:
    return new_queue(max_deliveries=1)


def test_each_group_has_its_newest_first(queue, django_assert_num_queries):
    slow = [died_of(queue, "Timeout", f"slow {number}") for number in range(4)]
    wrong = died_of(queue, "ValueError", "wrong")
    dlq = reloaded(queue).dlq
    with django_assert_num_queries(1):
        samples = error_groups.samples(dlq, [slow[0].fingerprint, wrong.fingerprint])
    assert [each.beginning for each in samples[slow[0].fingerprint]] == ["slow 3", "slow 2", "slow 1"]
    assert [each.message_id for each in samples[wrong.fingerprint]] == [wrong.public_id]


def test_a_large_body_is_cut(queue):
    letter = died_of(queue, "Timeout", "x" * 100_000)
    [[sample]] = error_groups.samples(reloaded(queue).dlq, [letter.fingerprint]).values()
    assert len(sample.beginning) == limits.BEGINNING_CHARACTERS


@pytest.mark.parametrize("fingerprint", ["", "nothing", "\x00", "\ud800"])
def test_a_group_that_is_none_has_none(queue, fingerprint):
    letter = died_of(queue, "Timeout", "slow")
    samples = error_groups.samples(reloaded(queue).dlq, [fingerprint])
    assert sum(map(len, samples.values())) == 0
    assert letter.fingerprint not in samples
