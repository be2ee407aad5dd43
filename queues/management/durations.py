"""Durations as people type them: 90s, 15m, 12h, 30d, 2w."""

import argparse
import re
from datetime import timedelta

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
DURATION = re.compile(r"([1-9][0-9]{0,5})([smhdw])", re.ASCII)


def duration(text: str) -> timedelta:
    match = DURATION.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; write for example 12h, 30d or 8w")
    return timedelta(**{UNITS[match[2]]: int(match[1])})
