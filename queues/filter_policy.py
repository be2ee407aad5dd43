"""Which messages a subscription takes: SNS's attribute policy, in its words.

A policy names attributes, each with a list of conditions; a message passes when every named attribute meets
one of its conditions. A condition is a value to be equal to, or one of the operators at the end of this file.
Binary attributes are not looked at: to a policy they are not there.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from queues import limits
from queues.errors import Invalid

Policy = Mapping[str, Sequence[Any]]
# What a condition is held against: the value of an attribute, None when the message does not have it.
Value = str | int | float | bool | None

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
FROM, TO = (">", ">="), ("<", "<=")
NAMED_LENGTH = 40  # of an attribute's name, where a fault is named


def matches(policy: Policy | None, attributes: Mapping[str, Any] | None) -> bool:
    """Whether a message with these attributes passes. No policy lets every message pass."""
    found = attributes or {}
    return all(
        any(_meets(condition, _seen(found.get(name))) for condition in conditions)
        for name, conditions in (policy or {}).items()
    )


def verified(policy: Any, place: str = "filter") -> dict[str, list[Any]]:
    """The policy as it is kept; Invalid names the place in it that is at fault.

    3.0 is kept as 3 and a single value of anything-but as a list, so that policies which say the same in the
    same order are equal.
    """
    if not isinstance(policy, dict):
        raise Invalid("Must be an object.", field=place)
    if not policy:
        raise Invalid("Must name an attribute. Leave it out to get every message.", field=place)
    if len(policy) > limits.FILTER_ATTRIBUTES:
        raise Invalid(f"Must name at most {limits.FILTER_ATTRIBUTES} attributes.", field=place)
    kept = {name: _verified_conditions(name, given, place) for name, given in policy.items()}
    if (
        sum(_weight(condition) for conditions in kept.values() for condition in conditions)
        > limits.FILTER_VALUES
    ):
        raise Invalid(f"Must have at most {limits.FILTER_VALUES} values in all.", field=place)
    return kept


def _meets(condition: Any, value: Value) -> bool:
    if not isinstance(condition, dict):
        return _equal(condition, value)
    [(name, operand)] = condition.items()
    return OPERATORS[name].meets(operand, value)


def _seen(value: Any) -> Value:
    return None if isinstance(value, dict) else value


def _equal(one: Value, other: Value) -> bool:
    """As JSON means it: to Python, true is 1."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _begins_with(prefix: str, value: Value) -> bool:
    return isinstance(value, str) and value.startswith(prefix)


def _is_none_of(refused: list[Value], value: Value) -> bool:
    return value is not None and not any(_equal(one, value) for one in refused)


def _is_within(bounds: list[Any], value: Value) -> bool:
    return _is_number(value) and all(COMPARISONS[sign](value, bound) for sign, bound in _pairs(bounds))


def _exists_as(wanted: bool, value: Value) -> bool:
    return (value is not None) == wanted


def _verified_conditions(name: str, conditions: Any, place: str) -> list[Any]:
    here = f"{place}.{name[:NAMED_LENGTH]}"
    if not name:
        raise Invalid("The name of an attribute must not be empty.", field=place)
    limits.verify_length(place, name, limits.ATTRIBUTE_NAME_LENGTH)
    given = _verified_list(conditions, here)
    return [_verified_condition(condition, f"{here}.{number}") for number, condition in enumerate(given)]


def _verified_condition(condition: Any, place: str) -> Any:
    if not isinstance(condition, dict):
        return _verified_value(condition, place)
    if len(condition) != 1 or not set(condition) <= set(OPERATORS):
        raise Invalid(f"Must be a value, or an object with one of {', '.join(OPERATORS)}.", field=place)
    [(name, operand)] = condition.items()
    return {name: OPERATORS[name].verified(operand, f"{place}.{name}")}


def _verified_list(given: Any, place: str) -> list[Any]:
    if not isinstance(given, list) or not given:
        raise Invalid("Must be a list that is not empty.", field=place)
    if len(given) > limits.FILTER_VALUES:
        raise Invalid(f"Must have at most {limits.FILTER_VALUES} entries.", field=place)
    return given


def _verified_value(value: Any, place: str) -> Value:
    if isinstance(value, str):
        return limits.verify_length(place, value, limits.FILTER_VALUE_LENGTH)
    if isinstance(value, bool):
        return value
    if _is_number(value):
        return _verified_number(value, place)
    raise Invalid("Must be a string, a number or a boolean.", field=place)


def _verified_number(value: Any, place: str) -> int | float:
    if not _is_number(value):
        raise Invalid("Must be a number.", field=place)
    limits.verify_range(place, value, limits.ATTRIBUTE_INTEGER)
    return int(value) if value == int(value) else float(value)


def _verified_prefix(operand: Any, place: str) -> str:
    if not isinstance(operand, str) or not operand:
        raise Invalid("Must be a string that is not empty.", field=place)
    return limits.verify_length(place, operand, limits.FILTER_VALUE_LENGTH)


def _verified_refusals(operand: Any, place: str) -> list[Value]:
    if not isinstance(operand, list):
        return [_verified_value(operand, place)]
    given = _verified_list(operand, place)
    return [_verified_value(value, f"{place}.{number}") for number, value in enumerate(given)]


def _verified_bounds(operand: Any, place: str) -> list[Any]:
    if not isinstance(operand, list) or len(operand) not in (2, 4):
        raise Invalid('Must be a comparison or two, as ["=", 5] or [">=", 100, "<", 500].', field=place)
    signs, numbers = operand[::2], operand[1::2]
    for number, sign in enumerate(signs):
        if not isinstance(sign, str) or sign not in COMPARISONS:
            raise Invalid(f"Must be one of {' '.join(COMPARISONS)}", field=f"{place}.{2 * number}")
    kept = [_verified_number(bound, f"{place}.{2 * number + 1}") for number, bound in enumerate(numbers)]
    if len(signs) == 2 and not (signs[0] in FROM and signs[1] in TO and kept[0] < kept[1]):
        raise Invalid("Must go from a lower bound (> or >=) to a higher one (< or <=).", field=place)
    return [part for pair in zip(signs, kept, strict=True) for part in pair]


def _verified_existence(operand: Any, place: str) -> bool:
    if not isinstance(operand, bool):
        raise Invalid("Must be true or false.", field=place)
    return operand


def _pairs(bounds: list[Any]) -> Iterator[tuple[str, Any]]:
    return zip(bounds[::2], bounds[1::2], strict=True)


def _weight(condition: Any) -> int:
    """How many values it holds against an attribute."""
    return len(condition.get("anything-but", [None])) if isinstance(condition, dict) else 1


class Operator(NamedTuple):
    verified: Callable[[Any, str], Any]
    meets: Callable[[Any, Value], bool]


OPERATORS = {
    "prefix": Operator(_verified_prefix, _begins_with),
    "anything-but": Operator(_verified_refusals, _is_none_of),
    "numeric": Operator(_verified_bounds, _is_within),
    "exists": Operator(_verified_existence, _exists_as),
}
