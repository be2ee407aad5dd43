"""The redrive wizard as tests go through it."""

import re
from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import reverse

from queues.models import Message, Queue, RedriveTask
from tests.factories import NOW, dead_letter

HOSTILE = '<script>alert(1)</script>"><img onerror=x> {{ 7 }}'


def three_dead_letters(queue: Queue) -> Queue:
    for data in ("one", "two", "three"):
        dlq = dead_letter(queue, data, now=NOW - timedelta(minutes=5))
    return dlq


def address(name: str, dlq: Queue, *more: str) -> str:
    return reverse(f"console:{name}", args=[dlq.public_id, *more])


def plan_page(client: Client, dlq: Queue, **scope: Any) -> str:
    response = client.get(address("redrive-plan", dlq), {k: v for k, v in scope.items() if v != ""})
    assert response.status_code == 200
    return response.content.decode()


def seal_in(page: str) -> str:
    [found] = re.findall(r'name="plan" value="([^"]+)"', page)
    return found


def confirm(client: Client, dlq: Queue, page: str, reason: str = "The gateway is back", **fields: str) -> Any:
    return client.post(address("redrive-start", dlq), {"plan": seal_in(page), "reason": reason, **fields})


def redriven(client: Client, dlq: Queue, **scope: Any) -> RedriveTask:
    response = confirm(client, dlq, plan_page(client, dlq, **scope))
    assert response.status_code == 303
    return RedriveTask.objects.get()


def number_in(queue: Queue) -> int:
    return Message.objects.filter(queue_id=queue.pk).count()
