"""Reports that no people can have sent are named at the head of everything, and those of people are not."""

import json

import numpy as np
import pytest

from sordino import KeyedSource, aggregate, estimate, plan, privatize
from sordino.mechanism.channel import Aggregate

NAMES = ("home", "way", "mood")
LABELS = {"home": [*"abcdefgh"], "way": ["car", "bus", "bike"], "mood": ["good", "bad"]}
ASKED = {
    "version": 1,
    "epsilon": "2",
    "attribute": {name: {"categories": labels} for name, labels in LABELS.items()},
    "ask": [{"histogram": name} for name in NAMES],
}


@pytest.fixture(scope="module")
def honest():
    """A plan, and the tally of people who all have the same values: the hardest case for a test of honest reports."""
    frozen = plan(ASKED, people=6000)
    people = {name: [LABELS[name][0]] * 6000 for name in NAMES} | {"id": [str(at) for at in range(6000)]}
    reports = privatize(frozen, people, KeyedSource(bytes(32), "alike"), id_column="id")
    return frozen, aggregate(frozen, reports)


def forged(frozen, tally, name, count):
    """The same beside reports that all say the code that a value of a question sends most, whatever people have."""
    place = NAMES.index(name)
    question = frozen.questions[place]
    best = max(range(question.mechanism.outputs), key=lambda code: question.mechanism.weight(0, code))
    offset = frozen.sampled.offsets[place]
    return tally + frozen.tally(np.full(count, offset + best, dtype=np.uint64))


def test_reports_of_people_are_not_named(honest):
    frozen, tally = honest
    found = estimate(frozen, tally)
    view = found.views["population"]
    assert [one.question.name for one in view.results] == [*NAMES]
    assert view.refuted_titles == []
    assert [*view.findings(), *view.rows()] == []
    assert [row["p_adjusted"] > 0.01 for row in view.json()["population"]] == [True] * 3


def test_what_was_forged_is_named_first_on_the_page_in_rows_and_in_json(honest, tmp_path):
    frozen, tally = honest
    found = estimate(frozen, forged(frozen, tally, "way", 900))
    assert isinstance(tally, Aggregate)
    view = found.views["population"]
    assert view.refuted_titles == ["way"]
    (row,) = view.rows()
    assert (row["kind"], row["attribute"]) == ("population", "way")
    assert row["p_adjusted"] <= 0.01
    found.page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "No people can have sent the reports on way: they were forged, or a client" in page
    found.save(tmp_path / "found.csv")
    assert ",population," in (tmp_path / "found.csv").read_text(encoding="utf-8")
    assert json.loads(json.dumps(view.json()))["population"][1]["degrees"] == row["degrees"]


def test_a_client_that_draws_nothing_is_named(honest):
    """One question's answers are sent as they are, by people of whom most say the same."""
    frozen, _ = honest
    mechanism = frozen.questions[0].mechanism
    clear = [max(range(mechanism.outputs), key=lambda code: mechanism.weight(value, code)) for value in range(8)]
    codes = np.repeat(np.array(clear, dtype=np.uint64), [1500, 200, 100, 50, 50, 50, 25, 25])
    assert estimate(frozen, frozen.tally(codes)).views["population"].refuted_titles == ["home"]


@pytest.mark.parametrize("settings", [{"forged": 3}, {"watched": True}])
def test_a_test_is_of_honest_reports_for_one_look(honest, settings):
    found = estimate(*honest, **settings)
    assert "population" not in found.views
    assert "one look" in found.views.absent["population"]


def test_p_values_are_larger_for_looking_at_all(honest):
    view = estimate(*honest).views["population"]
    alone = [one.p_value for one in view.tests]
    assert min(view.adjusted_p_values) == pytest.approx(min(1, 3 * min(alone)))
    assert all(adjusted >= p for adjusted, p in zip(view.adjusted_p_values, alone, strict=True))
