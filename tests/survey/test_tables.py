"""Tables of several attributes: from the survey through plan, reports and aggregate to estimates in words and rows."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pyarrow as pa
import pytest

from in_one import in_one
from sordino import (
    LDP,
    Dependence,
    KeyedSource,
    Nats,
    Plan,
    RandomizedResponse,
    SordinoError,
    SordinoErrors,
    Survey,
    aggregate,
    certify,
    estimate,
    explain,
    plan,
    privatize,
)
from sordino.audit.certificate import certify as certify_mechanism
from sordino.definition.sampling import Answer, sampling_deltas, sampling_level
from sordino.design.numbers.level_limits import LevelLimits
from sordino.errors import DamagedError
from sordino.survey.planning.plan_fields import PlanDocument

AGES, SMOKES = ["young", "middle", "old"], ["yes", "no"]

ASKED = {
    "version": 1,
    "epsilon": "3",
    "attribute": {
        "age_group": {"categories": AGES},
        "smoker": {"categories": SMOKES},
        "sex": {"categories": ["f", "m"]},
    },
    "ask": [{"tables": {"of": ["age_group", "smoker", "sex"], "ways": 2}}],
}


def survey(attributes=("age_group", "smoker"), **changes):
    kept = {name: ASKED["attribute"][name] for name in attributes}
    return {**ASKED, "attribute": kept, "ask": [{"table": list(attributes)}], **changes}


def people(n):
    ages, smokes = np.arange(n) % 3, np.arange(n) // 3 % 5 == 0
    smoker = [SMOKES[int(not s)] for s in smokes]
    return pa.table({"age_group": [AGES[i] for i in ages], "smoker": smoker, "sex": ["f", "m"] * (n // 2)})


def test_from_a_survey_to_rows():
    frozen = plan(survey(), people=3000)
    (question,) = frozen.questions
    assert (question.name, question.domain.k, question.attribute_names) == (
        "age_group, smoker",
        6,
        ["age_group", "smoker"],
    )
    assert certify(frozen).holds
    assert any("'age_group' and 'smoker' together, one of 6 combinations" in line for line in explain(frozen))
    found = estimate(frozen, aggregate(frozen, privatize(frozen, people(30_000))))
    (result,) = found.results
    rows = list(result.rows())
    assert [row["value"] for row in rows] == [list(cell) for cell in product(AGES, SMOKES)]
    assert all(row["attributes"] == ["age_group", "smoker"] for row in rows)
    assert set(rows[0]) == {"attributes", "value", "estimate", "stderr", "low", "high", "fitted"}
    truth = [share / 15 for share in (1, 4) * 3]
    assert all(abs(row["estimate"] - share) < 6 * row["stderr"] for row, share in zip(rows, truth, strict=True))
    assert found.to_arrow().column("value").to_pylist()[1] == "young, no"
    # By itself it has nothing to agree with.
    assert result.estimate.method == "simplex"


def test_all_pairs_are_asked_and_one_person_answers_one():
    frozen = plan(ASKED, people=3000)
    assert [question.name for question in frozen.questions] == ["age_group, smoker", "age_group, sex", "smoker, sex"]
    assert [question.share for question in frozen.questions] == [Fraction(1, 3)] * 3
    tally = aggregate(frozen, privatize(frozen, people(3000)))
    assert sum(part.n for part in frozen.sampled.split(tally)) == 3000


WRONG = [
    ({"ask": [{"table": ["smoker"]}]}, "a table must be of 2 to 8 attributes", "1"),
    ({"ask": [{"table": ["smoker", "smoker"]}]}, "table must name each attribute once", "'smoker' twice"),
    ({"ask": [{"table": ["smoker", "age_grup"]}]}, "must name an attribute of the survey", "did you mean 'age_group'"),
    ({"ask": [{"tables": ["smoker", "age_group"]}]}, "tables must be a table", "write { of ="),
    ({"ask": [{"tables": {"of": ["smoker"], "ways": 2}}]}, "of as many attributes as each has", "1 for tables of 2"),
    ({"ask": [{"tables": {"of": ["smoker", "age_group"], "ways": 1}}]}, "ways", "1"),
    ({"ask": [{"table": ["smoker", "age_group"]}, {"table": ["age_group", "smoker"]}]}, "each table once", "again"),
]


@in_one("changes, rule, found", WRONG)
def test_wrong_tables_are_told_in_words(changes, rule, found):
    with pytest.raises(SordinoErrors) as caught:
        Survey.read(survey(**changes))
    assert rule in str(caught.value)
    assert found in str(caught.value)


def test_numbers_and_too_many_cells_are_told_in_words():
    age = {"age": {"number": {"low": 0, "high": 99}}, "smoker": {"categories": SMOKES}}
    with pytest.raises(SordinoErrors, match=r"ask\.0\.table: a number in a table must have 2 to 512 bins; found 'age'"):
        Survey.read(survey(attribute=age, ask=[{"table": ["age", "smoker"]}]))
    large = {"a": {"categories": 3000}, "b": {"categories": 3000}}
    with pytest.raises(SordinoErrors, match="at most 4,194,304 cells; found 9,000,000 of 'a' and 'b'"):
        Survey.read(survey(attribute=large, ask=[{"table": ["a", "b"]}]))


def test_a_table_tells_each_of_its_attributes_all_that_it_tells():
    asked = Answer(((0,), (1,)), Nats.of("ln 3"), table=True)
    known = Dependence.bounded(["1/8", "1/8", "1/2"])
    assert [str(delta) for delta in sampling_deltas([(asked,)], known)] == ["ln 3", "ln 3", "ln 2"]
    assert str(sampling_level([(asked,)])) == "ln 3"


def test_a_table_has_a_bound_of_its_own_and_none_of_its_parts():
    """x_2 = x_0 xor x_1 of fair bits: of each pair nothing is known, of the pair 0 and 1 all."""
    asked = Answer(((0,), (1,)), Nats.of("ln 3"), table=True)
    parts = {(2, (0,)): 0, (2, (1,)): 0, (2, (0, 1)): 0}
    assert str(sampling_deltas([(asked,)], Dependence.bounded([1, 1, 1], parts))[2]) == "ln 3"
    own = Dependence((Fraction(1),) * 3, {}, {(2, (0, 1)): Fraction(1, 2)})
    assert str(sampling_deltas([(asked,)], own)[2]) == "ln 2"
    # That of the table serves no answer about a part, nor a product of two numbers.
    for other in (Answer(((0,),), Nats.of("ln 3"), linear=True), Answer(((0, 1),), Nats.of("ln 3"), linear=True)):
        assert str(sampling_deltas([(other,)], own)[2]) == "ln 3"


def test_bounds_for_tables_are_looked_at():
    one = (Fraction(1),) * 3
    for key, rule in (
        ((2, (0,)), "two attributes or more"),
        ((2, (1, 0)), "ascending"),
        ((2, (0, 5)), "about 3 attributes"),
        ((0, (0, 1)), "reveals each of its attributes"),
    ):
        with pytest.raises(SordinoError, match=rule):
            Dependence(one, {}, {key: Fraction(1, 2)})


DELTAS = {
    "age_group": {"categories": AGES, "delta": "2"},
    "smoker": {"categories": SMOKES, "delta": "1"},
    "sex": {"categories": ["f", "m"], "delta": "1/2"},
}


def test_under_deltas_a_table_keeps_the_least_of_its_own_and_what_others_allow():
    asked = survey(attribute=DELTAS, ask=[{"table": ["age_group", "smoker"]}])
    assert plan(asked, people=100_000).questions[0].part.epsilon == "1/2"
    asked["dependence"] = {"rest": {"sex": 0.1}}
    frozen = plan(asked, people=100_000)
    assert frozen.questions[0].part.epsilon == "1"
    assert frozen.promise.holds
    assert frozen.promise.losses[1] < Nats.of("1/2")


def test_a_plan_whose_table_tells_more_than_a_delta_is_refused():
    asked = survey(attribute=DELTAS, ask=[{"table": ["age_group", "smoker"]}])
    document = plan(asked, people=100_000).document
    part = document.queries[0].replace(epsilon="1", mechanism=RandomizedResponse(6, "1").document_fields)
    changed = Plan(document.replace(queries=[part]))
    assert changed.promise.violations == ("sex",)
    told = document.queries[0].replace(mechanism=RandomizedResponse(6, "1").document_fields)
    louder = Plan(document.replace(queries=[told]))
    assert not louder.about_shares[0].certificate.holds


def test_the_channel_of_a_table_is_certified_as_a_whole():
    mechanism = plan(survey(), people=100_000).questions[0].mechanism
    worst = max(
        Fraction(mechanism.weight(a, y), mechanism.weight(b, y))
        for y in range(mechanism.outputs)
        for a in range(6)
        for b in range(6)
        if mechanism.weight(b, y)
    )
    assert Nats.log(worst) <= Nats.of(3)
    assert certify_mechanism(mechanism, LDP("3")).holds


FORGED = [
    ({"table": ["age_group"]}, "table"),
    ({"table": ["age_group", "age_group"]}, "different attributes"),
    ({"table": ["age_group", "smoker"] * 5}, "at most 8"),
    ({"table": ["age_group", "other"]}, "the plan's attributes"),
    ({"epsilon": "9"}, "epsilon where attributes have deltas"),
]


@in_one("changes, rule", FORGED)
def test_documents_of_other_tables_are_no_plans(changes, rule):
    document = plan(survey(), people=100_000).document
    words = document.dump()
    words["queries"][0] |= changes
    with pytest.raises((SordinoError, DamagedError, ValueError), match=rule):
        PlanDocument(**words)


def test_under_deltas_a_table_tells_its_attributes_all_whatever_is_known_of_the_rest():
    levels = [Nats.of("1"), Nats.of("1"), Nats.of("1")]
    known = Dependence.bounded(["1/100"] * 3)
    assert str(LevelLimits(levels, Nats.of("9"), known).of_table((0, 1))) == "1"
    limits = LevelLimits([Nats.of("9"), Nats.of("9"), Nats.of("1")], Nats.of("9"), known)
    assert limits.of_table((0, 1)) > Nats.of("5")


def test_fitted_tables_agree_and_estimates_stay_as_they_are():
    frozen = plan(ASKED, people=30_000)
    everybody = people(30_000).append_column("id", [range(30_000)])
    tally = aggregate(frozen, privatize(frozen, everybody, KeyedSource(bytes([1] * 32), "agree"), id_column="id"))
    together, alone = estimate(frozen, tally).results, estimate(frozen, tally, "simplex").results
    for one, other in zip(together, alone, strict=True):
        assert (one.estimate.value == other.estimate.value).all()
        assert (one.interval[0] == other.interval[0]).all()
        assert (one.estimate.method, other.estimate.method) == ("joint", "simplex")
    ages = [together[i].fitted.reshape(3, 2).sum(axis=1) for i in (0, 1)]
    assert ages[0] == pytest.approx(ages[1])


@pytest.mark.long
def test_tables_agree_whatever_the_number_of_all_combinations():
    """Twenty-four yes-or-no attributes, a table of each two neighbours: 16 million combinations."""
    names, n, random = [f"a{i}" for i in range(24)], 20_000, np.random.default_rng(2)
    asked = {
        "version": 1,
        "epsilon": "4",
        "attribute": {name: {"categories": 2} for name in names},
        "ask": [{"table": list(pair)} for pair in pairwise(names)],
    }
    values = [random.integers(0, 2, n)]
    for _ in names[1:]:
        values.append(np.where(random.random(n) < 0.5, values[-1], random.integers(0, 2, n)))
    frozen = plan(asked, people=n)
    found = estimate(frozen, aggregate(frozen, privatize(frozen, pa.table(dict(zip(names, values, strict=True))))))
    assert {one.estimate.method for one in found.results} == {"joint"}
    tables = [one.fitted.reshape(2, 2) for one in found.results]
    for one, other in pairwise(tables):
        assert one.sum(axis=0) == pytest.approx(other.sum(axis=1))
    raked = [one.fitted.reshape(2, 2) for one in found.with_views(margins={"a4": [0.9, 0.1]}).views["raked"].each]
    assert [raked[0].sum(axis=0)[0], raked[1].sum(axis=1)[0]] == pytest.approx([0.9, 0.9])
