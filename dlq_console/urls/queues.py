"""Queues: creating and changing them, and what is done with a whole queue."""

from django.urls import path

from dlq_console.views import queue_actions, queue_new, queue_settings

QUEUE = "queues/<str:queue_id>/"
urlpatterns = [
    path("queues/new/", queue_new.new, name="queue-new"),
    path("queues/new/preview/", queue_new.preview, name="queue-new-preview"),
    path(f"{QUEUE}connect/", queue_new.connect, name="queue-connect"),
    path(f"{QUEUE}settings/", queue_settings.settings, name="queue-settings"),
    path(f"{QUEUE}settings/preview/", queue_settings.preview, name="queue-settings-preview"),
    path(f"{QUEUE}pause/", queue_actions.pause, name="queue-pause"),
    path(f"{QUEUE}resume/", queue_actions.resume, name="queue-resume"),
    path(f"{QUEUE}purge/", queue_actions.purge, name="queue-purge"),
    path(f"{QUEUE}delete/", queue_actions.delete, name="queue-delete"),
]
