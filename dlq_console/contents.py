"""What a message holds and what happened to it, as every page that shows one needs it."""

from typing import Any

from dlq_console import masking, payload
from queues.models import Message
from queues.operations import edit
from queues.operations.timeline import timeline


def contents(message: Message, *, reveal: bool) -> dict[str, Any]:
    """For the template: secrets are hidden in body, attributes and diffs unless they are to be revealed."""
    body = payload.view(message.data, reveal=reveal)
    attributes, hidden = (message.attributes or {}, 0) if reveal else masking.masked(message.attributes or {})
    return {
        "message": message,
        "payload": body,
        "attributes": attributes,
        "masked": body.masked + hidden,
        "revealed": reveal,
        "timeline": timeline(message),
        "edits": [
            (each, each.diff if reveal or not masking.names_a_secret(each.diff) else None)
            for each in edit.edits_of(message.public_id)
        ],
    }
