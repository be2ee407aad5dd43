"""Signing in and out, and passwords."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
