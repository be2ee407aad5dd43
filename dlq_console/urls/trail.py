"""What was done and where things are: the trash, the audit, and search everywhere."""

from django.urls import path

from dlq_console.views import audit, search, trash

TRASH = "queues/<queue_id>/trash/"

urlpatterns = [
    path("audit/", audit.audit, name="audit"),
    path("search/", search.search, name="search"),
    path(TRASH, trash.trash, name="trash"),
    path(f"{TRASH}restore/", trash.restore, name="restore"),
    path(f"{TRASH}<message_id>/", trash.message, name="trash-message"),
    path(f"{TRASH}<message_id>/reveal/", trash.reveal, name="trash-reveal"),
]
