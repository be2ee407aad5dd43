"""Signing in and out, and passwords. The names are Django's, without a namespace."""

from django.urls import path

from dlq_console.views import accounts

urlpatterns = [
    path("login/", accounts.SignIn.as_view(), name="login"),
    path("logout/", accounts.SignOut.as_view(), name="logout"),
    path("password_change/", accounts.ChangePassword.as_view(), name="password_change"),
    path("password_change/done/", accounts.PasswordChanged.as_view(), name="password_change_done"),
]
