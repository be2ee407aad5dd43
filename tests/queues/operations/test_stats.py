import pytest

from queues.models import QueueActivity, QueueTally
from queues.operations.stats import stats
from tests.factories import NOW, after, new_queue, ready_message

pytestmark = pytest.mark.django_db


def test_it_tells_what_the_queue_holds():
    queue = new_queue()
    ready_message(queue)
    assert stats(queue, NOW).counts.visible == 1


def test_it_tells_rates_over_the_last_minutes():
    queue = new_queue()
    QueueActivity.objects.create(queue_id=queue.pk, bucket=after(seconds=-30), sent=120, acked=60)
    QueueActivity.objects.create(queue_id=queue.pk, bucket=after(minutes=-3), sent=180)
    QueueActivity.objects.create(queue_id=queue.pk, bucket=after(hours=-3), sent=999)
    one, five, fifteen = stats(queue, NOW).rates
    assert (one.minutes, one.sent, one.acked) == (1, 2.0, 1.0)
    assert (five.minutes, five.sent) == (5, 1.0)
    assert fifteen.sent == round(300 / 900, 3)


def test_it_counts_what_is_not_folded_yet():
    queue = new_queue()
    QueueTally.objects.append({queue.pk: {"received": 60}})
    assert stats(queue, after(seconds=5)).rates[0].received == 1.0


def test_it_tells_nothing_of_other_queues():
    QueueTally.objects.append({new_queue().pk: {"sent": 60}})
    assert stats(new_queue(), NOW).rates[0].sent == 0
