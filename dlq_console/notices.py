"""What is said after an action, with an Undo beside it where there is one."""

import json
from typing import NamedTuple

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest

from dlq_console.sessions import is_automatic

UNDO = "undo"


class Notice(NamedTuple):
    text: str
    level: str
    undo: str  # the address to post to, or nothing
    next: str


def offer_undo(request: HttpRequest, text: str, undo: str, back_to: str) -> None:
    """Say that it is done, and let the person take it back by one click, returning to the same page."""
    messages.success(request, text, extra_tags=f"{UNDO} {json.dumps([undo, back_to])}")


def waiting(request: HttpRequest) -> list[Notice]:
    """Everything there is to say, once. A page that renews itself shows a part of what it fetches, and these
    are not in it: they wait for a whole page."""
    if is_automatic(request):
        return []
    return [_notice(message) for message in messages.get_messages(request)]


def _notice(message: Message) -> Notice:
    undo, back_to = _undo(message.extra_tags or "")
    return Notice(str(message.message), message.level_tag, undo, back_to)


def _undo(tags: str) -> tuple[str, str]:
    if not tags.startswith(f"{UNDO} "):
        return "", ""
    undo, back_to = json.loads(tags.removeprefix(f"{UNDO} "))
    return undo, back_to
