"""A number in bins beside others in a table: what is read of a person, what is promised, and what is estimated."""

import itertools
import json
import math
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from in_one import in_one
from sordino import Plan, SordinoErrors, Survey, aggregate, certify, estimate, explain, privatize
from sordino.errors import DamagedError
from sordino.survey.answering.drawn_query import all_queries
from sordino.survey.planning.questions_for_sample import statistics_of

EDGES = [0, 18.5, 40, 100]
AGE = {"number": {"low": 0, "high": 100, "edges": EDGES}}
TOWNS = {"categories": ["a", "b"]}


def survey(attributes, *asks, epsilon="1", **settings):
    return Survey.read({"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": list(asks), **settings})


def plan(attributes, *asks, people=1000, **settings):
    return Plan.of(survey(attributes, *asks, **settings), people)


def bin_of(number):
    """The last bin that does not begin above a number: by the word of the plan's format."""
    return max(i for i, start in enumerate(EDGES[:-1]) if number >= start)


def channel(question):
    """The probability of each code that some cell can send, shape (cells, codes), from the mechanism's weights."""
    own = question.mechanism
    weights = np.array([[float(own.weight(cell, code)) for code in range(own.outputs)] for cell in range(own.k)])
    return weights[:, weights.any(axis=0)] / weights.sum(axis=1, keepdims=True)


def largest_ratio(table, pairs):
    """The largest log ratio of two cells' probabilities of a code that one of them can send."""
    found = 0.0
    for one, other in pairs:
        sent = table[one] > 0
        its, others = table[one][sent], table[other][sent]
        found = max(found, float(np.log(its / others).max()) if others.all() else math.inf)
    return found


NUMBERS = (0, 18.499999999999996, 18.5, 39.9, 40, 99.9, 100)


@pytest.mark.parametrize("order", [("age", "town"), ("town", "age")])
def test_a_cell_is_a_bin_with_a_value(order):
    """Each number and category, by brute force."""
    made = plan({"age": {**AGE, "protect": {"epsilon": "1/2"}}, "town": TOWNS}, {"table": list(order)})
    (question,) = made.questions
    for number, town in itertools.product(NUMBERS, (0, 1)):
        values = {"age": bin_of(number), "town": town}
        sizes = {"age": 3, "town": 2}
        expected = values[order[0]] * sizes[order[1]] + values[order[1]]
        found = question.column({"age": np.array([number], dtype=float), "town": np.array([town])})
        assert found.tolist() == [expected]
        label = {"age": ["0 to 18.5", "18.5 to 40", "40 to 100"][values["age"]], "town": "ab"[town]}
        assert question.labels(expected) == [label[name] for name in order]
    assert made.document.attributes["age"].number.edges == EDGES


def test_who_lacks_the_number_is_in_the_bin_after_all_others():
    attributes = {"age": {**AGE, "missing": "0.25", "protect": {"epsilon": "1"}}, "town": TOWNS}
    made = plan(attributes, {"table": ["age", "town"]})
    (question,) = made.questions
    found = question.column({"age": np.array([math.nan, 100.0, 0.0]), "town": np.array([1, 0, 1])})
    assert (found.tolist(), question.domain.k) == ([7, 4, 1], 8)
    assert question.labels(7) == ["missing", "b"]
    # That it is missing is a value of its own; nothing counts as the share that is expected to lack it.
    assert not any("0.25" in line for line in question.notes)


def test_a_number_beyond_its_ends_lies_in_the_bin_at_that_end():
    clipped = {"number": {**AGE["number"], "clip": True}, "protect": {"epsilon": "1"}}
    (question,) = plan({"age": clipped, "town": TOWNS}, {"table": ["age", "town"]}).questions
    assert question.column({"age": np.array([-5.0, 1e9]), "town": np.array([0, 1])}).tolist() == [0, 5]


PROMISES = [
    # What the number and the town have; what may lie between two cells that differ in the number, the town, both.
    ("1/2", {"epsilon": "2"}, (0.5, 0.5, 0.5)),
    ("2", {"epsilon": "1/2"}, (0.5, 0.5, 0.5)),
    ("1", {"sensitive": ["a"]}, (1, 1, 1)),
    ("1", {"blocks": [["a", "b"], ["c", "d"]]}, (1, None, None)),
    ("1/2", {"matrix": [["0" if x == y else "1" for y in range(4)] for x in range(4)]}, (0.5, 1, 1)),
]


