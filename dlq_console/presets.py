"""Settings that suit a purpose, to start a new queue from. What a preset does not name has its default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from queues.models import Mode
from queues.operations import queue_settings

HOUR, DAY = 3_600, 86_400


@dataclass(frozen=True, slots=True)
class Preset:
    code: str
    title: str
    words: str
    mode: Mode = Mode.STANDARD
    settings: Mapping[str, Any] = field(default_factory=dict)


PRESETS = (
    Preset(
        "work",
        "Work queue",
        "Jobs for a pool of workers, done in any order. What fails is tried again after half a minute.",
        settings={
            "visibility_timeout": 60,
            "max_deliveries": 5,
            "backoff": {"base_seconds": 30, "factor": 1, "max_seconds": 30},
            "receive_wait_seconds": 20,
        },
    ),
    Preset(
        "fifo",
        "FIFO per customer",
        "Messages of one group, such as a customer, one after the other; groups do not wait for each other.",
        mode=Mode.FIFO,
        settings={"visibility_timeout": 60, "max_deliveries": 5, "receive_wait_seconds": 20},
    ),
    Preset(
        "webhook",
        "Webhook delivery",
        "Calls to servers that may be down for hours: pauses grow from ten seconds to an hour.",
        settings={
            "visibility_timeout": 60,
            "max_deliveries": 15,
            "backoff": {"base_seconds": 10, "factor": 2, "max_seconds": HOUR, "jitter": 0.2},
            "receive_wait_seconds": 20,
            "retention_seconds": 7 * DAY,
        },
    ),
    Preset(
        "bulk",
        "Bulk",
        "Imports and exports: large messages, each of which may take a while, and no hurry.",
        settings={
            "visibility_timeout": HOUR,
            "max_deliveries": 3,
            "backoff": {"base_seconds": 300, "factor": 2, "max_seconds": HOUR},
            "max_message_bytes": 1_048_576,
            "queue_size": 1_000_000,
            "retention_seconds": 14 * DAY,
            "receive_wait_seconds": 20,
        },
    ),
)


def offered() -> list[Preset]:
    """Those of which a queue can be made: the engine may not know every mode."""
    modes = queue_settings.modes()
    return [preset for preset in PRESETS if preset.mode in modes]


def find(code: str) -> Preset:
    """The one of this code; the first for any other."""
    known = offered()
    return next((preset for preset in known if preset.code == code), known[0])
