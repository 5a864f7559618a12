"""Distributions of numbers that may be missing: what is frozen, promised, told, shown and refused."""

import json

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import HierarchyResponse, Plan, SordinoError
from sordino.cli.results import print_blocks
from sordino.document.formats import PLAN
from sordino.mechanism.window import OptionalWindow
from sordino.show.estimate_rows import result_json
from sordino.survey.planning.expectations import expected_of_sample
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.plan_fields import unseal

PEOPLE, MISSING = 20_000, 0.3
INCOME = {"number": {"low": 0, "high": 1000, "bins": 40}, "missing": "0.2"}
ASK = {"distribution": "income", "quantiles": ["0.5"], "ranges": [[0, 500]]}


def survey(**more):
    return {"version": 1, "epsilon": "2", "attribute": {"income": INCOME}, "ask": [ASK], **more}


def incomes(n, missing, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < missing, np.nan, 1000 * rng.beta(2, 4, n))


def people(numbers):
    rows = {"income": pa.array(numbers, pa.float64(), mask=np.isnan(numbers)), "id": np.arange(len(numbers))}
    return pa.table(rows)


def collected(plan, numbers, name="people"):
    source = sordino.KeyedSource(bytes(32), name)
    return sordino.aggregate(plan, sordino.privatize(plan, people(numbers), source, id_column="id"))


@pytest.fixture(scope="module")
def plan():
    return sordino.plan(survey(), people=PEOPLE)


@pytest.fixture(scope="module")
def found(plan):
    return sordino.estimate(plan, collected(plan, incomes(PEOPLE, MISSING)))


def test_rows_are_of_those_who_have_it_and_of_who_lacks_it(plan, found):
    assert Plan.of_text(plan.bytes.decode(), "it").questions[0].certificate.holds
    (result,) = found.results
    rows, numbers = list(result.rows()), incomes(PEOPLE, MISSING)
    there = numbers[~np.isnan(numbers)]
    kinds = [*(["from"] * 41), "value", "quantile"]
    assert [next(key for key in kinds[40:] if key in row) for row in rows[:43]] == ["from"] * 41 + ["value", "quantile"]
    of_range, missing, median, mean, deviation = rows[40:]
    assert abs(of_range["estimate"] - np.mean(there < 500)) < 5 * of_range["stderr"]
    assert abs(missing["estimate"] - np.mean(np.isnan(numbers))) < 5 * missing["stderr"]
    assert median["low"] <= np.median(there) <= median["high"]
    assert abs(mean["estimate"] - there.mean()) < 5 * mean["stderr"]
    assert deviation["low"] <= there.std() <= deviation["high"]
    assert result.fitted.sum() == pytest.approx(1)
    assert [result.label(place) for place in (40, 41, 42)] == ["0 to 500", "missing", "quantile 0.5"]
    assert result.numbers["estimate"][41] == missing["estimate"]


def test_the_forecast_is_what_estimates_show(plan, found):
    numbers = incomes(PEOPLE, MISSING, 1)
    (expected,) = forecasts(plan, expected_of_sample(plan.questions, [numbers]))
    errors = found.results[0].estimate.stderr
    assert expected.plan.typical == pytest.approx(np.sqrt((errors**2).mean()), rel=0.1)
    (question,) = plan.questions
    # Whatever those are like who have it, if as many lack it as was declared.
    worst = question.largest_error()
    for place in (0, 7, 39):
        shares = np.append(0.8 * (np.arange(40) == place), 0.2)
        assert question.errors(shares).max() <= worst * (1 + 1e-9)
    assert worst <= 3 * question.errors().max()


def test_it_is_explained_shown_and_written(plan, found, tmp_path, capsys):
    assert any("or that it is missing" in line for line in sordino.explain(plan))
    (result,) = found.results
    print_blocks(result.blocks())
    said = capsys.readouterr().out
    assert "the distribution of income among those who have it" in said
    assert "people without a number" in said
    json.dumps([result_json(result.blocks()), *result.rows()], allow_nan=False)
    found.page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Histogram of income among those who have it" in page
    assert "Without income" in page
    found.save(tmp_path / "rows.csv")
    assert "income,missing," in (tmp_path / "rows.csv").read_text()


