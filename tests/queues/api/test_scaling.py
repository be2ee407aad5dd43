"""How many workers a queue wants. KEDA reads `desired_workers` of the answer."""

from typing import Any

import pytest

from queues.models import Queue, QueueTally
from queues.operations import queues
from queues.operations.receive import receive
from queues.operations.send import send_many
from queues.values import NewMessage
from tests.metrics_factories import bucket, metrics_point
from tests.queues.api.caller import Caller, assert_problem


@pytest.fixture
def scaling(address: str) -> str:
    return f"{address}/scaling"


def asked(caller: Caller, path: str, **query: Any) -> dict[str, Any]:
    response = caller.get(path, **query)
    assert (response.status_code, response["Cache-Control"]) == (200, "no-store"), response.content
    return dict(response.json())


def wait_in(queue: Queue, messages: int) -> None:
    send_many(queue, [NewMessage("x")] * messages)


def one_takes(queue: Queue, seconds: float) -> None:
    """By the history of the last day."""
    metrics_point(queue, bucket(3), processing_count=100, processing_sum=100 * seconds)


def test_nothing_to_do_needs_nobody(owner: Caller, scaling: str) -> None:
    assert asked(owner, scaling) == {
        "desired_workers": 0,
        "backlog": 0,
        "drain_rate": 0.0,
        "arrival_rate": 0.0,
        "per_worker_rate": None,
    }


def test_it_divides_the_backlog_among_workers(owner: Caller, queue: Queue, scaling: str) -> None:
    wait_in(queue, 201)
    assert asked(owner, scaling)["desired_workers"] == 3
    assert asked(owner, scaling, messages_per_worker=50)["desired_workers"] == 5


def test_messages_in_flight_still_need_their_workers(owner: Caller, queue: Queue, scaling: str) -> None:
    wait_in(queue, 5)
    receive(queue, 5)
    assert asked(owner, scaling, messages_per_worker=1)["desired_workers"] == 5


def test_delayed_messages_need_nobody_yet(owner: Caller, queue: Queue, scaling: str) -> None:
    send_many(queue, [NewMessage("x", delay_seconds=60)] * 5)
    assert asked(owner, scaling)["backlog"] == 0


class TestADrainTarget:
    def test_it_goes_by_what_one_worker_has_done(self, owner: Caller, queue: Queue, scaling: str) -> None:
        wait_in(queue, 120)
        one_takes(queue, seconds=0.5)
        answer = asked(owner, scaling, target_drain_seconds=10)
        assert (answer["per_worker_rate"], answer["desired_workers"]) == (2.0, 6)

    def test_the_larger_counts_when_both_are_given(self, owner: Caller, queue: Queue, scaling: str) -> None:
        wait_in(queue, 120)
        one_takes(queue, seconds=0.5)
        drained = {"target_drain_seconds": 10}
        assert asked(owner, scaling, messages_per_worker=100, **drained)["desired_workers"] == 6
        assert asked(owner, scaling, messages_per_worker=10, **drained)["desired_workers"] == 12

    def test_without_history_it_goes_by_those_at_work(
        self, owner: Caller, queue: Queue, scaling: str
    ) -> None:
        wait_in(queue, 40)
        receive(queue, 4)
        QueueTally.objects.append({queue.pk: {"acked": 2_400}})  # 8 a second, over 5 minutes
        answer = asked(owner, scaling, target_drain_seconds=2)
        assert (answer["drain_rate"], answer["per_worker_rate"], answer["desired_workers"]) == (8.0, 2.0, 10)

    def test_until_anybody_worked_it_is_not_heeded(self, owner: Caller, queue: Queue, scaling: str) -> None:
        wait_in(queue, 120)
        assert asked(owner, scaling, target_drain_seconds=1)["desired_workers"] == 2


class TestSteps:
    @pytest.mark.parametrize(("messages", "workers"), [(0, 0), (1, 1), (4, 1), (5, 2), (19, 2), (20, 7)])
    def test_it_takes_the_last_step_reached(
        self, owner: Caller, queue: Queue, scaling: str, messages: int, workers: int
    ) -> None:
        if messages:
            wait_in(queue, messages)
        assert asked(owner, scaling, steps="20:7,5:2")["desired_workers"] == workers

    def test_it_is_one_of_several_ways(self, owner: Caller, queue: Queue, scaling: str) -> None:
        wait_in(queue, 20)
        assert asked(owner, scaling, steps="20:7", messages_per_worker=2)["desired_workers"] == 10


def test_a_paused_queue_needs_nobody(owner: Caller, queue: Queue, scaling: str) -> None:
    wait_in(queue, 5)
    queues.pause(queue)
    answer = asked(owner, scaling)
    assert (answer["desired_workers"], answer["backlog"]) == (0, 5)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"messages_per_worker": "0"}, "messages_per_worker"),
        ({"messages_per_worker": "1.5"}, "messages_per_worker"),
        ({"target_drain_seconds": "-1"}, "target_drain_seconds"),
        ({"steps": ""}, "steps"),
        ({"steps": "5"}, "steps"),
        ({"steps": "5:1,"}, "steps"),
        ({"steps": "\u0665:1"}, "steps"),
        ({"steps": ",".join(["1:1"] * 21)}, "steps"),
        ({"workers": "5"}, "workers"),
    ],
)
def test_it_names_the_field_that_is_wrong(
    owner: Caller, scaling: str, query: dict[str, str], field: str
) -> None:
    assert_problem(owner.get(scaling, **query), 400, "invalid_request", field)
