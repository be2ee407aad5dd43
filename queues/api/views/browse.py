"""Looking at many messages without receiving them."""

from functools import partial

from rest_framework.request import Request
from rest_framework.response import Response

from queues.api import answers, pages
from queues.api.calls import Call
from queues.api.serializers.message import BrowseMessages, LookedAtMessage
from queues.api.serializers.page import page_of
from queues.api.views.door import Door
from queues.errors import QueueNotFound
from queues.operations import look


class BrowseView(Door):
    tag = "messages"
    calls = {
        "browse_messages": Call(
            query=BrowseMessages(), answers={200: page_of(LookedAtMessage)}, problems=(QueueNotFound,)
        ),
    }

    def browse_messages(self, request: Request, queue_id: str) -> Response:
        """Look at many messages, oldest first; nothing happens to them."""
        queue = self.queue()
        filters = {name: value for name, value in self.query.items() if name not in ("page_size", "cursor")}
        rows = look.browse(queue, **filters)
        return Response(pages.answer(request, rows, self.query, partial(answers.looked_at, queue)))
