"""Covariances and regressions of numbers that may be missing: what is frozen, promised, told, shown and refused."""

import json

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import Aggregate, KeyedSource, Plan, Sampled, SordinoError, Survey
from sordino.design.numbers.numbers_accuracy import expected_tally
from sordino.document.queries import freeze_queries
from sordino.estimation.estimated_moments import read_moments
from sordino.estimation.moment_estimator import mean_readings
from sordino.show.estimate_rows import result_json
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.reports_needed import reports_for_numbers
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.sample_size import sample_size
from sordino.survey.results.result import results

pytestmark = pytest.mark.filterwarnings("ignore:.*a standard deviation of a tenth:sordino.SordinoWarning")

PEOPLE = 40_000
ATTRIBUTES = {
    "income": {"number": {"low": 0, "high": 1000}, "missing": "0.3"},
    "age": {"number": {"low": 0, "high": 100}},
    "smoker": {"categories": ["yes", "no"]},
}
ASKS = {
    "covariance": {"covariance": ["age", "income"]},
    "regression": {"regression": {"target": "income", "features": ["age"]}},
    "category": {"regression": {"target": "income", "features": ["smoker", "age"]}},
}
TRUTH = {"age": 625, "age, income": 5000, "income": 44_000, "intercept": 100, "smoker: no against yes": 80}


def survey(ask, attributes=None, **more):
    known = ATTRIBUTES | (attributes or {})
    asked = [name for name in known if name in json.dumps(ask)]
    return {"version": 1, "epsilon": "4", "attribute": {name: known[name] for name in asked}, "ask": [ask], **more}


def made(kind="covariance", people=PEOPLE, **more):
    return sordino.plan(survey(ASKS[kind], **more), people=people)


def people(n, missing=0.3, seed=0):
    """Those who lack the income are all of one age, so that covariances of everybody's ages are others."""
    rng = np.random.default_rng(seed)
    absent = rng.random(n) < missing
    old = rng.choice([25.0, 75.0], n)
    smoker = rng.random(n) < 0.5
    income = 100 + 8 * old + 80 * ~smoker + rng.choice([-50.0, 50.0], n)
    return pa.table(
        {
            "id": np.arange(n),
            "income": pa.array(income, mask=absent),
            "age": np.where(absent, 100.0, old),
            "smoker": np.where(smoker, "yes", "no"),
        }
    )


def collected(plan, table, key=b"k"):
    source = KeyedSource(key * 32, "survey")
    return sordino.aggregate(plan, sordino.privatize(plan, table, source, id_column="id"))


@pytest.mark.parametrize(("kind", "rows"), [("covariance", 4), ("regression", 3), ("category", 4)])
def test_from_survey_to_estimates(kind, rows, tmp_path):
    plan = made(kind)
    assert Plan.of_text(plan.bytes.decode(), "it").promise.holds
    assert float(plan.promise.level) <= 4 + 1e-12
    found = sordino.estimate(plan, collected(plan, people(PEOPLE)))
    told = {row["value"]: row for row in found.results[0].rows()}
    truths = {"complete cases": 0.7, "age": 625, "age, income": 5000, "income": 44_100}
    if kind != "covariance":
        truths = {"complete cases": 0.7, "age": 8, "smoker: no against yes": 80}
    assert len(told) == rows
    for name, truth in truths.items():
        if name in told:
            assert abs(told[name]["estimate"] - truth) < 6 * told[name]["stderr"], name
            assert told[name]["low"] < told[name]["estimate"] < told[name]["high"]
    assert list(told)[-1] == "complete cases"
    assert list(found.to_pandas()["kind"])[-1] == "complete"
    found.page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "among those who have all these numbers" in page
    assert "% of everyone" in page
    assert any("Anyone missing any of the numbers" in line for line in sordino.explain(plan))
    json.dumps([result_json(found.results[0].blocks()), *found.results[0].rows()], allow_nan=False)


@pytest.mark.parametrize("kind", ASKS)
def test_forecasts_are_what_estimates_show(kind):
    plan = made(kind)
    whole = people(PEOPLE)
    (found,) = results(plan, collected(plan, whole))
    names = plan.questions[0].attribute_names
    (column,) = [question.intervals for question in plan.questions]
    values = [np.asarray(whole.column(n)) for n in names]
    codes = [np.where(v == "yes", 0.0, 1.0) if v.dtype.kind in "UO" else v.astype(float) for v in values]
    scaled = np.column_stack([end.scale(code) for end, code in zip(column, codes, strict=True)])
    for records, most in ((scaled, 0.15), (None, None)):
        (forecast,) = forecasts(plan, [records])
        assert forecast.plan.labels[-1] == "complete cases"
        shown = [row["stderr"] for row in found.rows()]
        if most is not None:
            np.testing.assert_allclose(forecast.plan.stderr, shown, rtol=most)
    assert forecast.plan.stderr[-1] == pytest.approx(shown[-1], rel=0.1)
    assert sample_size(plan, 0.05, 0.95) > 1000


def test_watched_and_simultaneous_limits_are_wider():
    plan = made()
    tally = collected(plan, people(PEOPLE))
    (once,), watched, together = (
        results(plan, tally, coverage=c) for c in (Coverage(), Coverage(watched=True), Coverage(simultaneous=True))
    )
    for wider in (*watched, *together):
        for one, other in zip(once.rows(), wider.rows(), strict=True):
            assert other["low"] <= one["low"] <= one["high"] <= other["high"]


