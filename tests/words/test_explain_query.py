"""What one answer to a query can reveal, in words: each factor against the laws of all codes given all records."""

import math
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from enumerated import QUERIES, laws_of
from in_one import in_one
from sordino import (
    Blockwise,
    ChannelTable,
    CompleteCase,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    Interval,
    LinearQuery,
    LogisticQuery,
    Number,
    OptionalNumber,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Sampled,
    SubsetSelection,
    Together,
    TruncatedLinearQuery,
    Value,
    Values,
    WindowResponse,
    explain,
)
from sordino.domain.bins import Bins
from sordino.query.bin import Bin
from sordino.query.categorical import BinaryProduct, CategoryAndSign, TwoCategories
from sordino.query.statistic import Statistic, attribute_list

COIN, NONE = RandomizedResponse(2, "1"), float("nan")
NUMBERS = sorted({*np.linspace(-1, 1, 3).tolist(), *np.linspace(-1, 1, 4).tolist(), *np.linspace(-1, 1, 5).tolist()})
RESPONSES = [
    lambda k: RandomizedResponse(k, "ln 3"),
    lambda k: HadamardResponse(k, "1"),
    lambda k: SubsetSelection(k, "1/2"),
    lambda k: ProjectiveResponse(k, "2"),
    lambda k: CyclicSubsets(k, "1"),
    lambda k: WindowResponse(k, "1", 2),
    lambda k: ChannelTable([[1 + value, 2 * k - value] for value in range(k)]),
]


def category(value):
    """A category as a record of numbers holds it."""
    return value / 2**20


def stated(lines):
    """The factor about records."""
    (found,) = re.findall(
        r"one report changes the odds .* by a factor of at most ([\d.,]*\d(?:e[+]\d+)?)\.", "\n".join(lines)
    )
    return float(found.replace(",", ""))


def of_attributes(lines):
    """The factor about each attribute for somebody who knows all others, by its name in words."""
    found = [line for line in lines if line.startswith("For somebody who already knows")]
    factors = {}
    for text in found:
        for each in text.removesuffix(".").split("is at most ")[1].split("; "):
            number, names = each.split(" for ")
            for name in re.split(", | and ", names.removeprefix("attributes ").removeprefix("attribute ")):
                factors[name.strip("'")] = float(number.replace(",", ""))
    return factors


def largest(laws):
    """By how much a code is likelier for one of some records than for another."""
    return max(float(max(code) / min(code)) if min(code) else math.inf for code in zip(*laws, strict=True) if any(code))


def rounded_up(number, exact):
    """Whether a printed number is the exact one, upwards by a hundredth or three digits at most."""
    return exact * (1 - 1e-9) <= number <= exact * (1 + 1e-9) + max(0.01, exact / 100 if exact > 10**6 else 0)


def record_laws(asked, d):
    """The law of every record of points."""
    return {record: laws_of(asked, record) for record in product(NUMBERS, repeat=d)}


def known_others(laws, place):
    """The most for somebody who knows all of a record but the number at a place."""
    groups = {}
    for record, law in laws.items():
        groups.setdefault(record[:place] + record[place + 1 :], []).append(law)
    return max(map(largest, groups.values()))


@in_one("name", QUERIES)
def test_factors_of_queries_about_numbers_are_those_of_all_their_records(name):
    asked, lines = QUERIES[name], explain(QUERIES[name])
    queries = asked.queries if isinstance(asked, Sampled | Together) else (asked,)
    d = max(query.d if isinstance(query, Together) else query.number.d for query in queries)
    laws = record_laws(asked, d)
    assert rounded_up(stated(lines), largest(laws.values()))
    read = {place: exact for place in range(d) if (exact := known_others(laws, place)) > 1}
    assert {int(place) for place in of_attributes(lines)} == (set(read) if len(read) > 1 else set())
    for place, factor in of_attributes(lines).items():
        assert rounded_up(factor, read[int(place)])


@in_one("response", RESPONSES)
@in_one("k", (2, 3, 6, 8))
def test_factors_of_values_are_the_largest_ratios_of_weights(k, response):
    mechanism = response(k)
    weights = [[mechanism.weight(value, code) for code in range(mechanism.outputs)] for value in range(k)]
    exact = largest([[Fraction(weight) for weight in row] for row in weights])
    assert rounded_up(stated(explain(Query(Value("x"), mechanism))), exact)
    both = explain(Query(Values("x", "y"), mechanism))
    assert rounded_up(stated(both), exact)
    # Nobody knows how many values each of them has: of each at most what is revealed of both.
    assert of_attributes(both) == {"x": stated(both), "y": stated(both)}


@in_one("response", RESPONSES[:5])
@in_one(
    "statistic, values",
    [
        (OptionalNumber(0, 3), [(*NUMBERS, NONE)]),
        (CompleteCase(Number(0), (0, 1)), [(*NUMBERS, NONE)] * 2),
        (CompleteCase(Number(0), (1,)), [NUMBERS, (-1.0, NONE)]),
        (TwoCategories(0, 2, 1, 3), [tuple(map(category, range(2))), tuple(map(category, range(3)))]),
        (CategoryAndSign(1, 3, 0), [NUMBERS, tuple(map(category, range(3)))]),
        (BinaryProduct(0, 1, 1), [tuple(map(category, range(2))), NUMBERS]),
        (BinaryProduct(0, 1, 2), [tuple(map(category, range(2)))] * 2),
    ],
)
def test_factors_of_other_statistics_are_those_of_all_their_records(statistic, values, response):
    query = Query(statistic, response(statistic.k))
    laws = {record: query.law(record) for record in product(*values)}
    lines = explain(query)
    assert rounded_up(stated(lines), largest(laws.values()))
    for place, factor in of_attributes(lines).items():
        exact = known_others(laws, int(place))
        assert rounded_up(factor, exact) or (isinstance(statistic, CompleteCase) and factor == stated(lines) >= exact)


