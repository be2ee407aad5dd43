from queues import gates


def test_a_group_always_passes_the_same_gate():
    assert gates.of("customer 1") == gates.of("customer 1")
    assert {gates.of(f"customer {number}") for number in range(10_000)} == set(range(gates.GATES))


def test_everybody_takes_them_in_one_order_and_each_once():
    groups = [f"customer {number}" for number in range(20)]
    assert gates.of_all(groups) == gates.of_all(reversed(groups)) == sorted(set(map(gates.of, groups)))


def test_a_batch_to_any_number_of_groups_needs_no_more_than_there_are():
    assert len(gates.of_all(str(number) for number in range(1000))) <= gates.GATES == 64
