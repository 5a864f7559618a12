"""Surveys whose numbers may be missing: what is frozen, promised, told and refused."""

import json

import numpy as np
import pytest

import sordino
from sordino import KeyedSource, Plan, SordinoError, Survey, aggregate, estimate, explain, privatize
from sordino import plan as plan_verb
from sordino.show.estimate_rows import result_json
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.survey.results.result import results

INCOME = {"number": {"low": 0, "high": 1000}, "missing": "0.2"}
AGE = {"number": {"low": 0, "high": 100}}


def survey(ask, income=INCOME, **more):
    return {"version": 1, "epsilon": "1", "attribute": {"income": income, "age": AGE}, "ask": [ask], **more}


def made(**more):
    return plan_verb(survey({"mean": ["age", "income"]}, **more), people=20_000)


def table(n, missing, seed=0):
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    incomes = [
        None if absent else 400.0 + 200 * x for absent, x in zip(rng.random(n) < missing, rng.random(n), strict=True)
    ]
    return pa.table({"income": pa.array(incomes, pa.float64()), "age": np.full(n, 50.0)})


def test_from_survey_to_estimates():
    plan = made()
    assert Plan.of_text(plan.bytes.decode(), "it").promise.holds
    (found,) = results(plan, aggregate(plan, privatize(plan, table(20_000, 0.3))))
    rows = {row["value"]: row for row in found.rows()}
    assert list(rows) == ["age", "income", "income missing"]
    for name, truth in (("age", 50), ("income", 500), ("income missing", 0.3)):
        assert abs(rows[name]["estimate"] - truth) < 6 * rows[name]["stderr"]
        assert rows[name]["low"] < rows[name]["estimate"] < rows[name]["high"]
    (forecast,) = forecasts(plan)
    np.testing.assert_allclose(forecast.plan.stderr, [row["stderr"] for row in rows.values()], rtol=0.2)
    assert any("'income' may be missing. Being missing counts as a value" in line for line in explain(plan))


def test_the_mean_of_who_has_a_number_is_not_compared_with_that_of_everybody():
    everybody = made(attribute={"income": {"number": INCOME["number"]}, "age": AGE})
    sides = [
        (plan, aggregate(plan, privatize(plan, table(5_000, share)))) for plan, share in ((everybody, 0), (made(), 0.3))
    ]
    found = sordino.change(*sides[0], *sides[1])
    assert [row["attribute"] for row in found.rows()] == ["mean of age"]
    assert "income may be missing in the later one alone" in found.not_comparable["mean of income"]


def tally_of_nobody(plan):
    """In one of forty such surveys noise says that somebody has the number; not in this one."""
    nobody = table(20_000, 1.0).append_column("id", [np.arange(20_000)])
    return aggregate(plan, privatize(plan, nobody, KeyedSource(bytes(32), "nobody"), id_column="id"))


@pytest.mark.parametrize("coverage", [Coverage(), Coverage(watched=True), Coverage(simultaneous=True)])
def test_where_nobody_has_the_number_its_share_is_told_and_no_mean(coverage):
    plan = made()
    (found,) = results(plan, tally_of_nobody(plan), coverage=coverage)
    assert [row["value"] for row in found.rows()] == ["age", "income missing"]
    assert "too few reports show that anybody has this number" in found.notes[0]
    # Far fewer would have told it, of people who have it as often as the survey says.
    assert "reports were expected to be enough" in found.notes[0]
    said = json.dumps([result_json(found.blocks()), *found.rows()], allow_nan=False)
    assert "income: too few reports" in said


def test_what_forged_reports_can_move_of_such_a_mean_is_not_told():
    plan = made()
    tally = aggregate(plan, privatize(plan, table(2_000, 0.3)))
    with pytest.raises(SordinoError, match="everybody has; found 'income', which may be missing"):
        estimate(plan, tally, forged=5)


def test_the_page_shows_the_share_where_no_mean_is_told(tmp_path):
    plan = made()
    estimate(plan, tally_of_nobody(plan)).page(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "income missing" in text
    assert "income: too few reports show that anybody has this number" in text


@pytest.mark.parametrize("share", ["0", 0, 1, "1.5", "few", -0.1, True, "0.1234567890123"])
def test_a_missing_share_is_a_part_of_the_people(share):
    with pytest.raises(SordinoError, match="the missing share of a number must"):
        Survey.read(survey({"mean": ["age", "income"]}, {**INCOME, "missing": share}))


def test_a_share_may_be_a_number_and_is_frozen_as_a_decimal_text():
    frozen = Plan.of(Survey.read(survey({"mean": ["age", "income"]}, {**INCOME, "missing": 0.20})), 1000)
    assert frozen.document.attributes["income"].missing == "0.2"


def test_samples_tell_no_dependence_of_it():
    with pytest.raises(SordinoError, match="a sample bounds the dependence only of numbers that everybody has"):
        questions_for_sample(Survey.read(survey({"mean": ["age", "income"]})))


def test_a_dependence_bound_on_all_others_serves_it():
    given = made(dependence={"rest": "0.1"}, epsilon="2", attribute={"income": INCOME, "age": {**AGE, "delta": "0.3"}})
    assert given.promise.holds
    assert float(given.promise.losses[given.promise.names.index("age")]) <= 0.3
    assert float(given.promise.level) > 0.3


@pytest.mark.parametrize(
    ("ask", "names"),
    [
        ({"mean": ["age", "income"]}, "'income'"),
        ({"distribution": "income"}, "'income'"),
        ({"covariance": ["income", "size"]}, "'income' and 'size'"),
        ({"regression": {"target": "size", "features": ["age", "income"]}}, "'income' and 'size'"),
    ],
)
def test_a_sample_in_which_nobody_has_it_tells_no_forecast(ask, names):
    import pyarrow as pa

    # In each row one of the two is missing, and one of each question's is in all.
    absent = [None, 500.0] if "size" in names else [None, None]
    sample = pa.table({"income": pa.array(absent, pa.float64()), "age": [20.0, 60.0], "size": [1.0, None]})
    asked = survey(ask)
    attributes = {**asked["attribute"], "size": {"number": {"low": 0, "high": 2}, "missing": "0.2"}}
    used = {name: attributes[name] for name in attributes if name in str(ask)}
    with pytest.raises(SordinoError, match=f"in a sample somebody must have {names}; found nobody"):
        plan_verb({**asked, "attribute": used}, people=20_000, expect=sample)


def forged(plan, sealed, change):
    document = json.loads(plan.bytes)
    change(document)
    text = json.dumps(sealed(document), sort_keys=True, separators=(",", ":"))
    return Plan.of_text(text + "\n", "it")


def test_plans_that_read_it_as_another_number_are_refused(sealed):
    plan = made()

    def always_there(document):
        del document["attributes"]["income"]["missing"]

    def other_share(document):
        document["attributes"]["income"]["missing"] = "1.0"

    def covariance(document):
        document["queries"][0]["asked"] = "covariance"

    for change, why in (
        (always_there, "as such, and no others"),
        (other_share, "decimal below 1"),
        (covariance, "every moment that is needed"),
    ):
        with pytest.raises(SordinoError, match=why):
            forged(plan, sealed, change)
