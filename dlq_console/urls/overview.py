"""The overview, and the page and charts of a queue."""

from django.urls import path

from dlq_console.views import advice, overview, queue_page

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("queues/<str:queue_id>/", queue_page.queue, name="queue"),
    path("queues/<str:queue_id>/chart/", queue_page.chart, name="queue-chart"),
    path("queues/<str:queue_id>/advice/apply/", advice.apply, name="advice-apply"),
]
