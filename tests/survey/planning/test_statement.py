"""Statements about dependence as files: read as they were written, refused where changed or about something else."""

import json
from fractions import Fraction

import numpy as np
import pytest

from sordino import Categories, Grid, Interval, SordinoError
from sordino.design.from_sample import state_dependence, tally_sample
from sordino.design.sample_questions import SampleNumber, SampleQuestions
from sordino.domain.attribute import Attribute
from sordino.survey.planning.statement import dependence_for, load_statement, save_statement, statement_sentences

ATTRIBUTES = (
    Attribute("smoker", Categories(["yes", "nö"]), missing="nö"),
    Attribute("visits", Categories(range(3)), ("how often",)),
    Attribute("home", Grid(0, 1, 0, 1, 1, 2)),
    SampleNumber("age", Interval(0, 90), edges=(0, 18, 90), clip=True),
    SampleNumber("income", Interval(0, 1), edges=(0, 0.5, 1), lipschitz=Fraction(1, 3)),
    SampleNumber("height", Interval(0, 3), answers="bin", edges=(0, 1.5, 3)),
    SampleNumber("plain", Interval(0, 3)),
)
ASKED = SampleQuestions(ATTRIBUTES, ((0,), (2,), (3,), (4,), (5,), (3, 4), (3, 3)))


@pytest.fixture
def statement():
    rng = np.random.default_rng(4)
    n = 5000
    columns = [rng.integers(0, k, n) for k in (2, 3, 2)] + [rng.uniform(0, high, n) for high in (90, 1, 3, 3)]
    settings = {"shift": "0.001", "population": 'adults of "X"', "date": "2024-05-01"}
    return state_dependence(ASKED, tally_sample(ASKED, columns), "0.99", **settings)


@pytest.fixture
def written(tmp_path, statement):
    save_statement(statement, tmp_path / "dependence.json")
    return tmp_path / "dependence.json"


def test_a_statement_is_read_as_it_was_written(written, statement):
    loaded = load_statement(written)
    assert (loaded.bounds, loaded.dependence) == (statement.bounds, statement.dependence)
    assert (loaded.records, loaded.comparisons, loaded.least) == (5000, ASKED.comparisons, statement.least)
    assert (loaded.confidence, loaded.shift) == (Fraction(99, 100), Fraction(1, 1000))
    assert (loaded.population, loaded.date) == ('adults of "X"', "2024-05-01")
    assert statement_sentences(loaded) == statement_sentences(statement)
    save_statement(loaded, written.with_name("again.json"))
    assert written.with_name("again.json").read_bytes() == written.read_bytes()
    with pytest.raises(SordinoError, match="overwritten"):
        save_statement(loaded, written)


def test_bounds_follow_their_attributes_to_another_order(statement):
    order = [6, 4, 3, 0, 5, 2, 1]
    other = SampleQuestions(tuple(ATTRIBUTES[j] for j in order), ((0,),))
    found = dependence_for(statement, other)
    assert found.of(order.index(0), (order.index(5),)) == statement.dependence.of(0, (5,)) < 1
    assert found.of(order.index(0), (order.index(4), order.index(3))) == statement.dependence.of(0, (3, 4)) < 1
    assert found.of(order.index(5), (order.index(5),)) == 1
    # Not asked of the sample, and all others together.
    assert found.of(order.index(0), (order.index(1),)) == found.of_rest(order.index(0)) == 1


def changed(place, **settings):
    attribute = ATTRIBUTES[place]
    new = type(attribute)(**{**vars(attribute), **settings})
    return SampleQuestions((*ATTRIBUTES[:place], new, *ATTRIBUTES[place + 1 :]), ((0,),))


