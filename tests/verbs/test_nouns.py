"""The verbs for every noun: mechanisms and arrays, queries, and whatever makes no sense, refused with the next step."""

import itertools
import json

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from in_one import in_one
from sordino import (
    LDP,
    BlockLDP,
    Categories,
    CoordinateDP,
    Dependence,
    KeyedSource,
    LinearQuery,
    Number,
    Plan,
    Query,
    RandomizedResponse,
    Record,
    Sampled,
    SordinoError,
    Survey,
    SystemSource,
    Together,
    Value,
    WindowResponse,
    aggregate,
    certify,
    estimate,
    explain,
    plan,
    privatize,
    sampled_mean,
)
from sordino.survey.planning.plan_fields import seal

KEY = bytes(range(32))
ONE_BIT = Query(Number(0), RandomizedResponse(2, "1"))
RESPONSE = RandomizedResponse(3, "1")
BOX_QUESTION = LinearQuery([1.0, 1.0], 0, -2, 2, "1")
BOTH = Together((ONE_BIT, Query(Number(1, 3), WindowResponse(3, "2"))))
ALL = Sampled((Query(Value("a"), RESPONSE), Query(Number(0), RandomizedResponse(2, "2"))), (1, 1))


def test_a_mechanism_and_arrays():
    codes = privatize(RESPONSE, [0, 1, 2] * 1000)
    tally = aggregate(RESPONSE, codes, codes[:0])
    assert np.array_equal(tally.counts, RESPONSE.tally(codes).counts)
    assert np.array_equal(aggregate(RESPONSE, tally, codes).counts, 2 * tally.counts)
    assert estimate(RESPONSE, tally, "unbiased").fitted is None
    assert certify(RESPONSE, LDP("1")).holds
    assert not certify(RESPONSE, LDP("0.5")).holds
    query = Query(Value("x"), RESPONSE)
    assert np.array_equal(estimate(query, tally).value, estimate(RESPONSE, tally).value)
    assert certify(query, LDP("1")) == certify(RESPONSE, LDP("1"))
    source = KeyedSource(KEY, "t").for_records([5, 6])
    assert np.array_equal(privatize(RESPONSE, [0, 1], source), RESPONSE.privatize([0, 1], source))


def test_channels_from_numbers_have_means_and_a_verdict():
    channel = sampled_mean(["0.5", 2], 2, Dependence.bounded(["0.1", "0.1"]))
    numbers = np.random.default_rng(1).uniform(-1, 1, (20_000, 2))
    found = estimate(channel, aggregate(channel, privatize(channel, numbers)))
    low, high = found.interval(0.999999)
    assert np.all((low < numbers.mean(axis=0)) & (numbers.mean(axis=0) < high))
    assert found.stderr.shape == (2,)
    assert certify(channel, LDP(2)).holds
    assert not certify(channel, LDP("0.4")).holds
    assert certify(Query(Number(0), RandomizedResponse(2, "ln 3")), LDP("ln 3")).slack.sign() >= 0


def test_queries_that_are_answered_together_have_means_and_a_verdict():
    numbers = np.random.default_rng(1).uniform(-1, 1, (20_000, 2))
    for asked in (BOTH, Sampled((BOTH, ONE_BIT), (1, 1))):
        codes = privatize(asked, numbers)
        found = estimate(asked, aggregate(asked, codes[:9_000], codes[9_000:]))
        low, high = found.interval(0.999999)
        assert np.all((low < numbers.mean(axis=0)) & (numbers.mean(axis=0) < high))
        assert certify(asked, LDP(3)).holds
        assert not certify(asked, LDP("2.9")).holds


def test_one_bit_questions_have_a_mean():
    records = np.random.default_rng(2).uniform(-1, 1, (20_000, 2))
    found = estimate(BOX_QUESTION, aggregate(BOX_QUESTION, privatize(BOX_QUESTION, records)))
    low, high = found.interval(0.999999)
    assert low < records.sum(axis=1).mean() < high
    assert found.value.shape == found.stderr.shape == ()
    assert found.n == 20_000
    assert certify(BOX_QUESTION, LDP("1")).holds
    assert not certify(BOX_QUESTION, LDP("0.999")).holds


