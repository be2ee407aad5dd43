"""Redrives: the wizard, progress, history."""

from django.urls import path

from dlq_console.views import redrives

QUEUE = "queues/<str:queue_id>/redrives/"
urlpatterns = [
    path(QUEUE, redrives.history, name="redrives"),
    path(f"{QUEUE}new/", redrives.new, name="redrive-new"),
    path(f"{QUEUE}plan/", redrives.plan, name="redrive-plan"),
    path(f"{QUEUE}start/", redrives.start, name="redrive-start"),
    path(f"{QUEUE}<str:redrive_id>/", redrives.task, name="redrive"),
    path(f"{QUEUE}<str:redrive_id>/cancel/", redrives.cancel, name="redrive-cancel"),
    path(f"{QUEUE}<str:redrive_id>/undo/", redrives.undo, name="redrive-undo"),
]
