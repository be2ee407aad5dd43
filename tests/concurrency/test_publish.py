"""Publishers meet at the last places of bounded queues, and topics, subscriptions and queues that go away.

Real threads with real connections: a publication holds places of several queues until it commits.
"""

import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import chain

import pytest
from django.db import transaction

from queues import limits
from queues.errors import Invalid, QueueFull, QuotaExceeded, SubscriptionNotFound, TopicNotFound
from queues.maintenance import deleted_queues
from queues.models import Outcome, Queue, Subscription, Team, Topic
from queues.operations import queues, topics
from queues.operations.ack import ack
from queues.operations.publish import Publication, publish
from queues.operations.receive import receive
from queues.operations.send import send
from queues.values import NewMessage
from tests.concurrency.ledger import ended, live, places
from tests.concurrency.together import at_once, in_a_hurry, uncommitted, waiting_for_a_lock

PUBLISHERS = 16
ROUNDS = 12


@pytest.fixture
def topic(team: Team) -> Topic:
    return topics.create(team, "events")[0]


@pytest.fixture
def subscribed(topic: Topic, make_queue: Callable[..., Queue]) -> Callable[..., Queue]:
    def make(name: str, *others: Topic, **settings: int) -> Queue:
        queue = make_queue(name, **settings)
        for each in (topic, *others):
            topics.subscribe(each, queue)
        return queue

    return make


def got(publications: list[Publication], queue: Queue) -> list[uuid.UUID]:
    """The copies that these publications say are in the queue."""
    results = [result for each in publications for to, result in each.deliveries if to == queue]
    return [result for result in results if isinstance(result, uuid.UUID)]


def publish_often(topic: Topic) -> list[Publication]:
    return [publish(topic, NewMessage("news")) for _ in range(ROUNDS)]


def send_if_it_fits(queue: Queue) -> None:
    with suppress(QueueFull):
        send(queue, NewMessage("direct"))


def consume(queue: Queue) -> None:
    if deliveries := receive(queue, 3):
        ack(queue, [delivery.receipt_handle for delivery in deliveries])