def test_several_queries_are_estimated_each():
    codes = privatize(ALL, [[0, 1, 2] * 1000, [0.5] * 3000])
    shares, mean = estimate(ALL, aggregate(ALL, codes))
    assert shares.value.shape == (3,)
    assert abs(mean.value[0] - 0.5) < 6 * mean.stderr[0]
    assert shares.n + mean.n == 3000


ASKED = Query(Value("x"), RESPONSE)
SURVEY = Survey.read({"version": 1, "epsilon": "1", "attribute": {"x": {"categories": 3}}, "ask": [{"histogram": "x"}]})
REFUSED = {
    "codes for a tally": (lambda: estimate(RESPONSE, np.array([0, 1])), "tally the reports first"),
    "codes for a tally of numbers": (lambda: estimate(ONE_BIT, np.array([0, 1])), "tally the reports first"),
    "another's tally": (lambda: estimate(ONE_BIT, RESPONSE.tally([0])), "mechanism|tally|channel"),
    "a method for means": (
        lambda: estimate(ONE_BIT, ONE_BIT.tally([0]), "simplex"),
        "methods and totals are of shares",
    ),
    "another definition of numbers": (
        lambda: certify(ONE_BIT, BlockLDP([0, 0], "1")),
        "plans promise deltas",
    ),
    "another definition of two": (lambda: certify(BOTH, CoordinateDP(["1"])), "checked against LDP"),
    "a method for two means": (
        lambda: estimate(BOTH, BOTH.tally([0, 1]), "simplex"),
        "methods and totals are of shares",
    ),
    "one of two's tally": (lambda: estimate(BOTH, ONE_BIT.tally([0, 1])), "a tally must be of the queries"),
    "one number of two": (lambda: privatize(BOTH, [0.5, 0.5]), "rows of 2 numbers"),
    "no definition": (lambda: certify(RESPONSE), "give one after it"),
    "a model under coordinates": (lambda: certify(BOX_QUESTION, CoordinateDP(["1", "1"])), "checked against LDP"),
    "several queries": (lambda: certify(ALL, BlockLDP([0, 0], "1")), "certify the mechanism of the query"),
    "a query under blocks": (lambda: certify(ASKED, BlockLDP([0, 0, 1], "1")), "certify the mechanism of the query"),
    "one column for several queries": (lambda: privatize(ALL, np.array([0, 1])), "for each query"),
    "coordinates of numbers": (lambda: certify(ONE_BIT, CoordinateDP(["1"])), "checked against LDP"),
    "a survey to certify": (lambda: certify(SURVEY), "freeze it first"),
    "a survey to explain": (lambda: explain(SURVEY), "freeze it first"),
    "a survey to privatize": (lambda: privatize(SURVEY, pa.table({"x": [0]})), "freeze it first"),
    "a survey to estimate": (lambda: estimate(SURVEY, RESPONSE.tally([0])), "freeze it first"),
    "tables to aggregate": (lambda: aggregate({"version": 1}, [0]), "freeze it first"),
    "a plan of a plan": (lambda: plan(Plan.of(SURVEY, 10), 10), "a survey must be given"),
    "a definition of a plan": (lambda: certify(Plan.of(SURVEY, 10), LDP("1")), "leave the definition out"),
    "a list of people": (lambda: privatize(Plan.of(SURVEY, 10), [0, 1]), "give a pandas, polars or pyarrow frame"),
    "a class of frames": (
        lambda: privatize(Plan.of(SURVEY, 10), pl.DataFrame),
        "give a pandas, polars or pyarrow frame",
    ),
    "records of a source": (
        lambda: privatize(Plan.of(SURVEY, 10), pa.table({"x": [0]}), KeyedSource(KEY, "t").for_records([1])),
        r"give KeyedSource\(key, task\) itself",
    ),
    "a source without ids": (
        lambda: privatize(Plan.of(SURVEY, 10), pa.table({"x": [0]}), KeyedSource(KEY, "t")),
        "a key needs the ids",
    ),
    "a keyed source of values": (lambda: privatize(RESPONSE, [0], KeyedSource(KEY, "t")), r"for_records\(ids\)"),
    "no source": (lambda: privatize(RESPONSE, [0], 3), "random words"),
    "ids of a mechanism": (lambda: privatize(RESPONSE, [0], id_column="x"), "are of plans"),
    "a task without a key": (
        lambda: privatize(Plan.of(SURVEY, 10), pa.table({"x": [0]}), task="t"),
        "a task must have a key",
    ),
    "no reports": (lambda: aggregate(RESPONSE), "give them after the plan"),
    "a record of a question": (lambda: explain(Record({"x": Categories(["a", "b"])})), "can be explained"),
    "levels of another": (lambda: estimate(Number, RESPONSE.tally([0])), "estimate takes a plan or a mechanism"),
}


