"""Algorithm 1: a function of the transcript against a filter, on every kind of domain."""

import pytest

from sordino import (
    LDP,
    ApproximateFilter,
    BayesianFilter,
    Box,
    Categories,
    CoordinateDP,
    LinearQuery,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    Value,
    Values,
)
from sordino.papers.bayesian_filter.interaction import answers, interact
from sordino.papers.simulation import SimulationSource

TWO = Categories(["no", "yes"])
PAIR = Record({"first": TWO, "second": Categories(["a", "b", "c"])})


def test_the_transcript_is_all_that_the_adversary_sees():
    coin, seen = RandomizedResponse(2, "0.5"), []

    def adversary(protected, transcript):
        seen.append(transcript)
        return coin if protected.accepts(coin) else None

    done = interact(BayesianFilter(TWO, LDP("1")), adversary, answers(TWO, 1, SimulationSource(3)))
    assert [len(transcript) for transcript in seen] == list(range(len(done.transcript) + 1))
    assert done.transcript[:-1] == seen[-2]
    assert done.refused is None
    again = BayesianFilter(TWO, LDP("1"))
    for query, output in done.transcript:
        again = again.after(query, output)
    assert again.spent == done.filter.spent == pytest.approx(1.0)


def test_a_refused_query_ends_it_and_draws_nothing():
    drawn = []
    done = interact(BayesianFilter(TWO, LDP("1")), lambda *_: RandomizedResponse(2, "2"), drawn.append)
    assert (done.transcript, done.refused.k, drawn) == ((), 2, [])


def test_every_domain_and_filter_takes_part():
    first = Query(Value("first"), RandomizedResponse(2, "20"))
    both = Query(Values("second", "first"), RandomizedResponse(6, "20"))
    whole = RandomizedResponse(6, "20")
    asked = BayesianFilter(PAIR, LDP("100"))
    plan = [first, both, whole]
    answer = answers(PAIR, [1, 2], SimulationSource(1))
    done = interact(asked, lambda _, seen: plan[len(seen)] if len(seen) < 3 else None, answer)
    assert [output for _, output in done.transcript] == [1, 5, 5]
    mean = LinearQuery([1.0, 0.0], 0, -1, 1, "0.2")
    box = Box([-1, -1], [1, 1])
    done = interact(BayesianFilter(box, LDP("1")), lambda *_: mean, answers(box, [0.5, 0.0], SimulationSource(2)))
    assert len(done.transcript) >= 5
    assert done.refused is mean
    coin = RandomizedResponse(2, "0.1")
    done = interact(ApproximateFilter("1", "1e-6", TWO), lambda *_: coin, answers(TWO, 0), most=7)
    assert len(done.transcript) == 7
    coordinate = BayesianFilter(PAIR, CoordinateDP(["1", "0"]))
    done = interact(coordinate, lambda *_: Query(Value("second"), RandomizedResponse(3, "0.1")), answer)
    assert done.transcript == ()


def test_what_cannot_be_answered():
    with pytest.raises(SordinoError, match="channel"):
        answers(TWO, 0)("age")
    with pytest.raises(SordinoError, match="index of one of 2 values"):
        answers(TWO, 2)(RandomizedResponse(2, "1"))
