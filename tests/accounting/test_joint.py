"""Open answers: a query is accepted just where it is accepted however they turn out; by all ways, one by one."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import LDP, BayesianFilter, Box, LinearQuery, SordinoError
from sordino.accounting.joint import JointFilter

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
    monkeypatch.setattr("sordino.accounting.joint.MOST_WAYS", most)
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
