"""Bodies as real producers send them, drawn from a random source that can be seeded."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

TENANTS = ("acme", "globex", "initech", "umbrella", "hooli")
CITIES = ("Lyon", "Porto", "Ghent", "Turku", "Graz")


def order(rng: Random) -> dict[str, Any]:
    return {
        # Larger than a browser's numbers can hold: it has to be shown exactly.
        "order_id": rng.randrange(10**17, 10**18),
        "customer": {"id": rng.randrange(1_000, 99_999), "city": rng.choice(CITIES)},
        "lines": [
            {"sku": f"SKU-{rng.randrange(100, 999)}", "quantity": rng.randint(1, 5)}
            for _ in range(rng.randint(1, 3))
        ],
        "total": f"{rng.randrange(500, 90_000) / 100:.2f}",
        "card_number": "".join(str(rng.randrange(10)) for _ in range(16)),
    }


def invoice(rng: Random) -> dict[str, Any]:
    return {"invoice": f"INV-{rng.randrange(10_000, 99_999)}", "due_days": rng.choice((14, 30, 60))}


def webhook(rng: Random) -> dict[str, Any]:
    tenant = rng.choice(TENANTS)
    return {
        "event": rng.choice(("order.placed", "order.paid", "refund.created")),
        "url": f"https://{tenant}.example/hooks/{rng.randrange(1, 9)}",
        "token": f"whsec_{rng.randrange(16**12):012x}",
    }


def image(rng: Random) -> dict[str, Any]:
    return {"image": f"uploads/{rng.randrange(16**8):08x}.jpg", "sizes": [64, 256, 1024]}


def email(rng: Random) -> dict[str, Any]:
    return {
        "template": rng.choice(("welcome", "receipt", "reminder")),
        "to": f"user{rng.randrange(9_999)}@example.com",
    }


def report(rng: Random) -> dict[str, Any]:
    return {"report": rng.choice(("revenue", "churn", "stock")), "month": f"2026-{rng.randint(1, 12):02}"}


Body = Callable[[Random], dict[str, Any]]


def written(body: Body, rng: Random) -> str:
    return json.dumps(body(rng))