def test_bounds_hold_and_nobody_deadlocks_where_the_queues_of_two_topics_overlap(
    team: Team, topic: Topic, subscribed: Callable[..., Queue], make_queue: Callable[..., Queue]
) -> None:
    """The queues fill up at different times, so publishers wait for all places of one while they hold some
    of others; the second topic subscribed them in the opposite order."""
    other = topics.create(team, "other")[0]
    shared = [make_queue(f"queue-{size}", queue_size=size) for size in (40, 10, 25, 60)]
    for each, order in ((topic, shared), (other, shared[::-1])):
        for queue in order:
            topics.subscribe(each, queue)
    unbounded = subscribed("open", other)
    jobs = [partial(publish_often, each) for each in (topic, other)] * (PUBLISHERS // 2)
    publications = list(chain.from_iterable(at_once(*jobs)))
    assert len(publications) == PUBLISHERS * ROUNDS
    for queue in shared:
        assert sorted(got(publications, queue)) == sorted(live(queue))
        assert places(queue) == (queue.queue_size, 0)
    assert len(got(publications, unbounded)) == len(live(unbounded)) == PUBLISHERS * ROUNDS


def test_bounds_hold_beside_senders_and_consumers(topic: Topic, subscribed: Callable[..., Queue]) -> None:
    one, two = subscribed("one", queue_size=20), subscribed("two", queue_size=30)

    def send_often(queue: Queue) -> None:
        for _ in range(ROUNDS):
            send_if_it_fits(queue)

    jobs = [partial(publish_often, topic)] * 6 + [partial(send_often, one), partial(send_often, two)] * 2
    at_once(*jobs, meanwhile=[partial(consume, one), partial(consume, two)])
    assert [sum(places(queue)) for queue in (one, two)] == [20, 30]


def test_many_publish_into_places_that_come_and_go(topic: Topic, subscribed: Callable[..., Queue]) -> None:
    """On the edge of full there is nearly always a slot with room that somebody else holds."""
    edges = [subscribed(f"queue-{number}", queue_size=2) for number in range(3)]
    publishers = [partial(publish_often, topic)] * PUBLISHERS
    consumers = [partial(consume, queue) for queue in edges]
    publications = list(chain.from_iterable(at_once(*publishers, meanwhile=consumers)))
    for queue in edges:
        assert sorted(got(publications, queue)) == sorted([*live(queue), *ended(queue, Outcome.ACKED)])
        assert sum(places(queue)) == 2


def test_sends_inside_transactions_do_not_deadlock_either(make_queue: Callable[..., Queue]) -> None:
    """An edit sends in a transaction that holds on to what the send has locked."""
    queue = make_queue("edge", queue_size=3)

    def send_in_a_transaction() -> None:
        for _ in range(3 * ROUNDS):
            with transaction.atomic():
                send_if_it_fits(queue)

    at_once(*[send_in_a_transaction] * PUBLISHERS, meanwhile=[partial(consume, queue)] * 2)
    assert sum(places(queue)) == 3


def test_a_publisher_that_waits_for_places_gets_those_that_are_left(
    topic: Topic, subscribed: Callable[..., Queue]
) -> None:
    queue = subscribed("small", queue_size=1)
    with uncommitted(lambda: publish(topic, NewMessage("first"))) as first:
        second = waiting_for_a_lock(lambda: publish(topic, NewMessage("second")))
    [(_, result)] = second.result().deliveries
    assert isinstance(result, QueueFull)
    assert got([first], queue) == live(queue)


def test_a_publication_keeps_nobody_from_ending_its_subscription(
    topic: Topic, subscribed: Callable[..., Queue]
) -> None:
    """What was under way arrives; what begins later finds nobody subscribed."""
    queue = subscribed("orders", queue_size=10)
    with uncommitted(lambda: publish(topic, NewMessage("under way"))) as under_way:
        with in_a_hurry():
            topics.unsubscribe(Subscription.objects.get())
        assert publish(topic, NewMessage("too late")).deliveries == []
    assert got([under_way], queue) == live(queue)


def test_a_publication_keeps_nobody_from_deleting_its_topic(
    topic: Topic, subscribed: Callable[..., Queue]
) -> None:
    queue = subscribed("orders", queue_size=10)
    with uncommitted(lambda: publish(topic, NewMessage("under way"))) as under_way, in_a_hurry():
        topics.delete(topic)
    assert got([under_way], queue) == live(queue)


@pytest.mark.parametrize("size", [None, 10])
def test_a_copy_that_commits_after_the_deletion_of_its_queue_ends_in_the_log(
    topic: Topic, subscribed: Callable[..., Queue], size: int | None
) -> None:
    gone, other = subscribed("gone", queue_size=size), subscribed("other", queue_size=size)
    with uncommitted(lambda: publish(topic, NewMessage("late"))) as late:
        with in_a_hurry():
            queues.delete(gone)
        clean_up()
    clean_up()
    assert list(ended(gone, Outcome.QUEUE_DELETED)) == got([late], gone)
    assert live(gone) == []
    assert live(other) == got([late], other)
    assert [queue for queue, _ in publish(topic, NewMessage("after")).deliveries] == [other]


def test_everything_goes_away_while_many_publish(
    topic: Topic, subscribed: Callable[..., Queue], make_queue: Callable[..., Queue]
) -> None:
    """Whatever a publication answered is in the queue or, when that was deleted, in the log."""
    bounded = [subscribed(f"bounded-{number}", queue_size=50) for number in range(4)]
    unbounded = [subscribed(f"open-{number}") for number in range(4)]
    leaving = list(Subscription.objects.filter(queue__in=[bounded[0], unbounded[0]]))

    def leave() -> list[Publication]:
        for subscription in leaving:
            topics.unsubscribe(subscription)
        for queue in (bounded[1], unbounded[1]):
            queues.delete(queue)
        topics.delete(topic)
        return []

    publications = list(chain.from_iterable(at_once(*[partial(publish_often, topic)] * 6, leave)))
    clean_up()
    for queue in bounded + unbounded:
        kept = sorted([*live(queue), *ended(queue, Outcome.QUEUE_DELETED)])
        assert sorted(got(publications, queue)) == kept
    assert not Subscription.objects.exists()


class TestSubscribing:
    def test_a_subscription_that_waited_for_the_deletion_of_its_queue_is_refused(
        self, topic: Topic, make_queue: Callable[..., Queue]
    ) -> None:
        queue = make_queue("orders")
        with uncommitted(lambda: queues.delete(queue)):
            subscribing = waiting_for_a_lock(lambda: topics.subscribe(topic, queue))
        with pytest.raises(Invalid, match="no such queue"):
            subscribing.result()
        assert not Subscription.objects.exists()

    def test_the_deletion_of_a_queue_takes_the_subscription_it_waited_for(
        self, topic: Topic, make_queue: Callable[..., Queue]
    ) -> None:
        queue = make_queue("orders")
        with uncommitted(lambda: topics.subscribe(topic, queue)):
            deletion = waiting_for_a_lock(lambda: queues.delete(queue))
        deletion.result()
        assert not Subscription.objects.exists()

    def test_a_subscription_that_waited_for_the_deletion_of_its_topic_is_refused(
        self, topic: Topic, make_queue: Callable[..., Queue]
    ) -> None:
        queue = make_queue("orders")
        with uncommitted(lambda: topics.delete(topic)):
            subscribing = waiting_for_a_lock(lambda: topics.subscribe(topic, queue))
        with pytest.raises(TopicNotFound):
            subscribing.result()

    def test_the_deletion_of_a_topic_takes_the_subscription_it_waited_for(
        self, topic: Topic, make_queue: Callable[..., Queue]
    ) -> None:
        queue = make_queue("orders")
        with uncommitted(lambda: topics.subscribe(topic, queue)):
            deletion = waiting_for_a_lock(lambda: topics.delete(topic))
        deletion.result()
        assert not Subscription.objects.exists()

    def test_of_many_who_subscribe_one_queue_one_makes_the_subscription(
        self, topic: Topic, make_queue: Callable[..., Queue]
    ) -> None:
        queue = make_queue("orders")
        results = at_once(*[lambda: topics.subscribe(topic, queue)] * 8)
        assert sorted(is_new for _, is_new in results) == [False] * 7 + [True]
        assert len({subscription.pk for subscription, _ in results}) == 1

    def test_the_last_place_of_a_topic_is_taken_once(
        self, topic: Topic, make_queue: Callable[..., Queue], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "SUBSCRIPTIONS_PER_TOPIC", 3)
        made = [make_queue(f"queue-{number}") for number in range(8)]

        def subscribe(queue: Queue) -> bool:
            try:
                return topics.subscribe(topic, queue)[1]
            except QuotaExceeded:
                return False

        assert sum(at_once(*[partial(subscribe, queue) for queue in made])) == 3

    def test_a_subscription_is_ended_once(self, topic: Topic, subscribed: Callable[..., Queue]) -> None:
        subscribed("orders")
        subscription = Subscription.objects.get()
        with uncommitted(lambda: topics.unsubscribe(subscription)):
            second = waiting_for_a_lock(lambda: topics.unsubscribe(subscription))
        with pytest.raises(SubscriptionNotFound):
            second.result()


def test_of_many_who_create_one_topic_one_makes_it(team: Team) -> None:
    results = at_once(*[lambda: topics.create(team, "news")] * 8)
    assert sorted(is_new for _, is_new in results) == [False] * 7 + [True]
    assert Topic.objects.count() == 1


def test_the_last_topic_of_a_team_is_made_once(team: Team) -> None:
    Team.objects.update(max_topics=3)

    def create(name: str) -> bool:
        try:
            return topics.create(team, name)[1]
        except QuotaExceeded:
            return False

    assert sum(at_once(*[partial(create, f"topic-{number}") for number in range(8)])) == 3


def clean_up() -> None:
    while deleted_queues.run_once(100):
        pass
