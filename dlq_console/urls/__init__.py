"""The addresses of the console, a file for each resource."""

from django.urls import include, path

app_name = "console"
urlpatterns = [
    path("", include("dlq_console.urls.queues")),
    path("", include("dlq_console.urls.dead_letters")),
    path("", include("dlq_console.urls.redrives")),
    path("", include("dlq_console.urls.teams")),
    path("", include("dlq_console.urls.trail")),
    # Last: the address of any queue would take in queues/new/ too.
    path("", include("dlq_console.urls.overview")),
]
