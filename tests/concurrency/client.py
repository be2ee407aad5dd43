"""A client of the REST door that keeps its connection, as a producer or consumer would."""

import http.client
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any, TypeVar

PATIENCE = 60.0

Result = TypeVar("Result")


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any]
    retry_after: str | None


class Client:
    def __init__(self, port: int, bearer: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def call(self, method: str, path: str, **body: Any) -> Answer:
        text = json.dumps(body) if method == "POST" else None
        self.connection.request(method, f"/api/queues/{path}", text, self.headers)
        response = self.connection.getresponse()
        return Answer(response.status, json.loads(response.read()), response.headers["Retry-After"])

    def send(self, queue_id: str, data: str) -> Answer:
        return self.call("POST", f"{queue_id}/messages", data=data)

    def send_batch(self, queue_id: str, data: list[str]) -> Answer:
        return self.call("POST", f"{queue_id}/messages/batch", messages=[{"data": text} for text in data])

    def receive_up_to(self, queue_id: str, count: int, **options: int) -> Answer:
        return self.call("POST", f"{queue_id}/messages/receive", max_messages=count, **options)

    def receive(self, queue_id: str, count: int, **options: int) -> list[dict[str, Any]]:
        answer = self.receive_up_to(queue_id, count, **options)
        assert answer.status == 200, answer
        return answer.body["messages"]

    def ack(self, queue_id: str, messages: list[dict[str, Any]]) -> Answer:
        handles = [message["receipt_handle"] for message in messages]
        return self.call("POST", f"{queue_id}/messages/ack", receipt_handles=handles)

    def ack_by_id(self, queue_id: str, message_id: str) -> Answer:
        return self.call("DELETE", f"{queue_id}/messages/{message_id}")


Connect = Callable[[], Client]


def clients_at_once(connect: Connect, *jobs: Callable[[Client], list[Result]]) -> list[Result]:
    """Runs the jobs at the same moment, each with a client of its own; what all of them answered."""
    start = Barrier(len(jobs))

    def run(job: Callable[[Client], list[Result]]) -> list[Result]:
        with connect() as client:
            start.wait(PATIENCE)
            return job(client)

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [answer for answers in pool.map(run, jobs) for answer in answers]