@in_one(
    "query, ends",
    [
        (LinearQuery([1.0, -2.0], 0, -3, 3, "1"), ([-1, 1], [1, -1])),
        (LinearQuery([1.0, 0.0], 0, -1, 1, "ln 3"), ([-1, 0], [1, 0])),
        (TruncatedLinearQuery([3.0, 1.0], 0, -1, 1, "2"), ([-1, 0], [1, 0])),
        (LogisticQuery([60.0, 1.0], 0, "1/2"), ([-1, 0], [1, 0])),
    ],
)
def test_factors_of_models_are_those_of_their_ends(query, ends):
    lines = explain(query)
    assert rounded_up(stated(lines), largest([query.law(end) for end in ends]))
    assert ("attributes 0 and 1" in lines[0]) == bool(query.model.theta[1])


@in_one("query", [*QUERIES.values(), Query(TwoCategories(0, 2, 1, 3), ChannelTable(np.eye(6, dtype=int) + 1))])
def test_the_tightest_case_is_as_tight_as_is_said(query):
    parts = query.queries if isinstance(query, Sampled | Together) else (query,)
    flat = [part for each in parts for part in (each.queries if isinstance(each, Together) else (each,))]
    lines = [line for line in explain(query) if line.startswith("Tightest case")]
    assert lines
    for line in lines:
        code, factor, one, two = re.search(
            r"code (\d+) is at most (\S+) times as probable for (.*) as for (.*)\.$", line
        ).groups()
        held = []
        for part in flat:
            names = [part.statistic.label(value) for value in range(part.mechanism.k)]
            if one in names and two in names and int(code) < part.mechanism.outputs:
                most, least = (part.mechanism.weight(names.index(name), int(code)) for name in (one, two))
                held.append(rounded_up(float(factor.replace(",", "")), float(Fraction(most, least))))
        assert any(held)


def test_what_rules_a_value_out_is_said_to_have_no_limit():
    for mechanism in (Blockwise([0, 0, 1], "1"), HighLow(5, [1], "1"), ChannelTable([[1, 0, 1], [0, 1, 1]])):
        lines = explain(Query(Value("x"), mechanism))
        assert not any("by a factor" in line for line in lines)
        (case,) = [line for line in lines if line.startswith("Tightest case")]
        code, value, other = map(
            int, re.search(r"code (\d+) can be sent for value (\d+) and never for value (\d+)", case).groups()
        )
        assert mechanism.weight(value, code) > 0 == mechanism.weight(other, code)
    mixed = Sampled(
        (Query(Value("x"), Blockwise([0, 0, 1], "1")), Query(Value("y"), RandomizedResponse(3, "ln 3"))), (1, 2)
    )
    text = " ".join(explain(mixed))
    assert "Questions that protect all their answers change odds by a factor of at most 3." in text
    assert "Tightest case, about 'x'" in text


def test_what_depends_on_no_value_reveals_nothing():
    lines = explain(Query(Value("x"), ChannelTable([[1, 2], [1, 2]])))
    assert lines[1].startswith("A report reveals nothing")
    assert not any("Tightest" in line or "people are needed" in line for line in lines)
    assert explain(Query(Value("x"), RandomizedResponse(1, "1")))[1].startswith("A report reveals nothing")


def test_who_is_asked_what_is_said_with_its_share():
    lines = explain(
        Sampled((Query(Value("x"), COIN), Query(Bin("y", Bins.equal(Interval(0, 8), 2), missing=False), COIN)), (1, 3))
    )
    assert lines[:3] == (
        "Each person is randomly assigned one of 2 questions, whatever their answers are; the report shows which one.",
        "About 25 % are asked for 'x'.",
        "About 75 % are asked for 'y', in which of 2 bins it lies.",
    )
    nested = Sampled(
        (Sampled((Query(Value("x"), COIN), Query(Value("y"), COIN)), (1, 1)), Query(Value("z"), COIN)), (1, 1)
    )
    assert explain(nested)[1:4] == (
        "About 25 % are asked for 'x'.",
        "About 25 % are asked for 'y'.",
        "About 50 % are asked for 'z'.",
    )
    many = Sampled(tuple(Query(Value(f"x{i}"), COIN) for i in range(20)), (1,) * 20)
    assert "The other 12 questions are not listed here." in explain(many)


def test_people_are_enough_for_shares_within_five_points():
    mechanism = RandomizedResponse(2, "ln 3")
    (line,) = [line for line in explain(Query(Value("x"), mechanism)) if "people are needed" in line]
    # The variance of a share of one person, with even shares: a quarter over the square of 3/4 - 1/4.
    exact = (1.96 / 0.05) ** 2 * 0.25 / 0.5**2
    people = int(re.search(r"About ([\d,]+) people", line).group(1).replace(",", ""))
    assert people == pytest.approx(exact, rel=0.05)


def test_every_statistic_has_words():
    def below(kind):
        return {kind, *(found for one in kind.__subclasses__() for found in below(one))}

    concrete = [kind for kind in below(Statistic) if not kind.__abstractmethods__]
    assert len(concrete) >= 12
    for kind in concrete:
        # A statistic of values knows no value by name; all others name theirs.
        assert kind.description is not Statistic.description
        assert kind.label is not Statistic.label or issubclass(kind, Values)


def test_attributes_are_listed_by_name_or_place():
    assert attribute_list([0]) == "attribute 0"
    assert attribute_list(["a", 1]) == "'a' and attribute 1"
    assert attribute_list(range(6)) == "attributes 0, 1, 2, 3, 4 and 5"