@pytest.mark.parametrize("kind", ASKS)
def test_where_nobody_has_the_number_nothing_is_told_in_words(kind):
    plan = made(kind)
    (refused,) = sordino.estimate(plan, collected(plan, people(PEOPLE, missing=1.0))).results
    assert "the share of people who have all the numbers must exceed 0" in str(refused.why)
    (share,) = refused.rows()
    assert (share["value"], share["low"]) == ("complete cases", 0)


@pytest.mark.parametrize("kind", ASKS)
def test_few_reports_show_errors_or_words(kind):
    plan = made(kind)
    for n in (6, 8, 12, 40):
        tally = collected(plan, people(n))
        try:
            (found,) = results(plan, tally)
        except SordinoError:
            continue
        assert all(row["stderr"] > 0 for row in found.rows())


def test_what_forged_reports_can_move_is_not_told():
    plan = made()
    with pytest.raises(SordinoError, match="everybody has; found 'income', which may be missing"):
        sordino.estimate(plan, collected(plan, people(PEOPLE)), forged=5)


@pytest.mark.parametrize("kind", ASKS)
def test_two_collections_are_compared_where_the_same_may_be_missing(kind):
    plan = made(kind)
    before = collected(plan, people(PEOPLE, 0.2, 1), b"a")
    after = collected(plan, people(PEOPLE, 0.6, 2), b"b")
    rows = sordino.change(plan, before, plan, after).rows()
    (share,) = [row for row in rows if row["value"] == "complete cases"]
    assert share["low"] <= -0.4 <= share["high"]
    assert len(rows) == len(list(results(plan, before)[0].rows()))
    everybody = made(kind, attributes={"income": {"number": ATTRIBUTES["income"]["number"]}})
    whole = collected(everybody, people(PEOPLE, 0.0, 3), b"c")
    with pytest.raises(SordinoError, match="income may be missing in the later one alone"):
        sordino.change(everybody, whole, plan, after)


def test_covariances_among_other_people_are_others():
    """The covariance of age and height among those who also have an income is not that of all."""
    height = {"height": {"number": {"low": 0, "high": 2}}}
    table = people(PEOPLE).append_column("height", [np.full(PEOPLE, 1.0)])
    two, three = (
        sordino.plan(survey({"covariance": names}, height), people=PEOPLE)
        for names in (["age", "height"], ["age", "height", "income"])
    )
    with pytest.raises(SordinoError, match="must be a question of both collections"):
        sordino.change(two, collected(two, table), three, collected(three, table))


def test_deltas_hold_by_bounds_for_all_others_together():
    attributes = {"income": {**ATTRIBUTES["income"], "delta": "1"}, "smoker": {**ATTRIBUTES["smoker"], "delta": "0.5"}}
    plan = sordino.plan(
        survey(ASKS["covariance"], {**attributes, "income": attributes["income"]}, dependence={"rest": "0.1"}),
        people=PEOPLE,
    )
    reached = dict(zip(plan.promise.names, map(float, plan.promise.losses), strict=True))
    assert plan.promise.holds
    assert reached["income"] == pytest.approx(1, rel=1e-9)
    # Every report tells of the income, also one about the age alone.
    assert reached["age"] <= 1 + 1e-9


def forged(plan, sealed, change):
    document = json.loads(plan.bytes)
    change(document)
    return Plan.of_text(json.dumps(sealed(document), sort_keys=True, separators=(",", ":")) + "\n", "it")


def test_plans_that_read_them_otherwise_are_refused(sealed):
    plan, regression = made(), made("category")

    def always_there(document):
        del document["attributes"]["income"]["missing"]

    def mean(document):
        document["queries"][0]["asked"] = "mean"

    def of_everybody(document):
        statistics = document["queries"][0]["queries"]["statistics"]
        statistics[0] = ["number", 0, 3]

    def of_others(document):
        document["attributes"]["age"]["missing"] = "0.1"

    def fewer(document):
        query = plan.questions[0].query
        document["queries"][0]["queries"] = freeze_queries(Sampled(query.queries[1:], query.weights[1:]))

    cases = [
        (plan, always_there, "as such, and no others"),
        (plan, mean, "every moment that is needed"),
        (plan, of_everybody, "every moment that is needed"),
        (plan, of_others, "as such, and no others"),
        (plan, fewer, "every moment that is needed"),
        (regression, always_there, "as such, and no others"),
    ]
    for one, change, why in cases:
        with pytest.raises(SordinoError, match=why):
            forged(one, sealed, change)


@pytest.mark.parametrize("kind", ["covariance", "regression"])
def test_how_many_reports_are_awaited_is_said_where_they_do_not_tell_complete_cases(kind):
    attributes = {"income": {**ATTRIBUTES["income"], "missing": "0.99"}}
    (question,) = Plan.of(Survey.read(survey(ASKS[kind], attributes, epsilon="1")), PEOPLE).questions
    awaited = reports_for_numbers(question)
    told = []
    for n in (awaited // 2, awaited + awaited // 50):
        share, stderr = read_moments(question.query).share(tally_of(question, n))
        told.append(share > 3 * stderr)
    # Far more reports are needed to tell how a feature varies.
    assert told == ([False, True] if kind == "covariance" else [True, True])


def tally_of(question, n):
    """That of so many people like the plan's forecasts take them, rounded."""
    expected = expected_tally(question.query, mean_readings(question.query, question.unknown, 0.01))
    counts = np.rint(expected.counts * (n / expected.n)).astype(np.int64)
    return Aggregate(expected.fingerprint, int(counts.sum()), counts)