@in_one("own, other, bounds", PROMISES)
def test_a_table_keeps_what_is_promised_of_each_of_its_attributes(own, other, bounds):
    """The dense channel over all cells, against what is promised of the values in which they differ."""
    town = {"categories": ["a", "b", "c", "d"], "protect": other}
    made = plan({"age": {**AGE, "protect": {"epsilon": own}}, "town": town}, {"table": ["age", "town"]})
    assert made.promise is None
    (question,) = made.questions
    assert certify(made).holds
    table, cells = channel(question), list(itertools.product(range(3), range(4)))
    kinds = {0: [], 1: [], 2: []}
    for (x, one), (y, two) in itertools.permutations(enumerate(cells), 2):
        kind = 2 if one[0] != two[0] and one[1] != two[1] else int(one[0] == two[0])
        if other.get("blocks") is None or {one[1] < 2, two[1] < 2} != {True, False}:
            kinds[kind].append((x, y))
    for kind, bound in enumerate(bounds):
        most = 1 if bound is None else bound
        assert largest_ratio(table, kinds[kind]) <= most * (1 + 1e-12)
    assert largest_ratio(table, kinds[0]) >= 0.98 * bounds[0]
    assert question.certificate.holds


DELTAS = {"age": {**AGE, "delta": "1/2"}, "town": {**TOWNS, "delta": "2"}, "drugs": {"categories": 3, "delta": "1/4"}}


@pytest.mark.parametrize("rest", [None, 0.1, 0.9])
def test_deltas_hold_for_every_belief_within_the_bounds(rest):
    """Of what a table reads its own channel counts; of another attribute three laws of cells, whatever they are."""
    known = {} if rest is None else {"dependence": {"rest": {"drugs": rest}}}
    made = plan(DELTAS, {"table": ["age", "town"]}, {"histogram": "drugs"}, epsilon="3", **known)
    question = made.questions[0]
    table, q = channel(question), 1.0 if rest is None else rest
    pairs = list(itertools.permutations(range(6), 2))
    assert largest_ratio(table, pairs) <= 0.5 * (1 + 1e-12)
    # All beliefs agree on a part 1 - q of the people; extremes are those in which each law is one cell.
    worst = max(
        float(np.log(((1 - q) * table[r] + q * table[a]) / ((1 - q) * table[r] + q * table[b])).max())
        for r, (a, b) in itertools.product(range(6), pairs)
    )
    assert worst <= 0.25 * (1 + 1e-12)
    assert min(0.5 - largest_ratio(table, pairs), 0.25 - worst) <= 0.01
    assert certify(made).holds


def test_no_bound_of_categories_or_products_serves_a_table_with_a_number():
    made = plan(DELTAS, {"table": ["age", "town"]}, {"table": ["town", "drugs"]}, epsilon="3")
    ((binned,),), ((counted,),) = (question.types for question in made.questions)
    assert (binned.table, binned.linear, binned.pieces) == (False, False, 0)
    assert counted.table
    assert list(statistics_of(survey(DELTAS, {"table": ["age", "town"]}, epsilon="3"))) == []


def test_estimates_are_unbiased():
    """The expected tally of the dense channel, for people of whom each cell has another share, gives these shares."""
    made = plan({"age": {**AGE, "protect": {"epsilon": "1"}}, "town": TOWNS}, {"table": ["age", "town"]}, epsilon="3")
    numbers = np.repeat([3.0, 18.5, 25.0, 99.0, 40.0, 17.0], [100, 300, 200, 900, 600, 900])
    towns = np.repeat([0, 1, 1, 0, 1, 1], [100, 300, 200, 900, 600, 900])
    cells = np.bincount([bin_of(x) * 2 + t for x, t in zip(numbers, towns, strict=True)], minlength=6) / 3000
    people = pa.table({"age": numbers.tolist(), "town": ["ab"[t] for t in towns]})
    found = np.zeros(6)
    for _ in range(20):
        told = estimate(made, aggregate(made, privatize(made, people)))
        rows = list(told.results[0].rows())
        found += np.array([row["estimate"] for row in rows]) / 20
        stderr = np.array([row["stderr"] for row in rows])
    assert (abs(found - cells) < 6 * stderr / math.sqrt(20)).all()
    assert [row["value"] for row in rows][:2] == [["0 to 18.5", "a"], ["0 to 18.5", "b"]]


