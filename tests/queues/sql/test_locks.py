"""No statement looks for the row it changes from within the change.

An update whose row was changed since the statement began is checked once more, and within a WITH clause
PostgreSQL then runs its sub-selects anew. One that locks would lock a second row, before or behind the first:
a send did, and now and then met somebody who waited for all slots in order. Each held what the other wanted.
What is looked for in a WITH clause of its own is looked for once.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from queues.managers.statements import SQL
from tests.queues.sql.explained import Plan, planned

pytestmark = pytest.mark.django_db

LOCKING = sorted(
    str(path.relative_to(SQL).with_suffix(""))
    for path in SQL.rglob("*.sql")
    if "FOR UPDATE" in path.read_text() or "FOR SHARE" in path.read_text()
)
WITHIN = {
    "Node Type": "ModifyTable",
    "Plans": [{"Node Type": "Limit", "Plans": [{"Node Type": "LockRows"}], "Subplan Name": "InitPlan 2"}],
}
BESIDE = {
    "Node Type": "ModifyTable",
    "Plans": [{"Node Type": "Limit", "Plans": [{"Node Type": "LockRows"}], "Subplan Name": "CTE slot"}],
}


def locks_within_a_change(node: dict[str, Any], inside: bool = False) -> Iterator[dict[str, Any]]:
    inside = inside or node["Node Type"] == "ModifyTable"
    if inside and node["Node Type"] == "LockRows":
        yield node
    for child in node.get("Plans", []):
        beside = child.get("Subplan Name", "").startswith("CTE ")
        yield from locks_within_a_change(child, inside and not beside)


def locks(plan: Plan) -> list[dict[str, Any]]:
    return [node for node in plan.nodes if node["Node Type"] == "LockRows"]


@pytest.mark.parametrize("name", LOCKING)
def test_it_looks_for_its_rows_beside_the_change(name):
    plan = planned(name)
    assert locks(plan)
    assert list(locks_within_a_change(plan.root)) == []


def test_the_search_itself_tells_one_from_the_other():
    assert list(locks_within_a_change(WITHIN))
    assert not list(locks_within_a_change(BESIDE))
