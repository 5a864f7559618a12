"""What a table tells of other attributes, from a sample to the plan: counted as one value, never made of its parts."""

import copy
import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sordino import Nats, Plan, SordinoError, Survey, dependence, explain, plan
from sordino.definition.sampling import dependent_loss, largest_level
from sordino.document.formats import PLAN
from sordino.errors import DamagedError
from sordino.survey.planning.statement import load_statement

N = 200_000

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "ill": {"categories": ["yes", "no"], "delta": "0.2"},
        "age": {"categories": ["young", "middle", "old"]},
        "sex": {"categories": ["f", "m"]},
    },
    "ask": [{"table": ["sex", "age"]}],
}


def sample_of(ill, age, sex):
    names = {"ill": ["yes", "no"], "age": ["young", "middle", "old"], "sex": ["f", "m"]}
    return pa.table({name: np.array(names[name])[own] for name, own in zip(names, (ill, age, sex), strict=True)})


def people():
    rng = np.random.default_rng(0)
    age, sex = rng.integers(0, 3, N), rng.integers(0, 2, N)
    return rng.random(N) < 0.5 + 0.05 * (age == 2), age, sex


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A plan's, with a bound that a sample counted."""
    folder, (ill, age, sex) = tmp_path_factory.mktemp("bounds"), people()
    dependence(SURVEY, sample_of(~ill * 1, age, sex), output=folder / "statement.json")
    survey = Survey.read({**SURVEY, "dependence": {"file": "statement.json"}}, folder=folder)
    return json.loads(Plan.of(survey, 10_000).bytes)


def bounds_of(statement):
    names = statement.asked.names
    return {(names[b.attribute], tuple(names[j] for j in b.statistic)): b for b in statement.bounds}


def test_a_table_is_counted_as_one_value():
    ill, age, sex = people()
    statement = dependence(SURVEY, sample_of(~ill * 1, age, sex))
    found = bounds_of(statement)
    assert list(found) == [(name, ("age", "sex")) for name in ("age", "ill", "sex")]
    assert [found[name, ("age", "sex")].why for name in ("age", "ill", "sex")] == ["own", "sample", "own"]
    # All events about the combination, listed one by one.
    cells = [(age == a) & (sex == s) for a, s in product(range(3), range(2))]
    given = [[float(np.mean(cell[ill == says])) for cell in cells] for says in (True, False)]
    events = product([0, 1], repeat=6)
    apart = max(abs(sum(e * (x - y) for e, x, y in zip(event, *given, strict=True))) for event in events)
    bound = found["ill", ("age", "sex")]
    assert float(bound.seen) == pytest.approx(apart, abs=2e-9)
    counts = [int(ill.sum()), N - int(ill.sum())]
    margin = np.sqrt(sum(1 / n for n in counts) * np.log(1 / 0.01) / 2)
    assert float(bound.bound) == pytest.approx(apart + margin, abs=2e-9)
    assert statement.comparisons == 1
    known = statement.dependence
    assert known.of_table(1, (0, 2)) == bound.bound
    assert known.of(1, (0,)) == 1


def test_where_two_together_tell_all_their_parts_say_nothing():
    rng = np.random.default_rng(1)
    age, sex = rng.integers(0, 2, N), rng.integers(0, 2, N)
    tables = {**SURVEY, "ask": [*SURVEY["ask"], {"histogram": "age"}, {"histogram": "sex"}]}
    found = bounds_of(dependence(tables, sample_of((age ^ sex), age, sex)))
    assert found["ill", ("age", "sex")].bound == 1
    assert max(found["ill", (name,)].bound for name in ("age", "sex")) < Fraction(1, 50)


def test_a_plan_asks_a_table_as_its_own_bound_allows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ill, age, sex = people()
    path = Path("statement.json")
    # A table of which the survey asks nothing: no plan holds a bound that nothing uses.
    wider = {**SURVEY, "ask": [*SURVEY["ask"], {"table": ["ill", "age"]}]}
    statement = dependence(wider, sample_of(~ill * 1, age, sex), output=path)
    assert load_statement(path).bounds == statement.bounds
    frozen = plan({**SURVEY, "dependence": {"file": str(path)}}, 10_000)
    q = bounds_of(statement)["ill", ("age", "sex")].bound
    (table,) = frozen.document.dependence.tables
    assert (table.attribute, table.table, Fraction(table.bound)) == ("ill", ["age", "sex"], q)
    level = frozen.questions[0].definition.epsilon
    assert level == min(Nats.of("2"), largest_level("0.2", q))
    assert level > Nats.of("1")
    assert plan(SURVEY, 10_000).questions[0].definition.epsilon == Nats.of("0.2")
    # The exact worst of a belief within q, through the certified channel.
    reached = dict(zip(frozen.promise.names, frozen.promise.losses, strict=True))
    assert reached["ill"] <= Nats.of("0.2")
    assert reached["ill"] >= dependent_loss(Nats.of(Fraction(1)), q)
    assert Plan.of_text(frozen.bytes.decode(), "again") == frozen
    said = " ".join(line for line in frozen.promise.ground)
    assert "200,000 records" in said
    assert any("one about 'age' and 'sex' together at most 0.0" in line for line in explain(frozen))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda part: part.update(table=["age", "ill"]), "about one that is asked"),
        (lambda part: part.update(attribute="age", bound="1/2"), "each of its attributes"),
        (lambda part: part.update(attribute="nobody"), "attributes"),
        (lambda part: part.update(bound="2"), "in \\[0, 1\\]"),
        (lambda part: part.update(table=["sex", "age"]), "ascending"),
        (lambda part: part.update(bound="1/2"), "must keep its own promise"),
    ],
)
def test_a_plan_with_another_bound_is_refused(content, change, rule):
    spoiled = copy.deepcopy(content)
    change(spoiled["dependence"]["tables"][0])
    text = json.dumps(PLAN.seal({k: v for k, v in spoiled.items() if k not in {"hash", "format", "version"}}))
    with pytest.raises((SordinoError, DamagedError), match=rule):
        Plan.of_text(text, "spoiled")
