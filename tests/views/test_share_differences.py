"""Differences of two shares of a question, by name: with the numbers of the estimate, and against what is asked."""

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import Aggregate, SordinoError, SordinoErrors
from sordino.survey.kinds.coverage import Coverage, standard_errors
from sordino.views.share_differences import share_differences

ASKED = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"smoker": {"categories": ["yes", "no"]}, "job": {"categories": ["baker", "clerk", "smith"]}},
    "ask": [{"table": ["smoker", "job"]}],
}
NAME = "smoker, job"


@pytest.fixture(scope="module")
def found():
    plan = sordino.plan(ASKED, 6000)
    people = pa.table({"smoker": ["yes", "no", "no"] * 2000, "job": ["baker", "clerk", "smith"] * 2000})
    return sordino.estimate(plan, sordino.aggregate(plan, sordino.privatize(plan, people)))


def difference(found, *asked):
    """One row of a view of it."""
    (row,) = found.with_views(differences=[asked]).views["differences"].each
    return row


def test_a_difference_is_that_of_the_estimate(found):
    row = difference(found, NAME, "no, clerk", "yes, smith")
    told = found.results[0].estimate.difference(4, 2)
    assert (row["estimate"], row["stderr"]) == (float(told.value), float(told.stderr))
    assert (row["low"], row["high"]) == pytest.approx(tuple(map(float, told.interval(0.95))))
    assert (row["attribute"], row["value"], row["minus"]) == (NAME, "no, clerk", "yes, smith")
    assert abs(row["estimate"] - 1 / 3) < 5 * row["stderr"]


def test_limits_hold_against_what_is_asked(found):
    asked = [(NAME, "no, clerk", "yes, smith"), (NAME, "no, clerk", "no, smith")]
    alone, together, watched, forged = (
        share_differences(found.results, asked, coverage)[0]
        for coverage in (Coverage(), Coverage(simultaneous=True), Coverage(watched=True), Coverage(forged=9))
    )
    half = {id(row): row["high"] - row["estimate"] for row in (alone, together, watched, forged)}
    assert half[id(together)] / half[id(alone)] == pytest.approx(2.2414 / 1.95996, rel=1e-4)
    assert half[id(watched)] == pytest.approx(standard_errors(6000, 6000, 0.95) * alone["stderr"])
    # The worst report holds one of the two and not the other; what it adds is read off one that does.
    mechanism = found.results[0].estimate.mechanism
    codes = np.unique(mechanism.privatize(np.arange(6).repeat(500)))
    each = np.array([mechanism.decode(mechanism.tally([code]).counts.astype(float)) for code in codes])
    assert forged["moved"] == pytest.approx(9 * np.ptp(each[:, 4] - each[:, 2]) / 6000)
    assert half[id(forged)] > half[id(alone)] + forged["moved"]


def test_limits_of_a_difference_beyond_what_is_possible_are_in_order_and_leave_something():
    smoker = {name: part for name, part in ASKED["attribute"].items() if name == "smoker"}
    plan = sordino.plan({**ASKED, "attribute": smoker, "ask": [{"histogram": "smoker"}]}, 6000)
    # More reports of one code than people of one kind send.
    found = sordino.estimate(plan, Aggregate(plan.sampled.fingerprint, 6000, np.array([6000, 0])))
    for value, minus, end in (("yes", "no", 1), ("no", "yes", -1)):
        row = difference(found, "smoker", value, minus)
        assert row["estimate"] * end > 1
        near, far = sorted((row["low"] * end, row["high"] * end))
        assert (row["low"] < row["high"], far) == (True, 1)
        assert 0.9 < near < 1


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("job", "a", "b"), "a question that is estimated; found 'job'"),
        ((NAME, "no, clerk", "no, cleric"), "values of 'smoker, job'; found 'no, cleric' .did you mean 'no, clerk'"),
        ((NAME, "no, clerk", "no, clerk"), "of two values of 'smoker, job'; found 'no, clerk' twice"),
    ],
)
def test_what_is_no_difference_is_named(found, asked, words):
    with pytest.raises(SordinoError, match=words):
        difference(found, *asked)


def test_all_that_is_wrong_of_several_differences_is_told_at_once(found):
    asked = [(NAME, "no, clerk", "no, cleric"), ("job", "a", "b"), (NAME, "x", "y"), (NAME, "no, clerk", "no, clerk")]
    with pytest.raises(SordinoErrors) as raised:
        share_differences(found.results, asked, Coverage())
    assert [error.found.split()[0] for error in raised.value.errors] == ["'no,", "'job'", "'x'", "'y'", "'no,"]


COMMAS = {"v": {"categories": ["x, y", "x"]}, "w": {"categories": ["z", "y, z"]}}


def test_cells_whose_names_hold_commas_are_told_apart_wherever_they_are_named():
    plan = sordino.plan({"version": 1, "epsilon": "60", "attribute": COMMAS, "ask": [{"table": ["v", "w"]}]}, 1000)
    people = [("x, y", "z")] * 100 + [("x", "y, z")] * 500 + [("x", "z")] * 200 + [("x, y", "y, z")] * 200
    table = pa.table({name: [each[at] for each in people] for at, name in enumerate("vw")})
    found = sordino.estimate(plan, sordino.aggregate(plan, sordino.privatize(plan, table)))
    cells = {row["value"]: row["estimate"] for row in found.to_arrow().to_pylist() if row["kind"] == "cell"}
    assert cells == pytest.approx({'"x, y", z': 0.1, '"x, y", "y, z"': 0.2, "x, z": 0.2, 'x, "y, z"': 0.5})
    assert difference(found, "v, w", 'x, "y, z"', "x, z")["estimate"] == pytest.approx(0.3)
    assert difference(found, "v, w", '"x, y", z', '"x", "z"')["estimate"] == pytest.approx(-0.1)
    with pytest.raises(SordinoError) as refused:
        difference(found, "v, w", "x, y, z", "x, z")
    assert all(repr(cell) in str(refused.value) for cell in ('"x, y", z', 'x, "y, z"'))
    with pytest.raises(SordinoError, match="twice"):
        difference(found, "v, w", '"x", "z"', "x, z")


def test_names_of_questions_that_hold_commas_are_told_apart():
    attributes = {"a, b": {"categories": ["1", "2"]}, "c": {"categories": ["1", "2"]}}
    attributes |= {"a": {"categories": ["1", "2"]}, "b, c": {"categories": ["1", "2"]}}
    asks = [{"table": ["a, b", "c"]}, {"table": ["a", "b, c"]}]
    plan = sordino.plan({"version": 1, "epsilon": "1", "attribute": attributes, "ask": asks}, 6000)
    assert [question.name for question in plan.questions] == ['"a, b", c', 'a, "b, c"']
    assert list(sordino.certify(plan).questions) == ['"a, b", c', 'a, "b, c"']


def test_views_that_are_added_stay_when_others_are(found):
    margins = {"smoker": {"yes": 0.4, "no": 0.6}}
    both = found.with_views(margins=margins).with_views(differences=[(NAME, "no, clerk", "yes, smith")]).views
    assert "raked" in both
    assert "differences" in both
