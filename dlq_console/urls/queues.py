"""Queues: their pages, creating and changing them."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