def test_where_nobody_has_it_nothing_is_told(plan):
    nobody = sordino.aggregate(plan, sordino.privatize(plan, people(incomes(PEOPLE, 1.0))))
    with pytest.raises(SordinoError, match="a distribution needs reports that show that somebody has the number"):
        # In one of forty such surveys noise says that somebody has it: not at six standard errors.
        sordino.estimate(plan, nobody, confidence=1 - 2e-9)


def test_what_forged_reports_can_move_is_not_told(plan):
    tally = collected(plan, incomes(2000, MISSING), "few")
    with pytest.raises(SordinoError, match="everybody has; found 'income', which may be missing"):
        sordino.estimate(plan, tally, forged=5)


def test_watched_limits_are_wider(plan, found):
    tally = collected(plan, incomes(PEOPLE, MISSING))
    (once,), (always,) = found.results, sordino.estimate(plan, tally, watched=True).results
    for one, other in zip(once.rows(), always.rows(), strict=True):
        assert other["low"] <= one["low"] <= one["high"] <= other["high"]
    assert always.missing_row["high"] - always.missing_row["low"] > 1.4 * (
        once.missing_row["high"] - once.missing_row["low"]
    )


def test_two_collections_are_compared_where_both_may_lack_it(plan):
    before, after = (collected(plan, incomes(PEOPLE, share, seed), str(seed)) for share, seed in ((0.1, 2), (0.5, 3)))
    rows = sordino.change(plan, before, plan, after).rows()
    (missing,) = [row for row in rows if row.get("value") == "missing"]
    assert missing["low"] <= 0.4 <= missing["high"]
    had = {**survey(), "attribute": {"income": {"number": INCOME["number"]}}}
    all_have = sordino.plan(had, people=PEOPLE)
    everybody = collected(all_have, incomes(PEOPLE, 0.0), "all")
    with pytest.raises(SordinoError, match="income may be missing in the later one alone"):
        sordino.change(all_have, everybody, plan, after)


def test_a_plan_that_reads_it_otherwise_is_refused(plan):
    document = json.loads(plan.bytes)
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    del content["attributes"]["income"]["missing"]
    with pytest.raises(SordinoError):
        _ = Plan(unseal(PLAN.seal(content), "a plan")).sampled


def test_deltas_hold_by_bounds_for_all_others_together():
    attributes = {"income": INCOME, "age": {"number": {"low": 0, "high": 100}, "delta": "0.5"}}
    asks = [ASK, {"mean": ["age"]}]
    made = sordino.plan(survey(attribute=attributes, ask=asks, dependence={"rest": "0.2"}), people=PEOPLE)
    assert made.promise.holds
    assert float(made.questions[0].definition.epsilon) == pytest.approx(np.log1p(np.expm1(0.5) / 0.2), abs=1e-9)
    with pytest.raises(SordinoError, match="thresholds must be of numbers that everybody has"):
        sordino.plan(survey(attribute=attributes, ask=asks, dependence={"thresholds": {"income": 0.01}}), people=PEOPLE)


@pytest.mark.parametrize(
    ("ask", "mechanism"),
    [(ASK, HierarchyResponse), ({"distribution": "income"}, OptionalWindow)],
    ids=["ranges", "curve"],
)
def test_no_bound_on_distribution_functions_serves_what_may_be_missing(ask, mechanism):
    """A plan that another hand wrote with one: that a number is missing has no place in the order of the bins."""
    attributes = {"income": INCOME, "age": {"number": {"low": 0, "high": 100}, "delta": "0.5"}}
    made = sordino.plan(survey(attribute=attributes, ask=[ask, {"mean": ["age"]}]), people=PEOPLE)
    assert isinstance(made.questions[0].mechanism, mechanism)
    document = json.loads(made.bytes)
    content = {name: part for name, part in document.items() if name not in {"format", "version", "hash"}}
    bound = {"attribute": "age", "number": "income", "bound": "1/100"}
    content["dependence"] = {
        "rest": {"age": "1", "income": "1"},
        "statistics": [],
        "thresholds": [bound],
        "ground": ["declared"],
    }
    other = Plan(unseal(PLAN.seal(content), "a plan"))
    assert other.promise.losses == made.promise.losses
