"""Teams: members and keys."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
