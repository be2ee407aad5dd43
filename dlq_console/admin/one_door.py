"""The admin asks for no passwords: there is one place that does, and counts the guesses."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from dlq_console.views.accounts import SignOut


def login(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Where the admin sends everybody it does not let in."""
    if admin.site.has_permission(request):
        return redirect("admin:index")
    if request.user.is_authenticated:
        raise PermissionDenied("The administration is for those who run this service.")
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def password_change(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    return redirect("password_change")


def logout(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    return SignOut.as_view()(request)
