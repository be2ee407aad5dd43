"""Every bound of the service, once, with the function that keeps it. All doors verify through here."""

import re
from base64 import b64decode
from collections.abc import Mapping
from math import isfinite
from typing import Any

from queues.errors import Invalid, MessageTooLarge

QUEUE_NAME_LENGTH = 80
QUEUE_NAME = re.compile(r"(?=.{1,80}\Z)[A-Za-z0-9_-]+(\.fifo)?\Z")
TOPIC_NAME_LENGTH = 80
TOPIC_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}\Z")
TEAM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}\Z")

QUEUE_SIZE = (1, 10_000_000)
VISIBILITY_TIMEOUT = (0, 43_200)
MAX_DELIVERIES = (1, 1000)
DELAY_SECONDS = (0, 31_536_000)
RETENTION_SECONDS = (60, 31_536_000)
MESSAGE_BYTES = (1_024, 1_048_576)
TARGET_AGE_SECONDS = (1, 31_536_000)
PRIORITY = (-100, 100)
TTL_SECONDS = (1, 31_536_000)
BATCH_ENTRIES = (1, 1000)
BATCH_ENTRY_ID_LENGTH = 80
GROUP_ID_LENGTH = 128
ATTRIBUTES = 50
ATTRIBUTE_NAME_LENGTH = 256
ATTRIBUTE_INTEGER = (-(2**63), 2**63 - 1)

DEFAULT_VISIBILITY_TIMEOUT = 30
DEFAULT_MAX_DELIVERIES = 3
DEFAULT_RETENTION_SECONDS = 345_600
DEFAULT_MESSAGE_BYTES = 262_144
DLQ_RETENTION_SECONDS = 1_209_600

QUEUES_PER_TEAM = 1_000
API_KEYS_PER_TEAM = 100
TOPICS_PER_TEAM = 1_000
# One publication is one transaction over all of them.
SUBSCRIPTIONS_PER_TOPIC = 100

DESCRIPTION_LENGTH = 2_000
TAGS = 50
TAG_KEY_LENGTH = 128
TAG_VALUE_LENGTH = 256
KEY_NAME_LENGTH = 80
QUEUE_PATTERN_LENGTH = 200
SEARCH_TERM_LENGTH = 200
SEARCH_TERMS = 20
SEARCH_SECONDS = 3
COUNT_SECONDS = 1
# What a list reads of each body.
BEGINNING_CHARACTERS = 4_096

# Leases and waiting.
TOTAL_LEASE_SECONDS = 43_200
WAIT_SECONDS = (0, 20)
WAITING_POLLS_PER_TEAM = 1_000
PRIORITY_AGING_SECONDS = (1, 31_536_000)

# What a consumer says went wrong.
REASON_LENGTH = 1_000
ERROR_TYPE_LENGTH = 200
ERROR_MESSAGE_LENGTH = 4_000
ERROR_STACK_LENGTH = 16_000
FINGERPRINT_LENGTH = 64
TRACE_ID_LENGTH = 128
HISTORY_ENTRIES = 20

# What a subscription wants: how many attributes it names, and values in all.
FILTER_ATTRIBUTES = 10
FILTER_VALUES = 150
FILTER_VALUE_LENGTH = 256

# Backoff between deliveries.
BACKOFF_BASE_SECONDS = (1, 43_200)
BACKOFF_FACTOR = (1.0, 10.0)
BACKOFF_MAX_SECONDS = (1, 43_200)
BACKOFF_JITTER = (0.0, 1.0)

# Redrives.
REDRIVE_RATE = (1, 10_000)
REDRIVE_LIMIT = (1, 10_000_000)
REDRIVE_MESSAGE_IDS = 1_000
REDRIVE_COUNT = (0, 1_000_000)
REQUESTED_BY_LENGTH = 200
CANARY_STEPS = 10
CANARY_STEP = (1, 1_000_000)
CANARY_RETURN_RATIO = (0.0, 1.0)
CANARY_WATCH_SECONDS = (1, 3_600)
# A message that was redriven this often and died again is left out of bulk redrives unless asked for.
MOST_REDRIVES = 3

# What people do in the console.
AUDIT_REASON_LENGTH = 500
GROUP_NOTE_LENGTH = 2_000
SEARCH_LENGTH = 2_000
HISTORY_MINUTES = (5, 1_440)
EXPORT_MESSAGES = 100_000

# History and scaling.
METRIC_BUCKETS = (60, 300, 3_600)  # seconds, as the Spark job makes them
METRIC_POINTS = 2_016  # a week in buckets of five minutes
MESSAGES_PER_WORKER = (1, 1_000_000)
DRAIN_SECONDS = (1, 604_800)
SCALING_STEPS = 20
WORKERS = (0, 100_000)

