"""What a policy lets pass, and where a bad one is at fault."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from queues import limits
from queues.errors import Invalid
from queues.filter_policy import COMPARISONS, matches, verified

# The example of the contract, attribute by attribute.
ORDERS = {
    "kind": ["order.placed", {"prefix": "refund."}],
    "stage": [{"anything-but": ["test"]}],
    "amount": [{"numeric": [">=", 100, "<", 500]}],
    "replayed": [{"exists": False}],
}


class TestMatching:
    def test_every_named_attribute_has_to_meet_one_of_its_conditions(self):
        message = {"kind": "refund.partial", "stage": "live", "amount": 100, "other": "whatever"}
        assert matches(ORDERS, message)
        for wrong in [{"kind": "order.paid"}, {"stage": "test"}, {"amount": 500}, {"replayed": "yes"}]:
            assert not matches(ORDERS, {**message, **wrong})

    @pytest.mark.parametrize("attributes", [None, {}, {"kind": "x"}])
    def test_no_policy_lets_everything_pass(self, attributes):
        assert matches(None, attributes)

    @pytest.mark.parametrize(
        ("condition", "passing", "failing"),
        [
            ("a", ["a"], ["A", "ab", "", 1, True, None]),
            ("", [""], ["a", None]),
            ("1", ["1"], [1, 1.0, True]),
            (1, [1, 1.0], ["1", True, 2, None]),
            (0.5, [0.5], [0, 1, "0.5"]),
            (0, [0, 0.0, -0.0], [False, "", None]),
            (True, [True], [1, 1.0, "true", False, None]),
            (False, [False], [0, "", True, None]),
            ({"prefix": "ord"}, ["ord", "order"], ["Order", "or", "", 1, True, None]),
            ({"anything-but": ["test"]}, ["live", "", 1, True], ["test", None]),
            ({"anything-but": [1, True]}, [2, False, "1"], [1, 1.0, True, None]),
            ({"numeric": ["=", 5]}, [5, 5.0], [5.1, "5", True, None]),
            ({"numeric": [">", 1]}, [1.1, 2, 1e300], [1, 0, True, "2", None]),
            ({"numeric": [">=", 1]}, [1, 2], [0.9, None]),
            ({"numeric": ["<", 1]}, [0.9, -5], [1, False, None]),
            ({"numeric": ["<=", 1]}, [1, 0], [1.1, None]),
            ({"numeric": [">", 0, "<=", 150]}, [0.1, 150], [0, 150.1, -1, None]),
            ({"exists": True}, ["", "a", 0, False], [None]),
            ({"exists": False}, [None], ["", "a", 0, False]),
        ],
    )
    def test_a_condition(self, condition, passing, failing):
        """None stands for a message that has other attributes, but not this one."""
        for wanted, values in ((True, passing), (False, failing)):
            for value in values:
                attributes = {"other": "x"} if value is None else {"a": value}
                assert matches({"a": [condition]}, attributes) is wanted, value

    def test_a_number_too_large_for_a_float_is_compared_exactly(self):
        assert not matches({"a": [2**53]}, {"a": 2**53 + 1})
        assert matches({"a": [{"numeric": [">", 2**53]}]}, {"a": 2**53 + 1})

    def test_a_message_without_attributes_has_none_of_them(self):
        assert matches({"a": [{"exists": False}]}, None)
        assert not matches({"a": [{"anything-but": ["x"]}]}, None)

    def test_a_binary_attribute_is_not_looked_at(self):
        message = {"a": {"binary": "AAE="}}
        assert matches({"a": [{"exists": False}]}, message)
        assert not matches({"a": [{"exists": True}, {"anything-but": ["x"]}, "AAE="]}, message)


class TestVerifying:
    def test_it_keeps_what_is_good(self):
        assert verified(ORDERS) == ORDERS

    def test_it_writes_what_means_the_same_in_one_way(self):
        kept = verified({"a": [3.0, {"anything-but": "x"}, {"numeric": ["=", 1e3]}]})
        assert kept == {"a": [3, {"anything-but": ["x"]}, {"numeric": ["=", 1000]}]}
        assert [type(kept["a"][0]), type(kept["a"][2]["numeric"][1])] == [int, int]

    @pytest.mark.parametrize(
        ("policy", "place", "words"),
        [
            ([], "filter", "an object"),
            ("x", "filter", "an object"),
            (None, "filter", "an object"),
            ({}, "filter", "Leave it out"),
            ({"": ["x"]}, "filter", "must not be empty"),
            ({"k" * 257: ["x"]}, "filter", "256 characters"),
            ({"nul\x00": ["x"]}, "filter", "NUL"),
            ({f"k{n}": ["x"] for n in range(11)}, "filter", "at most 10 attributes"),
            ({"k": "x"}, "filter.k", "a list"),
            ({"k": {"prefix": "x"}}, "filter.k", "a list"),
            ({"k": []}, "filter.k", "not empty"),
            ({"k": ["x"] * 151}, "filter.k", "at most 150 entries"),
            ({"k": ["x"] * 100, "l": ["x"] * 51}, "filter", "at most 150 values"),
            ({"k": [{"anything-but": ["x"] * 100}], "l": ["x"] * 51}, "filter", "at most 150 values"),
            ({"k": ["x", None]}, "filter.k.1", "a string, a number or a boolean"),
            ({"k": [["x"]]}, "filter.k.0", "a string, a number or a boolean"),
            ({"k": ["x" * 257]}, "filter.k.0", "256 characters"),
            ({"k": ["\ud800"]}, "filter.k.0", "Unicode"),
            ({"k": [2**63]}, "filter.k.0", "between"),
            ({"k": [1e300]}, "filter.k.0", "between"),
            ({"k": [float("nan")]}, "filter.k.0", "between"),
            ({"k": [float("-inf")]}, "filter.k.0", "between"),
            ({"k": [{}]}, "filter.k.0", "prefix, anything-but, numeric, exists"),
            ({"k": [{"suffix": "x"}]}, "filter.k.0", "prefix, anything-but, numeric, exists"),
            ({"k": [{"prefix": "x", "exists": True}]}, "filter.k.0", "one of"),
            ({"k": [{"prefix": ""}]}, "filter.k.0.prefix", "not empty"),
            ({"k": [{"prefix": 1}]}, "filter.k.0.prefix", "a string"),
            ({"k": [{"prefix": "x" * 257}]}, "filter.k.0.prefix", "256 characters"),
            ({"k": [{"anything-but": []}]}, "filter.k.0.anything-but", "not empty"),
            ({"k": [{"anything-but": {"prefix": "x"}}]}, "filter.k.0.anything-but", "a string"),
            ({"k": [{"anything-but": ["x", {}]}]}, "filter.k.0.anything-but.1", "a string"),
            ({"k": [{"anything-but": ["x"] * 151}]}, "filter.k.0.anything-but", "150"),
            ({"k": [{"numeric": 5}]}, "filter.k.0.numeric", "a comparison"),
            ({"k": [{"numeric": []}]}, "filter.k.0.numeric", "a comparison"),
            ({"k": [{"numeric": [">", 1, "<"]}]}, "filter.k.0.numeric", "a comparison"),
            ({"k": [{"numeric": ["==", 1]}]}, "filter.k.0.numeric.0", "one of = > >= < <="),
            ({"k": [{"numeric": [[], 1]}]}, "filter.k.0.numeric.0", "one of"),
            ({"k": [{"numeric": [">", 1, "!", 2]}]}, "filter.k.0.numeric.2", "one of"),
            ({"k": [{"numeric": [">", "1"]}]}, "filter.k.0.numeric.1", "a number"),
            ({"k": [{"numeric": [">", True]}]}, "filter.k.0.numeric.1", "a number"),
            ({"k": [{"numeric": [">", 1, "<", 2**63]}]}, "filter.k.0.numeric.3", "between"),
            ({"k": [{"numeric": ["<", 1, ">", 2]}]}, "filter.k.0.numeric", "from a lower bound"),
            ({"k": [{"numeric": ["=", 1, "<", 2]}]}, "filter.k.0.numeric", "from a lower bound"),
            ({"k": [{"numeric": [">=", 2, "<=", 2]}]}, "filter.k.0.numeric", "from a lower bound"),
            ({"k": [{"exists": "false"}]}, "filter.k.0.exists", "true or false"),
            ({"k": [{"exists": 1}]}, "filter.k.0.exists", "true or false"),
            ({"k" * 256: [None]}, f"filter.{'k' * 40}.0", "a string"),
        ],
    )
    def test_it_names_the_place_that_is_at_fault(self, policy, place, words):
        with pytest.raises(Invalid, match=words) as caught:
            verified(policy)
        assert caught.value.field == place


NUMBERS = st.integers(*limits.ATTRIBUTE_INTEGER) | st.floats(-1e15, 1e15)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
VALUES = TEXTS | NUMBERS | st.booleans()
NAMES = st.sampled_from("abc")
ATTRIBUTES = st.dictionaries(NAMES, VALUES | st.just({"binary": "AAE="}))
RANGES = st.tuples(NUMBERS, NUMBERS).map(sorted).filter(lambda bounds: bounds[0] < bounds[1])
CONDITIONS = st.one_of(
    VALUES,
    st.text("xyz", min_size=1, max_size=3).map(lambda text: {"prefix": text}),
    st.lists(VALUES, min_size=1, max_size=3).map(lambda values: {"anything-but": values}),
    st.tuples(st.sampled_from(sorted(COMPARISONS)), NUMBERS).map(lambda pair: {"numeric": list(pair)}),
    RANGES.map(lambda bounds: {"numeric": [">", bounds[0], "<=", bounds[1]]}),
    st.booleans().map(lambda wanted: {"exists": wanted}),
)
POLICIES = st.dictionaries(NAMES, st.lists(CONDITIONS, min_size=1, max_size=3), min_size=1)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | VALUES | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3) | NAMES, inner, max_size=3)
    ),
)


class TestAnyPolicy:
    @given(POLICIES)
    def test_what_is_kept_is_kept_as_it_is(self, policy):
        kept = verified(policy)
        assert verified(kept) == kept

    @given(POLICIES, ATTRIBUTES)
    def test_what_is_kept_means_what_was_given(self, policy, attributes):
        assert matches(verified(policy), attributes) == matches(policy, attributes)

    @given(POLICIES, POLICIES, ATTRIBUTES)
    def test_attributes_are_joined_by_and(self, one, other, attributes):
        assume(not set(one) & set(other))
        both = matches(one, attributes) and matches(other, attributes)
        assert matches({**one, **other}, attributes) == both

    @given(st.lists(CONDITIONS, min_size=1, max_size=4), ATTRIBUTES)
    def test_conditions_are_joined_by_or(self, conditions, attributes):
        one_by_one = [matches({"a": [condition]}, attributes) for condition in conditions]
        assert matches({"a": conditions}, attributes) == any(one_by_one)

    @given(POLICIES, ATTRIBUTES, VALUES)
    def test_attributes_it_does_not_name_make_no_difference(self, policy, attributes, value):
        assert matches(policy, {**attributes, "unnamed": value}) == matches(policy, attributes)

    @given(st.lists(VALUES, min_size=1, max_size=4), VALUES)
    def test_anything_but_is_the_opposite_of_the_values(self, values, value):
        refusing, accepting = {"a": [{"anything-but": values}]}, {"a": values}
        assert matches(refusing, {"a": value}) != matches(accepting, {"a": value})

    @given(ATTRIBUTES)
    def test_existing_is_the_opposite_of_not_existing(self, attributes):
        there, missing = {"a": [{"exists": True}]}, {"a": [{"exists": False}]}
        assert matches(there, attributes) != matches(missing, attributes)

    @given(RANGES, NUMBERS)
    def test_a_number_is_below_in_or_above_a_range(self, bounds, number):
        low, high = bounds
        parts = [["<=", low], [">", low, "<=", high], [">", high]]
        met = [matches({"a": [{"numeric": part}]}, {"a": number}) for part in parts]
        assert met.count(True) == 1

    @given(JSON)
    def test_whatever_is_given_is_kept_or_refused_at_a_place(self, anything):
        assert fault_of(anything) in (None, "filter")


def fault_of(policy: Any) -> str | None:
    """The field that is at fault; None for a policy that can be used."""
    try:
        matches(verified(policy), {"a": "x"})
    except Invalid as problem:
        return str(problem.field).partition(".")[0]
    return None