@in_one("call, step", REFUSED.values())
def test_what_makes_no_sense_is_refused_with_the_next_step(call, step):
    with pytest.raises(SordinoError, match=step):
        call()


PLAN = Plan.of(SURVEY, 1000)
TALLY = RESPONSE.tally([0, 1])
NOUNS = (
    PLAN,
    SURVEY,
    pa.table({"x": [0, 1, 2]}),
    PLAN.sampled.tally([0, 1, 2]),
    TALLY,
    estimate(RESPONSE, TALLY),
    certify(RESPONSE, LDP("1")),
    certify(PLAN),
    RESPONSE,
    ONE_BIT,
    BOX_QUESTION,
    ALL,
    ASKED,
    Value("x"),
    LDP("1"),
    BlockLDP([0, 0, 1], "1"),
    CoordinateDP(["1"]),
    Categories(["a", "b", "c"]),
    Record({"x": Categories(["a", "b", "c"])}),
    Dependence.unknown(2),
    KeyedSource(KEY, "t"),
    SystemSource(),
    SystemSource,
    np.array([0.5, 1.0]),
    None,
)


@pytest.mark.filterwarnings("ignore:.*holds the same counts")
@pytest.mark.parametrize("verb", [plan, privatize, aggregate, estimate, certify])
def test_every_verb_of_every_two_nouns_works_or_is_refused(verb):
    works = 0
    for first, second in itertools.product(NOUNS, NOUNS):
        try:
            verb(first, second)
            works += 1
        except SordinoError as error:
            assert error.rule  # noqa: PT017 - any other error fails the test
    assert works > 0 or verb is plan


@pytest.mark.parametrize("broken", ["v", "v, w"])
def test_each_question_s_verdict_counts_whatever_it_is_called(broken):
    """A plan that is not made of a survey may call two questions alike."""
    attributes = {name: {"categories": ["1", "2"]} for name in ("v", "w", "other")}
    asked = {
        "version": 1,
        "epsilon": "1",
        "attribute": attributes,
        "ask": [{"table": ["v", "w"]}, {"histogram": "other"}],
    }
    content = json.loads(plan(asked, 1000).bytes.decode().replace('"other"', '"v, w"'))
    del content["hash"]
    whole = Plan(seal(content))
    assert certify(whole).holds
    assert list(certify(whole).questions) == ["v, w", "v, w (2)"]
    for name in [broken] if broken == "v, w" else ["v", "w"]:
        content["attributes"][name]["protect"]["epsilon"] = "1/2"
    verdict = certify(Plan(seal(content)))
    assert not verdict.holds
    assert [found.holds for found in verdict.questions.values()] == [broken == "v, w", broken == "v"]
    assert verdict.to_arrow()["holds"].to_pylist() == [broken == "v, w", broken == "v"]
