"""Ready to paste: how a queue is used from a shell, from Python and from Terraform.

Each is a template in templates/dlq_console/snippets/. Only doors that are there have one.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse

from queues.models import Mode, Queue
from queues.operations import queue_settings

# The name that the address of the SQS door has, where there is one.
SQS_DOOR = "sqs"


@dataclass(frozen=True, slots=True)
class Snippet:
    code: str
    title: str
    text: str


def snippets(request: HttpRequest, queue: Queue, bearer: str = "") -> list[Snippet]:
    """With the key in them if it is given, which is only when it has just been made."""
    context = {
        "queue": queue,
        "bearer": bearer,
        "api": request.build_absolute_uri(reverse("queues")),
        "address": request.build_absolute_uri(reverse("queues/{queue_id}", args=[queue.public_id])),
        "message": json.dumps({"data": "hello", **({"group_id": "customer-1"} if _is_fifo(queue) else {})}),
        "label": re.sub(r"[^A-Za-z0-9_-]", "_", f"queue_{queue.name}"),
        "settings": _as_heredoc({"queue_name": queue.name, **_as_the_api_names_them(queue)}),
        "sqs": _sqs_address(request),
    }
    kinds = {"curl": "curl", "python": "Python", "boto3": "boto3", "terraform": "Terraform"}
    if not context["sqs"]:
        del kinds["boto3"]
    return [Snippet(code, title, _filled(code, context)) for code, title in kinds.items()]


def _filled(code: str, context: dict[str, Any]) -> str:
    return render_to_string(f"dlq_console/snippets/{code}.txt", context).strip()


def _is_fifo(queue: Queue) -> bool:
    return queue.mode == Mode.FIFO


def _as_the_api_names_them(queue: Queue) -> dict[str, Any]:
    settings = queue_settings.chosen(queue)
    if settings.pop("dlq", None) and queue.dlq:
        settings["dlq_id"] = queue.dlq.public_id
    return settings


def _as_heredoc(body: dict[str, Any]) -> str:
    """JSON in ASCII, in which Terraform finds nothing to fill in."""
    return json.dumps(body, indent=2).replace("${", "$${").replace("%{", "%%{").replace("\n", "\n    ")


def _sqs_address(request: HttpRequest) -> str:
    try:
        return request.build_absolute_uri(reverse(SQS_DOOR))
    except NoReverseMatch:
        return ""
