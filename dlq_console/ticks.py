"""The rows of a list that somebody ticked."""

from django.http import HttpRequest

from queues import ids, limits


def ticked(request: HttpRequest) -> list[str]:
    """The messages that the form or the address names, as many as a page can hold. Other text names none."""
    named = [*request.GET.getlist("message_id"), *request.POST.getlist("message_id")]
    return [text for text in named if ids.decode("msg", text)][: limits.MAX_PAGE_SIZE]


def counted(number: int) -> str:
    """1 message, 2 messages."""
    return f"{number:,} {'message' if number == 1 else 'messages'}"
