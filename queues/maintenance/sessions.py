"""Forgets the sessions of people that are over. Django refuses them by itself, and keeps their rows."""

from datetime import datetime

from django.contrib.sessions.models import Session
from django.utils import timezone


def run_once(batch: int, now: datetime | None = None) -> int:
    over = Session.objects.filter(expire_date__lt=now or timezone.now()).order_by("expire_date")
    return Session.objects.filter(pk__in=list(over.values_list("pk", flat=True)[:batch])).delete()[0]
