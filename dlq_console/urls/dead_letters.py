"""Dead letters: groups, messages, what is done with them, exports."""

from django.urls import path

from dlq_console.views import bulk, dead_letters, export, letters, message

ONE = "queues/<queue_id>/messages/<message_id>/"

urlpatterns = [
    path("queues/<queue_id>/dead-letters/", dead_letters.groups, name="dlq"),
    path("queues/<queue_id>/dead-letters/messages/", dead_letters.messages, name="dead-letters"),
    path("queues/<queue_id>/dead-letters/note/", dead_letters.note, name="group-note"),
    path("queues/<queue_id>/dead-letters/bulk/", bulk.bulk, name="bulk"),
    path("queues/<queue_id>/export/", export.export, name="export"),
    path("queues/<queue_id>/messages/", dead_letters.browse, name="browse"),
    path("queues/<queue_id>/messages/diff/", message.diff, name="message-diff"),
    path(ONE, message.message, name="message"),
    path(f"{ONE}raw/", message.raw, name="message-raw"),
    path(f"{ONE}reveal/", message.reveal, name="message-reveal"),
    path(f"{ONE}requeue/", letters.requeue, name="requeue"),
    path(f"{ONE}requeue/undo/", letters.undo_requeue, name="undo-requeue"),
    path(f"{ONE}discard/", letters.discard, name="discard"),
    path(f"{ONE}edit/", letters.edit_letter, name="edit"),
]