def test_a_scale_and_dates_are_named_as_people_read_them():
    day = {"number": {"low": date(2024, 1, 1), "high": date(2026, 1, 1), "bins": 2}, "input": "date"}
    attributes = {"likes": {"scale": [0, 2]}, "born": day, "town": {**TOWNS, "protect": {"epsilon": "1"}}}
    made = plan(attributes, {"table": ["likes", "town"]}, {"crosstab": ["born", "likes"]})
    first, second = made.questions
    assert [first.labels(2 * i)[0] for i in range(3)] == ["0", "1", "2"]
    assert second.labels(0) == ["2024-01-01 to 2024-12-31", "0"]
    unit = {"number": {**AGE["number"]}, "unit": "years", "protect": {"epsilon": "1"}}
    (question,) = plan({"age": unit, "town": TOWNS}, {"table": ["age", "town"]}).questions
    assert question.title == "age (years), town"


def test_a_forecast_knows_what_is_expected_of_bins():
    age = {**AGE, "missing": "0.2", "expected": [0.5, 0.3, 0.2], "protect": {"epsilon": "1"}}
    town = {**TOWNS, "expected": {"a": 0.25, "b": 0.75}}
    (question,) = plan({"age": age, "town": town}, {"table": ["age", "town"]}).questions
    known = np.outer([0.4, 0.24, 0.16, 0.2], [0.25, 0.75]).ravel()
    assert question.expected_people == pytest.approx(known, abs=1e-8)


WRONG = [
    (
        {"low": 0, "high": 99},
        "must have 2 to 512 bins; found 'age' without bins: write bins = 5 at attribute.age.number",
    ),
    ({"low": 0, "high": 99, "bins": 600}, "must have 2 to 512 bins; found 600 of 'age'"),
    ({"low": 0, "high": 10, "bins": 10}, "bins of a whole-number scale must go from half to half"),
    ({"low": 0, "high": 10, "edges": [0, 6, 10]}, "edges of a whole-number scale must lie between its values"),
]


@in_one("number, words", WRONG)
def test_bins_that_no_table_can_have_are_refused_with_what_to_write(number, words):
    with pytest.raises(SordinoErrors) as caught:
        survey({"age": {"number": number}, "town": TOWNS}, {"table": ["age", "town"]})
    assert words in str(caught.value)


def test_edges_stand_where_a_table_counts_by_them_alone():
    attributes = {"age": {**AGE, "protect": {"epsilon": "1"}}, "town": TOWNS}
    made = plan(attributes, {"mean": "age"}, {"distribution": "age"}, {"histogram": "town"})
    assert "edges" not in json.loads(made.bytes)["attributes"]["age"]["number"]
    assert made.attributes["age"].bins is None


def test_a_plan_whose_edges_were_changed_is_refused():
    made = plan({"age": {**AGE, "protect": {"epsilon": "1"}}, "town": TOWNS}, {"table": ["age", "town"]})
    with pytest.raises(DamagedError):
        Plan.of_text(made.bytes.decode().replace("18.5", "19.5"), "the plan")


def test_a_filter_counts_a_table_with_a_number_at_its_epsilon():
    made = plan({"age": {**AGE, "protect": {"epsilon": "1"}}, "town": TOWNS}, {"table": ["age", "town"]})
    (query,) = all_queries(made)
    ((reading, mechanism),) = query.filter_query.parts
    assert (reading.names, reading.k, mechanism.k) == (("age", "town"), 6, 6)


def test_what_is_asked_stands_in_the_explanation():
    made = plan({"age": {**AGE, "protect": {"epsilon": "1"}}, "town": TOWNS}, {"table": ["age", "town"]})
    assert any("'age' and 'town' together, one of 6 combinations" in line for line in explain(made))
