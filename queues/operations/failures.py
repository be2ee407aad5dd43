"""What a consumer reports when it gives a message back: verified, cut to size, fingerprinted."""

from collections.abc import Mapping
from typing import Any

from queues import fingerprints, limits
from queues.errors import Invalid
from queues.values import Failure

PARTS = ("type", "message", "stack", "fingerprint")
LONGEST = {"type": limits.ERROR_TYPE_LENGTH, "fingerprint": limits.FINGERPRINT_LENGTH}
CUT = "\n…\n"


def reported(error: Mapping[str, Any] | None, reason: str | None) -> Failure:
    """An error with its parts, or a plain reason; a consumer need not give any."""
    if error is not None and reason is not None:
        raise Invalid("Give an error or a reason, not both.", field="reason")
    if error is not None:
        return _of_error(_verified(error))
    if reason:
        message = cut(limits.verify_text("reason", reason), limits.REASON_LENGTH)
        return Failure({"message": message}, fingerprints.of(None, message))
    return Failure()


def cut(text: str, longest: int) -> str:
    """Its beginning and its end. A report is not refused for its length: it would be lost when it matters."""
    half = (longest - len(CUT)) // 2
    return text if len(text) <= longest else text[:half] + CUT + text[-half:]


def _verified(error: Mapping[str, Any]) -> dict[str, str]:
    unknown = sorted(set(error) - set(PARTS))
    if unknown:
        raise Invalid(f"Has an unknown part: {unknown[0][:40]!r}.", field="error")
    if not error.get("type") or "message" not in error:
        raise Invalid("Must have a type and a message.", field="error")
    for name, value in error.items():
        if not isinstance(value, str):
            raise Invalid(f"Its {name} must be a string.", field="error")
        if len(limits.verify_text("error", value)) > LONGEST.get(name, len(value)):
            raise Invalid(f"Its {name} must be at most {LONGEST[name]} characters long.", field="error")
    return dict(error)


def _of_error(error: dict[str, str]) -> Failure:
    given = error.pop("fingerprint", None)
    error["message"] = cut(error["message"], limits.ERROR_MESSAGE_LENGTH)
    if "stack" in error:
        error["stack"] = cut(error["stack"], limits.ERROR_STACK_LENGTH)
    fingerprint = fingerprints.of(error["type"], error["message"], error.get("stack"), given)
    return Failure(error, fingerprint)
