"""API keys as the doors need them: found by one statement, marked as used now and then."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from queues.managers.statements import run

if TYPE_CHECKING:
    from queues.models.api_key import ApiKey

TOUCH_EVERY = timedelta(minutes=1)  # as in touch.sql


class ApiKeyManager(models.Manager["ApiKey"]):
    def live(self, now: datetime | None = None) -> models.QuerySet[ApiKey]:
        """Neither revoked nor expired."""
        moment = Coalesce(models.Value(now, models.DateTimeField()), Now())
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=moment), revoked_at=None)

    def by_access_key_id(self, access_key_id: str, now: datetime | None = None) -> ApiKey | None:
        """The live key with its team. Never cached: a revocation holds for the next request."""
        rows = run("api_key/authenticate", access_key_id=access_key_id, now=now)
        return self._with_team(rows[0]) if rows else None

    def touch(self, key: ApiKey, now: datetime | None = None) -> None:
        """Note that the key is in use, at most once a minute: a row written by every request is a hot row."""
        moment = now or timezone.now()
        if key.last_used_at is None or moment - key.last_used_at >= TOUCH_EVERY:
            run("api_key/touch", id=key.pk, now=now)

    def _with_team(self, row: Any) -> ApiKey:
        key = _from_row(self.model, row)
        key.team = _from_row(self.model._meta.get_field("team").related_model, row, "team_")
        return key


def _from_row(model: type[models.Model], row: Any, prefix: str = "") -> Any:
    """A statement that lacks a column of the model fails here, rather than in a second query later."""
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db("default", names, [getattr(row, prefix + name) for name in names])
