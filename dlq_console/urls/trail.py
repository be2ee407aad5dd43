"""What was done: the audit, and search everywhere."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
