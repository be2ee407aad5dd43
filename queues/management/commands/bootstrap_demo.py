"""`manage.py bootstrap_demo`: someone to log in as and a key to call with, on a new installation."""

import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand
from django.db import transaction

from queues import limits
from queues.management import env_file
from queues.models import ApiKey, Role, Team
from queues.operations import keys, teams
from queues.secrets import Credentials, read_bearer, write_bearer

TEAM = "demo"
ADMIN = "admin"
KEY = "demo"


class Command(BaseCommand):
    help = (
        "Make the demo team, its admin and an API key, and note them in a file. "
        "What the file names and still works is kept; the rest is made anew."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--credentials", type=Path, required=True, help="the file to keep them in")
        parser.add_argument("--endpoint", default="http://127.0.0.1:8000", help="where the service answers")

    @transaction.atomic
    def handle(self, *args: Any, credentials: Path, endpoint: str, **options: Any) -> None:
        noted = env_file.read(credentials)
        team = Team.objects.filter(name=TEAM).first() or teams.create_team(TEAM)
        password = _admin_password(team, noted.get("SIMPLEMQ_ADMIN_PASSWORD", ""))
        key = _key(team, noted.get("SIMPLEMQ_API_KEY", ""))
        env_file.write(credentials, _values(endpoint, password, key))


def _admin_password(team: Team, noted: str) -> str:
    """The noted password while it works, else a new one: a lost password must not lock people out."""
    admin = User.objects.filter(username=ADMIN).first()
    if admin is None:
        admin = User.objects.create_superuser(ADMIN)
        teams.add_member(team, admin, Role.OWNER)
    if admin.check_password(noted):
        return noted
    password = secrets.token_urlsafe(16)
    admin.set_password(password)
    admin.save(update_fields=["password"])
    return password


def _key(team: Team, noted: str) -> Credentials:
    known = read_bearer(noted)
    if known and keys.authenticate(noted):
        return known
    # Its secret is lost, so nobody can use it; a live key would also keep the name.
    for lost in ApiKey.objects.filter(team=team, name=KEY, revoked_at=None):
        keys.revoke_api_key(lost)
    issued = keys.create_api_key(team, KEY, list(limits.SCOPES))
    return Credentials(issued.access_key_id, issued.secret)


def _values(endpoint: str, password: str, key: Credentials) -> dict[str, str]:
    return {
        "SIMPLEMQ_ENDPOINT": endpoint,
        "SIMPLEMQ_API_KEY": write_bearer(key),
        "SIMPLEMQ_ADMIN_USER": ADMIN,
        "SIMPLEMQ_ADMIN_PASSWORD": password,
        "AWS_ACCESS_KEY_ID": key.access_key_id,
        "AWS_SECRET_ACCESS_KEY": key.secret,
        "AWS_ENDPOINT_URL_SQS": endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
    }
