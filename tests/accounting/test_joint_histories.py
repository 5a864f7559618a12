"""Open answers about a record that changes: whatever the order of delivery, beside an enumeration of all histories."""

import math
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import LDP, BayesianFilter, Categories, ChannelTable, RandomizedResponse, SordinoError
from sordino.accounting.joint_filter import JointFilter
from sordino.once.ledger.frozen_values import decode, encode

TWO, THREE = Categories(["a", "b"]), Categories(["a", "b", "c"])
COIN = ChannelTable([[3, 1], [1, 3]])
MENU = [
    ChannelTable([[3, 1], [1, 3], [2, 2]]),
    ChannelTable([[2, 2], [3, 1], [1, 3]]),
    RandomizedResponse(3, "ln 2"),
]


def worst_loss(k, changes, asked):
    """The most that answers can reveal between two histories, whatever those are that are out: queries and codes."""
    ways = [range(query.outputs) if code is None else (code,) for query, code in asked]
    paths = [path for path in product(range(k), repeat=len(asked)) if sum(a != b for a, b in pairwise(path)) <= changes]
    worst = 0.0
    for codes in product(*ways):
        found = [
            math.prod(
                (Fraction(query.weight(x, code)) for x, (query, _), code in zip(path, asked, codes, strict=True)),
                start=Fraction(1),
            )
            for path in paths
        ]
        worst = max(worst, math.log(max(found) / min(found)))
    return worst


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(MENU), st.booleans()),
        st.tuples(st.just("deliver"), st.integers(0, 5), st.integers(0, 2)),
    ),
    min_size=4,
    max_size=12,
)


@given(st.integers(0, 2), STEPS)
def test_delivered_in_any_order_the_loss_of_all_histories_is_never_understated(changes, steps):
    """A history goes by the order of acceptance: an answer that arrives late is about the value of then."""
    bound = 3.2
    joint, asked = JointFilter.of(BayesianFilter(THREE, LDP(str(bound)), changes=changes)), {}
    for step, what, how in steps:
        if step == "ask" and len(asked) < 6:
            accepted = joint.decide(what).accepted
            if not accepted:
                with pytest.raises(SordinoError):
                    joint.with_query("refused", what, pending=how)
                continue
            name = f"q{len(asked)}"
            joint = joint.with_query(name, what, pending=how)
            asked[name] = what, None
        elif step == "deliver" and joint.open_names:
            name = joint.open_names[what % len(joint.open_names)]
            code = how % asked[name][0].outputs
            joint = joint.with_answer(name, code)
            asked[name] = asked[name][0], code
        worst = worst_loss(3, changes, list(asked.values()))
        assert worst <= bound + 1e-9
        assert worst <= joint.spent + 1e-9
    joint = decode(encode(joint))
    # Once all are delivered, the loss is that of their order of acceptance, and nothing is kept beside it.
    for name in joint.open_names:
        joint = joint.with_answer(name, 0)
        asked[name] = asked[name][0], 0
    assert joint.spent == pytest.approx(worst_loss(3, changes, list(asked.values())), abs=1e-9)
    assert joint.queue == joint.before == ()


def test_an_answer_that_arrives_late_is_no_change_back():
    """Red, then twice green is one change; as they arrive, green, red, green would be two, and no history of one."""
    joint = JointFilter.of(BayesianFilter(TWO, LDP("ln 30"), changes=1))
    for name in "abc":
        joint = joint.with_query(name, COIN, pending=True)
    joint = joint.with_answer("b", 1).with_answer("a", 0).with_answer("c", 1)
    assert joint.spent == pytest.approx(math.log(27))


def test_beside_answers_that_arrived_before_an_open_one_the_most_of_it_counts():
    """As if it came last, the open answer would tell histories apart by a factor of 40.5; as it was asked, by 108."""
    four = Categories(["a", "b", "c", "d"])
    low, high = ChannelTable([[4, 1], [1, 4], [3, 2], [2, 3]]), ChannelTable([[2, 2], [2, 2], [3, 1], [1, 3]])
    either = ChannelTable([[3, 1], [1, 3], [3, 1], [1, 3]])
    asked = [(high, 0), (high, None), (low, 0), (either, None)]
    assert worst_loss(4, 1, asked) == pytest.approx(math.log(108))
    assert worst_loss(4, 1, [asked[0], *asked[2:], asked[1]]) == pytest.approx(math.log(40.5))
    joint = JointFilter.of(BayesianFilter(four, LDP("ln 60"), changes=1)).with_query("first", high)
    joint = joint.with_answer("first", 0).with_query("open", high, pending=True)
    joint = joint.with_query("second", low, pending=True).with_answer("second", 0)
    assert not joint.decide(either).accepted
    assert joint.decide(RandomizedResponse(4, "0.1")).accepted


@pytest.mark.parametrize("changes", [0, 2])
def test_an_impossible_answer_is_refused_wherever_it_stands(changes):
    """Code 2 comes from value 2 only, and code 0 from another one."""
    sure = ChannelTable([[1, 0, 0], [1, 0, 0], [0, 0, 1]])
    start = BayesianFilter(THREE, LDP("1"), changes=changes).with_answer(COIN_OF_THREE, 1)
    joint = JointFilter.of(start)
    joint = joint.with_query("p", RandomizedResponse(3, "0.1"), pending=True)
    with pytest.raises(SordinoError, match="one of a query that is out"):
        joint.with_answer("q", 2)
    assert not joint.decide(sure).accepted
    assert joint.with_answer("p", 2).is_exact


COIN_OF_THREE = RandomizedResponse(3, "0.2")
