"""What several questions say together is never less sure than the best of them, and errs as it says.

Over plans drawn at random: means, covariances, regressions, tables and histograms of the same attributes, numbers that
may be missing or not. Tallies are drawn from the exact channels (`tallied`), by none of the estimators.
"""

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino.estimation.joint.table_cells import sums_over
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import results_so_far
from sordino.views.pooled_results import pooled_results
from surveys import planned
from tallied import tallies

PEOPLE, SURVEYS = 40_000, 60
SPREAD = np.tile([-0.6, -0.2, 0.2, 0.6], 16)
"""Scaled numbers as forecasts take them: around the middle of the range."""


def drawn(seed):
    """A plan whose questions have attributes in common, and the people of whom its forecasts are."""
    rng = np.random.default_rng(seed)
    sizes = {"a": int(rng.integers(2, 6)), "b": int(rng.integers(2, 5))}
    attributes = {name: {"categories": k} for name, k in sizes.items()}
    # Blocks are for surveys of categories alone.
    blocks = bool(seed % 2)
    if blocks:
        attributes["a"] = {"categories": sizes["a"] * 2, "protect": {"blocks": 2}}
    attributes |= {name: {"number": {"low": 0, "high": 10}} for name in ("x", "y", "z")}
    if rng.random() < 0.6:
        attributes["z"]["missing"] = "0.2"
    kinds = [
        {"histogram": "a"},
        {"histogram": "b"},
        {"table": ["b", "a"]},
        {"mean": ["x"]},
        {"mean": ["x", "z"]},
        {"mean": ["y", "x"]},
        {"covariance": ["x", "y"]},
        {"covariance": ["x", "z"]},
        {"regression": {"target": "y", "features": ["x"]}},
    ]
    some = range(3) if blocks else sorted(rng.choice(len(kinds), 6, replace=False).tolist())
    asked = [kinds[place] | {"weight": int(rng.integers(1, 8))} for place in some]
    used = {name for one in asked for name in _names(one)}
    survey = {
        "version": 1,
        "epsilon": str(rng.choice(["0.5", "1", "3"])),
        "attribute": {name: own for name, own in attributes.items() if name in used},
        "ask": asked,
    }
    plan = planned(survey, PEOPLE)
    order = np.arange(64)
    k = {name: attributes[name].get("categories", 0) for name in ("a", "b")}
    people = {"a": order % k["a"], "b": order // k["a"] % k["b"]}
    people |= {"x": 5 + 5 * SPREAD, "y": 5 + 5 * np.roll(SPREAD, 1), "z": 5 + 5 * SPREAD[rng.permutation(64)]}
    if "missing" in attributes["z"]:
        people["z"][rng.permutation(64)[:13]] = np.nan
    return plan, people


def _names(one):
    asked = next(value for kind, value in one.items() if kind != "weight")
    if isinstance(asked, dict):
        return [asked["target"], *asked["features"]]
    return [asked] if isinstance(asked, str) else asked


def own_errors(found, name):
    """The standard errors that the questions print for a quantity themselves."""
    means = [result for result in found if result.question.name.startswith("mean of")]
    return [row["stderr"] for result in means for row in result.rows() if f"mean of {row['value']}" == name]


def own_values(found, name):
    """What each question estimates of a quantity itself."""
    told = {}
    for result in found:
        asked = result.question.name
        means = {f"mean of {row['value']}": row["estimate"] for row in result.rows() if asked.startswith("mean of")}
        if asked == name:
            told[asked] = result.estimate.value
        elif name in means:
            told[asked] = [means[name]]
    return told


def spread(values):
    """The root of the mean variance of what was estimated again and again, shape (surveys, values)."""
    return float(np.sqrt(np.var(values, axis=0, ddof=1).mean()))


@pytest.mark.parametrize("seed", range(8))
def test_of_random_plans_no_pooled_mean_is_less_sure_than_that_of_any_question(seed):
    plan, people = drawn(seed)
    for tally in tallies(plan, people, PEOPLE, 2, seed):
        found = results_so_far(plan, tally)
        for one in pooled_results(plan, tally, found, Coverage()):
            if one.name.startswith("mean of"):
                # What the reports say of their own errors differs a little from what was expected.
                assert all(one.estimate.stderr[0] < 1.01 * own for own in own_errors(found, one.name)), one.name
            else:
                names = {result.question.name: result for result in found}
                single = names.get(one.name)
                assert single is None or (one.estimate.stderr < 1.05 * single.estimate.stderr).all()


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(100, 140))
def test_of_random_plans_pooled_numbers_err_as_they_say_and_no_more_than_any_question_s(seed):
    plan, people = drawn(seed)
    pooled, stated, single = {}, {}, {}
    for tally in tallies(plan, people, PEOPLE, SURVEYS, seed):
        found = results_so_far(plan, tally)
        for one in pooled_results(plan, tally, found, Coverage()):
            pooled.setdefault(one.name, []).append(one.estimate.value)
            stated.setdefault(one.name, []).append(one.estimate.stderr)
            for name, values in own_values(found, one.name).items():
                single.setdefault((one.name, name), []).append(values)
    assert pooled
    for name, values in pooled.items():
        # 60 draws: a spread is within 45 % of the true one, and such a ratio below 1.25, but once in a million times.
        assert 0.6 < spread(values) / np.sqrt(np.mean(np.square(stated[name]))) < 1.45, name
        others = [spread(own) for (quantity, _), own in single.items() if quantity == name and len(own) == SURVEYS]
        assert len(values) < SURVEYS or all(spread(values) < 1.25 * other for other in others), name


