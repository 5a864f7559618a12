"""Open answers: a query is accepted just where it is accepted however they turn out; by all ways, one by one."""

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    ChannelTable,
    LinearQuery,
    PairwiseLDP,
    RandomizedResponse,
    SordinoError,
)
from sordino.accounting.joint_filter import JointFilter

BOX = Box([-1, 0], [1, 2])


def query(slope, epsilon):
    reach = abs(slope) + 2
    return LinearQuery([slope, 1.0], 0, low=-reach, high=reach, epsilon=str(epsilon))


STEPS = st.lists(
    st.tuples(st.sampled_from([-2, -1, 1, 2]), st.sampled_from([0.1, 0.2, 0.3, 0.5]), st.sampled_from([None, 0, 1])),
    min_size=1,
    max_size=5,
)


@given(STEPS)
def test_a_query_is_accepted_just_where_every_way_accepts_it(steps):
    start = BayesianFilter(BOX, LDP("1"))
    joint, asked, codes = JointFilter.of(start), [], []
    for place, (slope, epsilon, code) in enumerate(steps):
        question = query(slope, epsilon)
        ways = []
        for way in product(*[(0, 1) if code is None else (code,) for code in codes]):
            each = start
            for (_, earlier), answer in zip(asked, way, strict=True):
                each = each.after(earlier, answer)
            ways.append(each)
        decision = joint.decide(question)
        assert decision.accepted == all(way.accepts(question) for way in ways)
        assert joint.spent == max(way.spent for way in ways)
        assert joint.remaining == min(way.remaining for way in ways)
        if not decision.accepted:
            with pytest.raises(SordinoError, match="must be accepted"):
                joint.with_query("refused", question)
            continue
        name = f"q{place}"
        joint = joint.with_query(name, question)
        joint = joint if code is None else joint.with_answer(name, code)
        asked.append((name, question))
        codes.append(code)
    assert joint.open_names == tuple(name for (name, _), code in zip(asked, codes, strict=True) if code is None)


def test_too_many_open_answers_are_refused(monkeypatch):
    most = 64
    monkeypatch.setattr("sordino.accounting.joint_filter.MOST_WAYS", most)
    joint = JointFilter.of(BayesianFilter(BOX, LDP("1")))
    small = query(1, 0.001)
    places = most.bit_length() - 1
    for place in range(places):
        joint = joint.with_query(f"q{place}", small)
    assert len(joint.ways) == most
    with pytest.raises(SordinoError, match="deliver those that wait first"):
        joint.with_query("one more", small)
    assert len(joint.with_answer("q0", 1).with_query("one more", small).ways) == most


@pytest.mark.parametrize(("name", "code"), [("b", 0), ("a", 2), ("a", -1)])
def test_only_an_answer_that_is_open_can_be_delivered(name, code):
    joint = JointFilter.of(BayesianFilter(BOX, LDP("1"))).with_query("a", query(1, 0.1))
    with pytest.raises(SordinoError, match="one of a query that is out"):
        joint.with_answer(name, code)
    with pytest.raises(SordinoError, match="name of its own"):
        joint.with_query("a", query(1, 0.1))


COLOUR = Categories(["red", "green", "blue"])
LONG_STEPS = st.lists(
    st.tuples(
        st.sampled_from([0.1, 0.2, 0.3, 0.4]),
        st.booleans(),
        st.sampled_from([None, 0, 1, 2]),
        st.sampled_from(["keep", "keep", "change"]),
    ),
    min_size=1,
    max_size=6,
)


@given(LONG_STEPS)
def test_pending_answers_keep_the_budget_whatever_they_turn_out_to_be(steps):
    joint, asked = JointFilter.of(BayesianFilter(COLOUR, LDP("1"))), []
    version = 0
    for place, (epsilon, pending, code, change) in enumerate(steps):
        if change == "change":
            joint, version = joint.changed(), version + 1
        question = RandomizedResponse(3, str(epsilon))
        if not joint.decide(question).accepted:
            with pytest.raises(SordinoError):
                joint.with_query("refused", question, pending=pending)
            continue
        joint = joint.with_query(f"q{place}", question, pending=pending)
        if code is not None:
            joint = joint.with_answer(f"q{place}", code)
        asked.append((version, question, code))
        for codes in product(*[range(3) if known is None else (known,) for _, _, known in asked]):
            total = 0.0
            for number in {own for own, _, _ in asked}:
                told = np.zeros(3)
                for (own, given_query, _), answer in zip(asked, codes, strict=True):
                    if own == number:
                        weights = [given_query.weight(value, answer) / given_query.denominator for value in range(3)]
                        told += np.log(weights)
                total += np.ptp(told)
            assert total <= min(joint.spent, 1) + 1e-9
    waiting = [f"q{place}" for place in range(len(steps)) if f"q{place}" in joint.open_names]
    for name in waiting:
        joint = joint.with_answer(name, 0)
    assert joint.open_names == ()


def one_against_all(value):
    """A channel whose code 1 is five times as likely for one value as for the two others."""
    return ChannelTable([[10, 10] if own == value else [18, 2] for own in range(3)])


def test_versions_of_a_record_never_cancel_while_an_answer_waits():
    """What was lost of an earlier version is added to what a later one loses, and they are not looked at together."""
    budget, waiting = LDP("2.4"), RandomizedResponse(3, "0.02")
    for settle in (False, True):
        joint = JointFilter.of(BayesianFilter(COLOUR, budget))
        joint = joint.with_query("w", waiting, pending=True).with_query("p", one_against_all(0), pending=True)
        # About one version both lose at most ln 5 + ln 1.8, since no record is what both ask for.
        assert joint.decide(one_against_all(1)).accepted
        joint = joint.changed()
        joint = joint.with_answer("p", 1) if settle else joint
        assert 2 * log(5) > 2.4
        assert not joint.decide(one_against_all(1)).accepted
        assert joint.decide(RandomizedResponse(3, "0.7")).accepted


def test_of_pairs_with_bounds_of_their_own_versions_add_the_most_of_any():
    promise = PairwiseLDP([["0", "1.01", "1"], ["1", "0", "1"], ["1", "1", "0"]])
    first, second = ChannelTable([[14, 6], [9, 11], [9, 11]]), ChannelTable([[10, 10], [13, 7], [7, 13]])
    assert log(11 / 6) + log(13 / 7) > 1.01
    for pending in (False, True):
        joint = JointFilter.of(BayesianFilter(COLOUR, promise)).with_query("p", first, pending=pending)
        assert joint.decide(second).accepted
        assert not joint.changed().decide(second).accepted
