"""What the demo shows: each queue has a story, and the failures that belong to it."""

from dataclasses import dataclass, field
from typing import Any

from queues.demo import payloads
from queues.demo.payloads import Body

HOUR = 3_600
DAY = 24 * HOUR

GATEWAY_STACK = """Traceback (most recent call last):
  File "/app/orders/worker.py", line 41, in handle
    charge(order)
  File "/app/payments/gateway.py", line 118, in charge
    response = session.post(url, json=body, timeout=30)
payments.errors.GatewayTimeout: no answer from the payment gateway"""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why some of a queue's dead letters died. A type of None: their consumer never said a word."""

    share: int  # of the queue's dead letters, in percent
    type: str | None = None
    message: str = ""  # {n} stands for a number that differs from letter to letter
    stack: str | None = None
    began_hours_ago: float = 23.0
    ended_hours_ago: float = 0.1
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    description: str
    body: Body
    settings: dict[str, Any] = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()
    dead_share: int = 0  # of all dead letters of the demo, in percent
    ready: int = 0
    in_flight: int = 0
    delayed: int = 0
    oldest_seconds: int = 20
    per_minute: int = 30  # what goes through it on an ordinary day
    paused: bool = False


SCENES = (
    Scene(
        "orders",
        "Orders placed in the shop. Every one is charged and then handed to the warehouse.",
        payloads.order,
        {"visibility_timeout": 60, "max_deliveries": 5, "target_age_seconds": 300, "allow_edit": True}
        | {"tags": {"team": "checkout", "tier": "1"}},
        (
            Cause(
                55,
                "GatewayTimeout",
                "no answer from the payment gateway after {n} ms",
                GATEWAY_STACK,
                5,
                1,
                3,
            ),
            Cause(20, "CardDeclined", "card declined: code {n}"),
            Cause(13, "ValidationError", "line {n}: quantity must be positive", began_hours_ago=12),
            Cause(7, "KeyError", "'warehouse'", began_hours_ago=2),
            Cause(5),
        ),
        dead_share=80,
        ready=180,
        in_flight=14,
        per_minute=240,
    ),
    Scene(
        "webhooks",
        "Calls to the endpoints of our customers, tried again with growing pauses.",
        payloads.webhook,
        {"max_deliveries": 8, "target_age_seconds": HOUR}
        | {"backoff": {"base_seconds": 5, "factor": 2.0, "max_seconds": 900, "jitter": 0.2}},
        (
            Cause(70, "ConnectionRefused", "connect to port {n} refused", attempts=2),
            Cause(30, "HTTPError", "503 from the endpoint after {n} ms", began_hours_ago=8),
        ),
        dead_share=20,
        ready=25,
        in_flight=6,
        delayed=40,
        per_minute=90,
    ),
    Scene(
        "thumbnails",
        "Pictures to shrink. Bounded: producers are told to slow down.",
        payloads.image,
        {"queue_size": 400},
        ready=380,
        in_flight=20,
        oldest_seconds=240,
        per_minute=120,
    ),
    Scene(
        "emails",
        "Mail to customers. Paused while the provider moves.",
        payloads.email,
        ready=85,
        oldest_seconds=2 * HOUR,
        per_minute=20,
        paused=True,
    ),
    Scene(
        "reports",
        "Monthly reports, made at night.",
        payloads.report,
        {"target_age_seconds": HOUR, "visibility_timeout": 900},
        ready=12,
        oldest_seconds=5 * HOUR,
        per_minute=0,
    ),
    Scene(
        "invoices",
        "Invoices to print and post.",
        payloads.invoice,
        {"target_age_seconds": 600},
        ready=3,
        in_flight=2,
        per_minute=12,
    ),
)
