"""Values as text for people: hostile characters visible, secrets masked, no more than a page can carry."""

import json
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from dlq_console import exact_json, masking
from dlq_console.templatetags.console_text import visible

MOST_CHARACTERS = 10_000
MOST_IN_A_CELL = 120
NOTHING = "-"


def cell(value: object) -> str:
    """For a list: one short piece of text."""
    text = visible(value) or NOTHING
    return text if len(text) <= MOST_IN_A_CELL else f"{text[:MOST_IN_A_CELL]}…"


def body(data: str | None) -> SafeString | str:
    """The payload of a message. Masked fields are revealed in the console, which writes it down."""
    return _block(masking.masked_text(data)) if data else NOTHING


def json_block(value: Any) -> SafeString | str:
    if value is None:
        return NOTHING
    return _block(exact_json.pretty(masking.masked_text(json.dumps(value, ensure_ascii=False))))


def _block(text: str) -> SafeString:
    """As it was written, up to a bound."""
    cut = len(text) - MOST_CHARACTERS
    note = f"\n… and {cut:,} characters more" if cut > 0 else ""
    return format_html('<pre class="payload">{}{}</pre>', visible(text[:MOST_CHARACTERS]), note)
