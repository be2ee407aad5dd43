import pytest

from queues import limits
from queues.errors import Conflict, Invalid, QuotaExceeded, SubscriptionNotFound, TopicNotFound
from queues.models import Message, Subscription, Topic
from queues.operations import queues, topics
from queues.operations.publish import publish
from queues.values import NewMessage
from tests.factories import dead_letter, new_queue, new_team, new_topic
from tests.queues.sql.explained import explain_rows

pytestmark = pytest.mark.django_db

ONLY_ORDERS = {"kind": ["order"]}


class TestCreate:
    def test_it_answers_the_topic_there_is(self):
        team = new_team()
        first, is_new = topics.create(team, "events")
        again, is_new_again = topics.create(team, "events")
        assert (first, is_new, is_new_again) == (again, True, False)

    def test_it_allows_the_same_name_in_another_team(self):
        assert new_topic(name="events") != new_topic(name="events")

    def test_it_allows_the_name_of_a_queue(self):
        queue = new_queue(name="events")
        assert new_topic(queue.team, "events").name == "events"

    def test_it_allows_the_name_of_a_deleted_topic(self):
        old = new_topic()
        topics.delete(old)
        assert new_topic(old.team) != old

    @pytest.mark.parametrize("name", ["", "a b", "a.fifo", "x" * 81, "ü", "a\n"])
    def test_it_refuses_a_bad_name(self, name):
        with pytest.raises(Invalid) as caught:
            new_topic(name=name)
        assert caught.value.field == "topic_name"

    def test_it_stops_at_the_team_s_quota(self):
        team = new_team()
        team.max_topics = 1
        team.save()
        new_topic(team, "one")
        with pytest.raises(QuotaExceeded):
            new_topic(team, "two")
        assert topics.create(team, "one")[1] is False


class TestFind:
    def test_another_team_s_topic_does_not_exist(self):
        with pytest.raises(TopicNotFound):
            topics.find(new_team(), new_topic().public_id)

    @pytest.mark.parametrize(
        "public_id", ["", "t_", "t_nothing", "q_0000000000000000000000", "t_" + "0" * 22]
    )
    def test_there_is_no_such_topic(self, public_id):
        with pytest.raises(TopicNotFound):
            topics.find(new_team(), public_id)


class TestCounting:
    def test_it_counts_the_subscriptions_of_each(self):
        one = new_topic(name="one")
        new_topic(one.team, "none")
        for _ in range(2):
            topics.subscribe(one, new_queue(one.team))
        counts = topics.counted(Topic.objects.order_by("name")).values_list("name", "subscription_count")
        assert list(counts) == [("none", 0), ("one", 2)]

    def test_it_reads_the_subscriptions_of_the_page_only(self):
        """A topic beyond the page is not counted, however many subscriptions it has."""
        first = new_topic(name="first")
        beyond = new_topic(first.team, "beyond")
        for topic in (first, *[beyond] * 20):
            topics.subscribe(topic, new_queue(first.team))
        plan = explain_rows(topics.counted(Topic.objects.order_by("id"))[:1])
        assert plan.rows_read("subscription") == 1