@pytest.mark.parametrize(
    "asked",
    [
        changed(0, name="smokes"),
        SampleQuestions(ATTRIBUTES[:-1], ((0,),)),
        SampleQuestions((*ATTRIBUTES, Attribute("new", Categories(range(2)))), ((0,),)),
        changed(0, domain=Categories(["nö", "yes"])),
        changed(1, domain=Categories(range(4))),
        changed(1, domain=Categories(["0", "1", "2"])),
        changed(2, domain=Grid(0, 1, 0, 1, 2, 1)),
        changed(3, edges=(0, 19, 90)),
        changed(3, edges=()),
        changed(3, clip=False),
        changed(4, domain=Interval(0, 2), edges=(0, 0.5, 2)),
        changed(4, lipschitz=Fraction(1, 4)),
        changed(5, answers="number"),
    ],
)
def test_other_attributes_or_values_are_refused(statement, asked):
    with pytest.raises(SordinoError, match="a statement about dependence must be about the survey's"):
        dependence_for(statement, asked)


def test_where_values_stand_in_a_table_does_not_matter(statement):
    assert dependence_for(statement, changed(1, columns=("other",))) == statement.dependence
    assert dependence_for(statement, changed(0, missing=None)) == statement.dependence


def spoil(**changes):
    def change(document):
        document.update(changes)

    return change


def spoil_bound(kind, **changes):
    def change(document):
        next(bound for bound in document["bounds"] if bound["why"] == kind).update(changes)

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (spoil(format="sordino plan"), "must be a statement"),
        (spoil(version=2), "version 1"),
        (spoil(version=True), "version 1"),
        (spoil(note="hello"), "wrote"),
        (spoil(records=0), "wrote"),
        (spoil(confidence="1"), "confidence"),
        (spoil(confidence="0.99e0"), "wrote"),
        (spoil(shift="2"), "shift"),
        (spoil(shift="-0.1"), "wrote"),
        (spoil(comparisons=3), "comparisons must be"),
        (spoil(date="today"), "YYYY-MM-DD"),
        (spoil(attributes=[{"name": "smoker"}]), "categories, a grid or a number"),
        (spoil(bounds=[]), "wrote"),
        (spoil_bound("own", bound="0.5"), "must have the bound 1"),
        (spoil_bound("own", why="sample", seen="0", least=1), "must have the bound 1"),
        (spoil_bound("no bins", bound="0.5"), "must have the bound 1"),
        (spoil_bound("sample", bound="0"), "no less than is seen"),
        (spoil_bound("sample", bound="1.5"), "at most 1"),
        (spoil_bound("sample", attribute="nobody"), "attributes"),
        (spoil_bound("sample", statistic=["age", "age", "age"]), "at most 2 such attributes"),
        (lambda document: document["bounds"].pop(), "one bound for each"),
        (lambda document: document["bounds"].append(document["bounds"][0]), "one bound for each"),
        (lambda document: document.pop("confidence"), "confidence"),
    ],
)
def test_a_spoiled_statement_is_refused(written, change, words):
    document = json.loads(written.read_text(encoding="utf-8"))
    change(document)
    written.write_text(json.dumps(document))
    with pytest.raises(SordinoError) as error:
        load_statement(written)
    assert words in str(error.value)


def test_a_statement_says_all_that_it_rests_on(statement):
    text = "\n".join(statement_sentences(statement))
    for words in (
        "confidence 99 %", "5,000 records", f"{statement.comparisons} comparisons", "beta = 0.01",
        f"the rarest value has {statement.least:,} records",
        r'Population: "adults of \"X\"".', "2024-05-01", "up to 0.001", "twice",
        "age: promises are about which of its 2 bins", "income: it is declared", "at most 1/3 per unit",
        "height: promises are about which of its 2 bins",
        "answer one bit about the middle of its bin", "one drawn answer, once", "none of them somebody who will",
        "who knows more about a person only epsilon",
    ):  # fmt: skip
        assert words in text
    bits = SampleQuestions((Attribute("x", Categories(range(2))),), ((0,),))
    nothing = state_dependence(bits, tally_sample(bits, [np.arange(9) % 2]), "0.9")
    assert "Nothing follows from the 9 records" in statement_sentences(nothing)[0]
    assert "Population: not stated. Date: not stated." in statement_sentences(nothing)[1]
