"""What a JSON body holds at some place, asked of PostgreSQL without trusting the body.

A body may be no JSON, or JSON that PostgreSQL can check but not read: with NUL escapes, halves of surrogate
pairs, or nested deeper than its stack. Any of them would fail a whole search. `WITH UNIQUE KEYS` makes the
check decode every string, so what passes can be read; counting the brackets first bounds the depth.
"""

from collections.abc import Sequence

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, Case, F, Func, TextField, Value, When

MOST_BRACKETS = 2_000


class _IsReadable(Func):
    template = (
        "CASE WHEN length(%(expressions)s) - length(translate(%(expressions)s, '[{', '')) "
        f"<= {MOST_BRACKETS} "
        "THEN %(expressions)s IS JSON OBJECT WITH UNIQUE KEYS ELSE false END"
    )
    output_field = BooleanField()


class _At(Func):
    template = "(%(expressions)s)"
    arg_joiner = "::json #>> "
    output_field = TextField()


def text_at(path: Sequence[str]) -> Case:
    """The value at this path as text (a number as it is written), null where there is none."""
    place = Value(list(path), ArrayField(TextField()))
    return Case(When(_IsReadable(F("data")), then=_At(F("data"), place)))
