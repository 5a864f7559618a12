"""Plans by distances that were changed after they were made, with a right hash: refused, whatever was changed."""

import json
from fractions import Fraction

import pytest

from in_one import in_one
from sordino import Categories, Nats, Plan, RefusedError, SordinoError, Survey
from sordino.survey.schema import plan_distances as distances
from sordino.survey.schema.attribute_part import MetricPart
from sordino.survey.schema.plan_distances import metric_definition

ATTRIBUTES = {
    "map": {
        "grid": {"south": 40, "north": 50, "west": 0, "east": 12, "rows": 34, "columns": 36},
        "protect": {"metric": {"per": "500 km"}},
    },
    "world": {
        "grid": {"south": -60, "north": 60, "west": -180, "east": 180, "rows": 33, "columns": 36},
        "protect": {"metric": {"per": "5000 km"}},
    },
    "line": {"categories": 40, "protect": {"metric": {"per": 2}}},
    "positions": {"categories": 3, "protect": {"metric": [0, 1, 3]}},
    "tree": {"categories": ["a", "b", "c"], "protect": {"metric": {"tree": {"a": ["b", "c"]}, "lengths": {"b": 2}}}},
}

MADE = {}
"""Plans that were made already, as bytes."""


@pytest.fixture
def load_changed(tables, sealed, tmp_path):
    """Make a plan, change what it says of distances, seal it and load it."""

    def load(name, change):
        if name not in MADE:
            MADE[name] = Plan.of(Survey.read(tables({"x": ATTRIBUTES[name]})), 1000).bytes
        document = json.loads(MADE[name])
        protect = document["attributes"]["x"]["protect"]
        change(protect["metric"], protect)
        path = tmp_path / "sealed.json"
        path.write_text(json.dumps(sealed(document), sort_keys=True, separators=(",", ":")))
        return Plan.load(path)

    return load


def grown(step, by):
    return lambda metric, _: metric["map"].update({step: str(Fraction(metric["map"][step]) * Fraction(by))})


@pytest.mark.parametrize("name", ["map", "world"])
@pytest.mark.parametrize("step", ["row_step", "column_step"])
def test_steps_that_tell_more_than_distances_allow_are_refused(load_changed, name, step):
    with pytest.raises(RefusedError, match="must follow the distance between them; found steps that allow more"):
        load_changed(name, grown(step, "1.0001"))


@pytest.mark.parametrize("step", ["row_step", "column_step"])
def test_smaller_steps_than_the_mechanism_keeps_are_refused(load_changed, step):
    with pytest.raises(RefusedError, match="a mechanism that loses"):
        load_changed("map", grown(step, "1/2"))


def test_a_longer_distance_needs_smaller_steps(load_changed):
    with pytest.raises(RefusedError, match="steps that allow more"):
        load_changed("map", lambda metric, _: metric["map"].update(per="501"))
    with pytest.raises(RefusedError, match="steps that allow more"):
        load_changed("map", lambda metric, _: metric["map"].update(unit="miles"))
    with pytest.raises(RefusedError, match="steps that allow more"):
        load_changed("map", lambda _, protect: protect.update(epsilon="499/500"))


CHANGES = {
    "a mechanism for a shorter unit": ("line", {"per": "3"}, "a mechanism that loses"),
    "positions closer together": ("positions", {"positions": ["0", "1/2", "3"]}, "a mechanism that loses"),
    "no position": ("positions", {"positions": ["0", "1"]}, "a position for each of 3 values"),
    "one position twice": ("positions", {"positions": ["0", "1", "1"]}, "above 0"),
    "a different spelling": ("positions", {"positions": ["0", "1.0", "3"]}, "canonical form"),
    "a logarithm": ("positions", {"positions": ["0", "ln 2", "3"]}, "must be rational"),
    "a unit of 0": ("line", {"per": "0"}, "`per` of a metric must be above 0"),
    "an unknown unit": (
        "map",
        {"map": {"per": "1", "unit": "yd", "row_step": "1", "column_step": "1"}},
        "km, m, miles",
    ),
    "no distance": ("map", {"map": {"per": "0", "unit": "m", "row_step": "1", "column_step": "1"}}, "above 0, in km"),
    "a step of 0": ("map", {"map": {"per": "1", "unit": "km", "row_step": "0", "column_step": "1"}}, "above 0"),
    "kilometres between categories": (
        "line",
        {"per": None, "map": {"per": "1", "unit": "km", "row_step": "1", "column_step": "1"}},
        "only a grid",
    ),
    "numbers in order on a map": ("map", {"map": None, "per": "1"}, "only categories"),
    "a tree over a map": ("map", {"map": None, "tree": {"a": ["b"]}}, "only categories"),
    "a tree with a circle": ("tree", {"tree": {"a": ["b", "c"], "b": ["a"]}}, "below itself"),
    "a shorter way": ("tree", {"lengths": {"b": "1/2"}}, "a mechanism that loses"),
    "lengths of no tree": ("line", {"lengths": {"a": "1"}}, "those of a tree"),
    "two metrics": ("line", {"tree": {"a": ["b"]}}, "exactly one of per, positions, tree, map"),
    "a step above 100 nats": (
        "map",
        {"map": {"per": "1", "unit": "m", "row_step": "101", "column_step": "1"}},
        "between 0 and 100 nats",
    ),
    "none": ("line", {"per": None}, "exactly one of per, positions, tree, map"),
    "an unknown setting": ("line", {"unit": "km"}, "unit"),
}


@in_one("name, change, words", CHANGES.values())
def test_words_that_do_not_fit_are_refused(load_changed, name, change, words):
    def apply(metric, protect):
        changed = {**metric, **change}
        protect["metric"] = {key: value for key, value in changed.items() if value is not None}

    with pytest.raises(SordinoError, match=words):
        load_changed(name, apply)


def test_a_distance_that_many_pairs_have_is_read_once(monkeypatch):
    """Of 60 categories in sixes below hidden names 1,800 pairs have two distances."""
    read = []
    own = distances.bound_at
    monkeypatch.setattr(distances, "bound_at", lambda epsilon, length: read.append(length) or own(epsilon, length))
    labels = [str(value) for value in range(60)]
    below = {f"group {place}": labels[place * 6 : place * 6 + 6] for place in range(10)}
    metric = MetricPart(tree={"all": list(below), **below})
    made = metric_definition(Categories(labels), metric, Nats.of(1))
    assert sorted(read) == [2, 4]
    assert [made.bound(0, other) for other in (1, 6)] == [Nats.of(2), Nats.of(4)]


@pytest.mark.parametrize("label", ["5 ", " 5", "ln 3"])
def test_a_label_that_another_reader_takes_otherwise_is_no_number(label):
    survey = {
        "version": 1,
        "epsilon": "1",
        "attribute": {"x": {"categories": ["0", "1", "2", label], "protect": {"metric": {"per": 2}}}},
        "ask": [{"histogram": "x"}],
    }
    with pytest.raises(SordinoError, match="numbers"):
        Plan.of(Survey.read(survey), 1000)
