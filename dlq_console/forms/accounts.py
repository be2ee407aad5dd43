"""Passwords: to sign in, and to change."""

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpRequest


class SignInForm(AuthenticationForm):
    """One answer for a wrong name, a wrong password and an account that is switched off."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "That username and password do not belong together. Mind capital letters in both.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound:  # the name is there already: what is typed again is the password
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True


class NewPasswordForm(PasswordChangeForm):
    """The old password is checked as at the sign-in: whoever finds a browser open may not guess on here."""

    def __init__(self, user: User, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self.request = request
        self.fields["old_password"].label = "Current password"
        self.fields["new_password2"].label = "The new password again"
        self.fields["new_password2"].help_text = ""
        # Django's own is a list, in HTML.
        self.fields["new_password1"].help_text = " ".join(password_validators_help_texts())

    def clean_old_password(self) -> str:
        given: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=given) is None:
            raise forms.ValidationError("That is not your current password.", code="password_incorrect")
        return given
