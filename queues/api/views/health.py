"""What a load balancer asks."""

from functools import lru_cache

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse

from queues.api.problems import Kind, problem

UNAVAILABLE = Kind(503, "unavailable")


def healthz(request: HttpRequest) -> HttpResponse:
    """The process lives. Touches nothing: a database that is down is no reason to restart it."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    """Requests can be served: the database answers, and has the tables this code expects."""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except DatabaseError:
        return problem(request, UNAVAILABLE, "The database does not answer.")
    if missing := _newest_migrations() - applied:
        names = ", ".join(".".join(migration) for migration in sorted(missing))
        return problem(request, UNAVAILABLE, f"Migrations are not applied: {names}.")
    return JsonResponse({"status": "ready"})


@lru_cache(maxsize=1)
def _newest_migrations() -> frozenset[tuple[str, str]]:
    """The last migration of every app, from the files; they do not change while we run."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())
