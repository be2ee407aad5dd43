"""The job's own story, in lines for people and machines: `… metrics.read stays=12 seconds=0.4`."""

import sys
from datetime import UTC, datetime


def say(event: str, **facts: object) -> None:
    words = [f"{name}={_quoted(value)}" for name, value in facts.items()]
    print(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), event, *words, file=sys.stderr, flush=True)


def _quoted(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    return '"' + text.replace('"', "'") + '"' if " " in text or not text else text