def test_a_mean_beside_a_number_that_may_be_missing_is_pooled():
    """The covariance alone says little of x; before, it was pooled without the question that says most."""
    attributes = {name: {"number": {"low": 0, "high": 10}} for name in ("x", "y", "z")}
    attributes["z"]["missing"] = "0.2"
    asked = [{"covariance": ["x", "y"]}, {"mean": ["x", "z"]}, {"mean": ["x"]}]
    plan = planned({"version": 1, "epsilon": "1", "attribute": attributes, "ask": asked}, PEOPLE)
    people = {"x": 5 + 5 * SPREAD, "y": 5 + 5 * np.roll(SPREAD, 1), "z": np.where(np.arange(64) % 5, 4.0, np.nan)}
    pooled, apart = [], []
    for tally in tallies(plan, people, PEOPLE, SURVEYS, 3):
        found = results_so_far(plan, tally)
        (one,) = pooled_results(plan, tally, found, Coverage())
        assert one.questions == ("covariance of x, y", "mean of x, z", "mean of x")
        pooled.append((float(one.estimate.value[0]), float(one.estimate.stderr[0])))
        apart.append(min(own_errors(found, "mean of x")))
    values, errors = np.array(pooled).T
    assert (errors < 0.95 * np.array(apart)).all()
    # 60 draws: their spread is within 35 % of the true one, but once in a million times.
    assert 0.65 < values.std(ddof=1) / errors.mean() < 1.4
    assert abs(values.mean() - 5) < 5 * errors.mean() / np.sqrt(SURVEYS)


SHARES = {
    "one in a hundred": ({"categories": 2}, "4", [0.01, 0.99]),
    "nobody": ({"categories": 2}, "8", [0.0, 1.0]),
    "nobody who is protected": ({"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}}, "8", [0.0, 1.0]),
    "a block that is nearly empty": ({"categories": 4, "protect": {"blocks": 2}}, "8", [0.5, 0.49, 0.01, 0.0]),
    "ends of a line": ({"categories": 12, "protect": {"metric": {"per": 2}}}, "1", [0.5, 0.3, 0.2, *[0.0] * 9]),
}


@pytest.mark.parametrize("case", SHARES)
def test_shares_that_nobody_expected_are_surer_than_those_of_any_question(case):
    """By the weights of people of whom nothing is known they were up to 2.6 times less sure."""
    attribute, epsilon, shares = SHARES[case]
    asked = [{"histogram": "s"}, {"table": ["s", "t"]}]
    survey = {"version": 1, "epsilon": epsilon, "attribute": {"s": attribute, "t": {"categories": 12}}, "ask": asked}
    plan = planned(survey, PEOPLE)
    people = {
        "s": np.repeat(np.arange(len(shares)), np.round(1200 * np.array(shares)).astype(int)),
        "t": np.arange(1200) % 12,
    }
    for tally in tallies(plan, people, PEOPLE, 1, 11):
        found = results_so_far(plan, tally)
        (one,) = (one for one in pooled_results(plan, tally, found, Coverage()) if one.name == "s")
        alone, table = (result.estimate for result in found)
        margin = np.sqrt(table.variances(sums_over((len(shares), 12), [0])))
        assert (one.estimate.stderr < 1.02 * np.minimum(alone.stderr, margin)).all()


NUMBERS = {
    "incomes far from the middle": ("8", lambda rng: np.minimum(rng.lognormal(-3.5, 0.5, PEOPLE), 1)),
    "a constant": ("8", lambda rng: np.full(PEOPLE, 0.5)),
    "an end": ("6", lambda rng: np.zeros(PEOPLE)),
}


@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("case", NUMBERS)
def test_means_of_numbers_that_nobody_expected_are_surer_than_those_of_any_question(case, expected):
    """By the weights of people of whom nothing is known they were up to 1.8 times less sure."""
    rng, (epsilon, draw) = np.random.default_rng(3), NUMBERS[case]
    people = pa.table({"a": draw(rng), "b": rng.random(PEOPLE)})
    number = {"number": {"low": 0, "high": 1}}
    asked = [{"mean": ["a"]}, {"mean": ["a", "b"]}, {"covariance": ["a", "b"]}]
    survey = {"version": 1, "epsilon": epsilon, "attribute": {"a": number, "b": number}, "ask": asked}
    plan = sordino.plan(survey, PEOPLE, expect=people if expected else None)
    found = sordino.estimate(plan, sordino.aggregate(plan, sordino.privatize(plan, people)))
    (one,) = (one for one in found.views["pooled"].each if one.name == "mean of a")
    own = own_errors(found.results, one.name)
    assert len(own) == 2
    assert one.estimate.stderr[0] < 1.02 * min(own)
    assert abs(one.estimate.value[0] - np.mean(people["a"])) < 5 * one.estimate.stderr[0]