# Made-up history.
GENERATED_QUEUES = (1, 400)
GENERATED_MESSAGES = (1, 1_000_000_000)

REQUEST_BYTES = 8 * 1024 * 1024
PAGE_SIZE = 50
MAX_PAGE_SIZE = 200

# Counts are exact up to here; above it they are estimates, because counting would read every row.
EXACT_COUNT = 10_000
# The same where all queues are counted at once.
EXACT_COUNT_OF_MANY = 1_000

SCOPES = ("send", "receive", "manage")


def must_be_within(bounds: tuple[float, float]) -> str:
    low, high = bounds
    return f"Must be between {low} and {high}."


def verify_range(field: str, value: int, bounds: tuple[int, int]) -> int:
    low, high = bounds
    if not low <= value <= high:
        raise Invalid(must_be_within(bounds), field=field)
    return value


def verify_text(field: str, value: str) -> str:
    """PostgreSQL stores no NUL, and UTF-8 has no half of a surrogate pair."""
    if "\x00" in value:
        raise Invalid("Must not contain NUL characters.", field=field)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid("Must be valid Unicode: it contains an unpaired surrogate.", field=field) from None
    return value


def verify_length(field: str, value: str, longest: int) -> str:
    if len(value) > longest:
        raise Invalid(f"Must be at most {longest} characters long.", field=field)
    return verify_text(field, value)


def verify_queue_name(value: str, field: str = "queue_name") -> str:
    if not QUEUE_NAME.match(value):
        raise Invalid(
            "Must be 1 to 80 letters, digits, hyphens or underscores, with an optional .fifo at the end.",
            field=field,
        )
    return value


def verify_topic_name(value: str) -> str:
    if not TOPIC_NAME.match(value):
        raise Invalid("Must be 1 to 80 letters, digits, hyphens or underscores.", field="topic_name")
    return value


def verify_team_name(value: str) -> str:
    if not TEAM_NAME.match(value):
        raise Invalid(
            "Must be 1 to 80 letters, digits, hyphens or underscores, beginning with a letter or digit.",
            field="name",
        )
    return value


def verify_tags(tags: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(tags) > TAGS:
        raise Invalid(f"Must have at most {TAGS} entries.", field="tags")
    for key, value in tags.items():
        if not isinstance(value, str):
            raise Invalid(f"The value of {key[:40]!r} must be a string.", field="tags")
        if not key:
            raise Invalid("A key must not be empty.", field="tags")
        verify_length("tags", key, TAG_KEY_LENGTH)
        verify_length("tags", value, TAG_VALUE_LENGTH)
    return tags


def verify_group_id(value: str) -> str:
    if not value:
        raise Invalid("Must not be empty.", field="group_id")
    return verify_length("group_id", value, GROUP_ID_LENGTH)


def verify_attributes(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(attributes) > ATTRIBUTES:
        raise Invalid(f"Must have at most {ATTRIBUTES} entries.", field="attributes")
    for name, value in attributes.items():
        if not name:
            raise Invalid("A name must not be empty.", field="attributes")
        verify_length("attributes", name, ATTRIBUTE_NAME_LENGTH)
        _verify_attribute_value(name, value)
    return attributes


def _verify_attribute_value(name: str, value: Any) -> None:
    if isinstance(value, str):
        verify_text("attributes", value)
    elif isinstance(value, dict):
        _verify_binary(name, value)
    elif isinstance(value, bool | int):
        verify_range("attributes", value, ATTRIBUTE_INTEGER)
    elif not (isinstance(value, float) and isfinite(value)):
        raise Invalid(
            f'{name[:40]!r} must be a string, a number, a boolean or {{"binary": base64}}.',
            field="attributes",
        )


def _verify_binary(name: str, value: Mapping[str, Any]) -> None:
    text = value.get("binary")
    if set(value) != {"binary"} or not isinstance(text, str):
        raise Invalid(f'{name[:40]!r} must be {{"binary": base64}}.', field="attributes")
    try:
        b64decode(text, validate=True)
    except ValueError:
        raise Invalid(f"{name[:40]!r} is not valid base64.", field="attributes") from None


def verify_scopes(scopes: list[str]) -> list[str]:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise Invalid(f"Must be one or more of {', '.join(SCOPES)}.", field="scopes")
    return sorted(set(scopes), key=SCOPES.index)


def verify_message_size(size: int, most: int) -> int:
    if size > most:
        raise MessageTooLarge(f"The message has {size} bytes; this queue allows {most}.", field="data")
    return size


def verify_size_of_any(size: int) -> int:
    """A message that has no queue yet."""
    most = MESSAGE_BYTES[1]
    if size > most:
        raise MessageTooLarge(
            f"The message has {size} bytes; no queue allows more than {most}.", field="data"
        )
    return size
