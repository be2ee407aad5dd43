"""JSON as RFC 8259 means it, and nothing that could surprise the layers below."""

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn

from queues import limits
from queues.errors import Invalid

BODY = "body"  # the field named when the fault lies in the body as a whole
# In bytes that are UTF-8, only an escape can spell a NUL or half of a surrogate pair.
SUSPECT = re.compile(r"\\u(0000|[dD][89a-fA-F])")


def read_object(raw: bytes) -> dict[str, Any]:
    """The JSON object these bytes spell; Invalid names the field that is at fault."""
    try:
        return _read(raw.decode())
    except UnicodeDecodeError:
        raise Invalid("The body is not UTF-8.", field=BODY) from None
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno} column {problem.colno}"
        raise Invalid(f"The body is not valid JSON: {problem.msg} ({where}).", field=BODY) from None
    except RecursionError:
        raise Invalid("The body is nested too deeply.", field=BODY) from None
    except ValueError:  # Python turns no text of more than 4300 digits into a number
        raise Invalid("The body contains a number that is too large.", field=BODY) from None


def _read(text: str) -> dict[str, Any]:
    body = _DECODER.decode(text)
    if not isinstance(body, dict):
        raise Invalid("The body must be a JSON object.", field=BODY)
    if SUSPECT.search(text):
        for name, value in body.items():
            _verify_text(name, value)
    return body


def _verify_text(field: str, value: Any) -> None:
    limits.verify_text(BODY, field)
    if isinstance(value, str):
        limits.verify_text(field, value)
    elif isinstance(value, dict):
        for name, item in value.items():
            limits.verify_text(field, name)
            _verify_text(field, item)
    elif isinstance(value, list):
        for item in value:
            _verify_text(field, item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two values for one name are refused: whichever we took, somebody would have meant the other."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
    raise Invalid("Given more than once.", field=name)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise Invalid(f"The body contains {text[:40]}, which is not a JSON number.", field=BODY)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_refuse)
