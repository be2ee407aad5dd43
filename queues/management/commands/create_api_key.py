import json
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from queues import limits
from queues.management.durations import duration
from queues.management.refusals import in_one_sentence
from queues.operations.keys import IssuedKey, create_api_key
from queues.operations.teams import find_team

ONCE = "Keep the secret now: it will not be shown again."


class Command(BaseCommand):
    help = "Create an API key for a team and print its secret, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("team", help="the name of the team")
        parser.add_argument("--name", required=True, help="what the key is for, unique among live keys")
        parser.add_argument(
            "--scope",
            action="append",
            metavar="SCOPE[,SCOPE]",
            help=f"one or more of {', '.join(limits.SCOPES)}; may be repeated (default: all)",
        )
        parser.add_argument(
            "--queue-pattern", default="", help="only queues and topics with such a name, e.g. 'orders-*'"
        )
        parser.add_argument("--expires-in", type=duration, help="e.g. 12h, 30d, 8w (default: never)")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        with in_one_sentence():
            issued = create_api_key(
                find_team(options["team"]),
                options["name"],
                _scopes(options["scope"]),
                queue_pattern=options["queue_pattern"],
                expires_at=_expiry(options["expires_in"]),
            )
        if options["format"] == "json":
            self.stdout.write(json.dumps(_as_dict(issued)))
        else:
            self.stdout.write(_as_text(issued))


def _scopes(given: list[str] | None) -> list[str]:
    if given is None:
        return list(limits.SCOPES)
    return [scope.strip() for text in given for scope in text.split(",")]


def _expiry(expires_in: timedelta | None) -> Any:
    return None if expires_in is None else timezone.now() + expires_in


def _as_dict(issued: IssuedKey) -> dict[str, Any]:
    key = issued.key
    return {
        "team": key.team.name,
        "name": key.name,
        "scopes": key.scopes,
        "queue_pattern": key.queue_pattern,
        "expires_at": key.expires_at and key.expires_at.isoformat(),
        "bearer": issued.bearer,
        "access_key_id": issued.access_key_id,
        "secret_access_key": issued.secret,
    }


def _as_text(issued: IssuedKey) -> str:
    key = issued.key
    pattern = key.queue_pattern
    queues = f"queues and topics named {pattern}" if pattern else "every queue and topic of the team"
    until = key.expires_at.strftime("until %Y-%m-%d %H:%M UTC") if key.expires_at else "until it is revoked"
    return "\n".join(
        [
            f"Created API key {key.name} of team {key.team.name}:"
            f" may {', '.join(key.scopes)} on {queues}, {until}.",
            "",
            f"Authorization: Bearer {issued.bearer}",
            "",
            f"AWS_ACCESS_KEY_ID={issued.access_key_id}",
            f"AWS_SECRET_ACCESS_KEY={issued.secret}",
            "",
            ONCE,
        ]
    )
