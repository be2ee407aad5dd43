from django.test import Client

from queues import ids
from queues.models import Message, Queue, Team, Topic
from queues.operations import topics
from tests.factories import new_queue, ready_messages
from tests.queues.api.caller import Caller, assert_problem


def publish(caller: Caller, topic: Topic, **fields: object) -> dict[str, object]:
    response = caller.post(f"/api/topics/{topic.public_id}/messages", {"data": "news", **fields})
    assert response.status_code == 201
    return response.json()


def test_it_says_which_queue_got_which_message(owner: Caller, topic: Topic, queue: Queue) -> None:
    topics.subscribe(topic, queue)
    answer = publish(owner, topic)
    message = Message.objects.get()
    assert (message.queue_id, message.data) == (queue.pk, "news")
    assert answer["deliveries"] == [{"queue_id": queue.public_id, "message_id": message.public_id}]
    assert ids.decode("tmsg", answer["topic_message_id"])


def test_the_copy_is_received_like_any_message(owner: Caller, topic: Topic, queue: Queue) -> None:
    topics.subscribe(topic, queue)
    [delivery] = publish(owner, topic, attributes={"kind": "order"}, group_id="tenant")["deliveries"]
    received = owner.get(f"/api/queues/{queue.public_id}/messages").json()
    assert received["message_id"] == delivery["message_id"]
    assert (received["attributes"], received["group_id"]) == ({"kind": "order"}, "tenant")


def test_a_full_queue_fails_alone_and_says_so(owner: Caller, topic: Topic, team: Team, queue: Queue) -> None:
    full = new_queue(team, queue_size=1)
    ready_messages(full, "first")
    for subscribed in (full, queue):
        topics.subscribe(topic, subscribed)
    answers = {answer.pop("queue_id"): answer for answer in publish(owner, topic)["deliveries"]}
    assert answers[full.public_id]["error"]["code"] == "queue_full"
    assert answers[full.public_id]["error"]["detail"].startswith("The queue is full")
    assert answers[queue.public_id] == {"message_id": Message.objects.get(queue_id=queue.pk).public_id}


def test_it_delivers_nothing_where_no_filter_lets_it_pass(owner: Caller, topic: Topic, queue: Queue) -> None:
    topics.subscribe(topic, queue, {"kind": ["order"]})
    assert publish(owner, topic, attributes={"kind": "refund"})["deliveries"] == []
    assert publish(owner, topic, attributes={"kind": "order"})["deliveries"] != []


def test_it_refuses_what_no_queue_would_take(owner: Caller, topic: Topic, queue: Queue) -> None:
    topics.subscribe(topic, queue)
    address = f"/api/topics/{topic.public_id}/messages"
    for body, field in [
        ({"data": "x", "attributes": {"k": None}}, "attributes"),
        ({"data": "x", "delay_seconds": 9, "ttl_seconds": 9}, "delay_seconds"),
    ]:
        assert_problem(owner.post(address, body), 400, "invalid_request", field)
    large = owner.post(address, {"data": "x" * 1_048_577})
    assert_problem(large, 413, "message_too_large", "data")
    assert not Message.objects.exists()


def test_it_keeps_the_trace_of_the_request(owner: Caller, topic: Topic, queue: Queue) -> None:
    topics.subscribe(topic, queue)
    trace = "0af7651916cd43dd8448eb211c80319c"
    headers = {
        "Authorization": f"Bearer {owner.issued.bearer}",
        "traceparent": f"00-{trace}-b7ad6b7169203331-01",
    }
    Client(headers=headers).post(
        f"/api/topics/{topic.public_id}/messages", {"data": "x"}, content_type="application/json"
    )
    assert Message.objects.get().trace_id == trace


def test_there_is_no_such_topic(owner: Caller) -> None:
    response = owner.post("/api/topics/t_0000000000000000000000/messages", {"data": "x"})
    assert_problem(response, 404, "topic_not_found")
