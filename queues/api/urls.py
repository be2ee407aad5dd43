"""The addresses of the contract. The busiest come first: Django tries them in order."""

import re
from typing import Any

from django.urls import URLPattern, re_path

from queues.api.views.batch import BatchView
from queues.api.views.browse import BrowseView
from queues.api.views.door import Door
from queues.api.views.insight import InsightView
from queues.api.views.lease import LeaseView
from queues.api.views.message import MessageView
from queues.api.views.messages import MessagesView
from queues.api.views.queues import QueuesView
from queues.api.views.redrives import RedrivesView
from queues.api.views.schema import DocsView, schema
from queues.api.views.stats import StatsView
from queues.api.views.topics import PublishView, SubscriptionsView, TopicsView
from queues.api.views.whoami import WhoamiView

# A HEAD would lease messages that nobody gets to see.
WITHOUT_HEAD = {"http_method_names": ["get", "post", "patch", "delete"]}


def address(text: str, view: Any) -> URLPattern:
    """An address as the contract writes it, which is also its name; a trailing slash makes no difference."""
    regex = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", text)
    return re_path(rf"^{regex}/?\Z", view, name=text)


def calls(text: str, door: type[Door], actions: dict[str, Any], **options: Any) -> URLPattern:
    return address(text, door.as_view(actions, **options))


urlpatterns = [
    calls(
        "queues/{queue_id}/messages",
        MessagesView,
        {"get": "receive_message", "post": "send_message"},
        **WITHOUT_HEAD,
    ),
    calls("queues/{queue_id}/messages/batch", BatchView, {"post": "send_messages"}),
    calls("queues/{queue_id}/messages/ack", MessagesView, {"post": "ack_messages"}),
    calls("queues/{queue_id}/messages/receive", MessagesView, {"post": "receive_messages"}),
    calls("queues/{queue_id}/messages/browse", BrowseView, {"get": "browse_messages"}),
    calls(
        "queues/{queue_id}/messages/{message_id}",
        MessageView,
        {"get": "get_message", "delete": "delete_message"},
    ),
    calls("queues/{queue_id}/messages/{message_id}/nack", LeaseView, {"post": "nack_message"}),
    calls("queues/{queue_id}/messages/{message_id}/visibility", LeaseView, {"post": "change_visibility"}),
    calls("queues/{queue_id}/messages/{message_id}/requeue", MessageView, {"post": "requeue_message"}),
    calls("topics/{topic_id}/messages", PublishView, {"post": "publish_message"}),
    calls("queues", QueuesView, {"get": "list_queues", "post": "create_queue"}),
    calls(
        "queues/{queue_id}",
        QueuesView,
        {"get": "get_queue", "patch": "update_queue", "delete": "delete_queue"},
    ),
    calls("queues/{queue_id}/stats", StatsView, {"get": "queue_stats"}),
    calls("queues/{queue_id}/metrics", InsightView, {"get": "queue_metrics"}),
    calls("queues/{queue_id}/advice", InsightView, {"get": "queue_advice"}),
    calls("queues/{queue_id}/scaling", InsightView, {"get": "queue_scaling"}),
    calls("queues/{queue_id}/purge", QueuesView, {"post": "purge_queue"}),
    calls("queues/{queue_id}/pause", QueuesView, {"post": "pause_queue"}),
    calls("queues/{queue_id}/resume", QueuesView, {"post": "resume_queue"}),
    calls("queues/{queue_id}/redrive", RedrivesView, {"post": "start_redrive"}),
    calls("queues/{queue_id}/redrives", RedrivesView, {"get": "list_redrives"}),
    calls("queues/{queue_id}/redrives/{redrive_id}", RedrivesView, {"get": "get_redrive"}),
    calls("queues/{queue_id}/redrives/{redrive_id}/cancel", RedrivesView, {"post": "cancel_redrive"}),
    calls("queues/{queue_id}/redrives/{redrive_id}/undo", RedrivesView, {"post": "undo_redrive"}),
    calls("topics", TopicsView, {"get": "list_topics", "post": "create_topic"}),
    calls("topics/{topic_id}", TopicsView, {"get": "get_topic", "delete": "delete_topic"}),
    calls(
        "topics/{topic_id}/subscriptions",
        SubscriptionsView,
        {"get": "list_subscriptions", "post": "create_subscription"},
    ),
    calls(
        "topics/{topic_id}/subscriptions/{subscription_id}",
        SubscriptionsView,
        {"get": "get_subscription", "delete": "delete_subscription"},
    ),
    calls("whoami", WhoamiView, {"get": "whoami"}),
    address("schema", schema),
    address("docs", DocsView.as_view()),
]
