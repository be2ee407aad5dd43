"""Which door an address belongs to."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from queues.api.views.health import healthz, readyz
from queues.api.views.metrics import metrics

urlpatterns = [
    # Whoever types only the host is a person.
    path("", RedirectView.as_view(url="/console/", http_method_names=["get", "head"])),
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
