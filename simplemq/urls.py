"""Which door an address belongs to."""

from django.contrib import admin
from django.urls import include, path, re_path

from queues.api.views.health import healthz, readyz
from queues.api.views.metrics import metrics

urlpatterns = [
    path("api/", include("queues.api.urls")),
    re_path(r"^healthz/?\Z", healthz, name="healthz"),
    re_path(r"^readyz/?\Z", readyz, name="readyz"),
    re_path(r"^metrics/?\Z", metrics, name="metrics"),
    path("accounts/", include("dlq_console.urls.accounts")),
    path("console/", include("dlq_console.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "queues.api.problems.bad_request"
handler404 = "queues.api.problems.not_found"
handler500 = "queues.api.problems.server_error"
