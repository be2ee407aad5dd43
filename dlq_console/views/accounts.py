"""Signing in and out, and passwords: Django's own views, in our look, with a limit on guesses."""

from math import ceil
from typing import Any

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone
from django.views.generic.edit import FormMixin

from dlq_console import known_browser, throttle
from dlq_console.forms.accounts import NewPasswordForm, SignInForm


class Throttled(FormMixin):
    """Whoever has guessed too often is told to wait, whether there is such an account or not."""

    request: HttpRequest

    def form_invalid(self, form: Any) -> HttpResponse:
        until = throttle.locked_until(self.request)
        if until is None:
            return super().form_invalid(form)
        seconds = max(1, ceil((until - timezone.now()).total_seconds()))
        page = {"wait": 60 * ceil(seconds / 60)}
        response = render(self.request, "dlq_console/accounts/locked.html", page, status=429)
        response["Retry-After"] = str(seconds)
        return response


class SignIn(Throttled, views.LoginView):
    template_name = "dlq_console/accounts/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_redirect_url(self) -> str:  # type: ignore[override]
        """Back to where they came from, but not to here: that would be a circle."""
        wanted = super().get_redirect_url()
        return "" if wanted.startswith(self.request.path) else wanted

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        known_browser.remember(response, form.get_user())
        return response


class SignOut(views.LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        messages.success(request, "You are signed out.")
        return response


class ChangePassword(Throttled, views.PasswordChangeView):
    """This session goes on; all others of the same person end, because Django ties them to the password."""

    template_name = "dlq_console/accounts/password_change.html"
    form_class = NewPasswordForm
    success_url = reverse_lazy("password_change_done")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}


class PasswordChanged(views.PasswordChangeDoneView):
    template_name = "dlq_console/accounts/password_changed.html"