class TestSubscribe:
    @pytest.fixture
    def topic(self):
        return new_topic()

    @pytest.fixture
    def queue(self, topic):
        return new_queue(topic.team)

    @pytest.mark.parametrize("wanted", [None, ONLY_ORDERS, {"n": [1.5, 0.1, 1e-7, 2**53 + 1]}])
    def test_it_answers_the_subscription_there_is(self, topic, queue, wanted):
        first, is_new = topics.subscribe(topic, queue, wanted)
        again, is_new_again = topics.subscribe(topic, queue, wanted)
        assert (first, is_new, is_new_again) == (again, True, False)

    @pytest.mark.parametrize(
        ("first", "other"),
        [
            (None, ONLY_ORDERS),
            (ONLY_ORDERS, None),
            (ONLY_ORDERS, {"kind": ["refund"]}),
            ({"n": [1]}, {"n": [True]}),
        ],
    )
    def test_it_refuses_the_same_queue_with_another_filter(self, topic, queue, first, other):
        topics.subscribe(topic, queue, first)
        with pytest.raises(Conflict) as caught:
            topics.subscribe(topic, queue, other)
        assert caught.value.field == "queue_id"

    def test_it_takes_a_filter_that_says_the_same_in_other_words(self, topic, queue):
        first, _ = topics.subscribe(topic, queue, {"n": [3, {"anything-but": ["x"]}]})
        assert topics.subscribe(topic, queue, {"n": [3.0, {"anything-but": "x"}]}) == (first, False)

    def test_it_lets_one_queue_subscribe_to_several_topics(self, topic, queue):
        other = new_topic(topic.team, "other")
        assert topics.subscribe(topic, queue)[0] != topics.subscribe(other, queue)[0]

    def test_it_refuses_a_bad_filter(self, topic, queue):
        with pytest.raises(Invalid) as caught:
            topics.subscribe(topic, queue, {"kind": "order"})
        assert caught.value.field == "filter.kind"

    def test_it_refuses_a_queue_of_another_team(self, topic):
        with pytest.raises(Invalid) as caught:
            topics.subscribe(topic, new_queue())
        assert caught.value.field == "queue_id"

    def test_it_refuses_a_deleted_queue(self, topic, queue):
        queues.delete(queue)
        with pytest.raises(Invalid) as caught:
            topics.subscribe(topic, queue)
        assert caught.value.field == "queue_id"

    def test_it_refuses_a_deleted_topic(self, topic, queue):
        topics.delete(topic)
        with pytest.raises(TopicNotFound):
            topics.subscribe(topic, queue)

    def test_it_stops_at_so_many_subscriptions(self, topic, queue, monkeypatch):
        monkeypatch.setattr(limits, "SUBSCRIPTIONS_PER_TOPIC", 1)
        topics.subscribe(topic, queue)
        with pytest.raises(QuotaExceeded):
            topics.subscribe(topic, new_queue(topic.team))
        assert topics.subscribe(topic, queue)[1] is False


class TestEnding:
    @pytest.fixture
    def topic(self):
        return new_topic()

    @pytest.fixture
    def subscription(self, topic):
        return topics.subscribe(topic, new_queue(topic.team, max_deliveries=1))[0]

    def test_it_delivers_no_more_and_leaves_what_was_delivered(self, topic, subscription):
        publish(topic, NewMessage("before"))
        topics.unsubscribe(subscription)
        assert publish(topic, NewMessage("after")).deliveries == []
        assert Message.objects.get().data == "before"

    def test_a_subscription_ends_once(self, topic, subscription):
        topics.unsubscribe(subscription)
        for end in (topics.unsubscribe, lambda gone: topics.find_subscription(topic, gone.public_id)):
            with pytest.raises(SubscriptionNotFound):
                end(subscription)

    def test_another_topic_s_subscription_is_not_found(self, topic, subscription):
        with pytest.raises(SubscriptionNotFound):
            topics.find_subscription(new_topic(topic.team, "other"), subscription.public_id)

    def test_a_deleted_topic_takes_its_subscriptions_with_it(self, topic, subscription):
        publish(topic, NewMessage("before"))
        topics.delete(topic)
        assert not Subscription.objects.exists()
        assert Message.objects.get().queue_id == subscription.queue_id
        with pytest.raises(TopicNotFound):
            topics.delete(topic)

    def test_a_deleted_queue_loses_its_subscriptions(self, topic, subscription):
        queues.delete(subscription.queue)
        assert not Subscription.objects.exists()
        assert publish(topic, NewMessage("after")).deliveries == []

    def test_a_dlq_that_goes_with_its_queue_loses_its_own(self, topic, subscription):
        dlq = dead_letter(subscription.queue)
        topics.subscribe(topic, dlq)
        queues.delete(subscription.queue, with_dlq=True)
        assert not Subscription.objects.exists()

    def test_a_dlq_that_stays_keeps_its_own(self, topic, subscription):
        dlq = dead_letter(subscription.queue)
        topics.subscribe(topic, dlq)
        queues.delete(subscription.queue)
        assert Subscription.objects.get().queue == dlq
