"""Intervals of numbers hold as often as is said: of changes, of pooled means, of missing numbers, at all times, and in
spite of forged reports. Over 400 seeded surveys each, or as many as SURVEYS says."""

import os

import numpy as np
import pytest
from scipy import stats

from sordino import Aggregate
from sordino.estimation.intervals.possible import possible_limits
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import Untold, results
from sordino.views.collection_changes import changes
from sordino.views.pooled_results import pooled_results
from surveys import planned
from tallied import codes, tallies

pytestmark = pytest.mark.statistical

SURVEYS = int(os.environ.get("SURVEYS", "400"))
BINS = 128

NUMBERS = {"income": {"number": {"low": 0, "high": 1000}}, "age": {"number": {"low": 0, "high": 100, "bins": BINS}}}
REGRESSION = {"regression": {"target": "income", "features": ["age"]}, "weight": 4}


def people(seed, slope):
    """A population of which all are drawn alike: skewed incomes that grow with age."""
    rng = np.random.default_rng(seed)
    age = 100 * rng.beta(2, 4, 60)
    return {"age": age, "income": np.clip(60 + slope * age + rng.gamma(1, 60, 60), 0, 1000)}


EARLY, LATE = people(1, 2), people(2, 4)


def asking(epsilon, count, *asked):
    """A plan; what is asked by name."""
    kinds = {
        "means": {"mean": ["income", "age"]},
        "alone": {"mean": ["income"]},
        "covariance": {"covariance": ["income", "age"]},
        "regression": REGRESSION,
        "quantiles": {"distribution": "age", "quantiles": ["0.25", "0.5"]},
        "job": {"histogram": "job"},
    }
    attributes = {**NUMBERS, "job": {"categories": ["smith", "baker", "judge", "clerk"]}}
    used = attributes if "job" in asked else NUMBERS
    survey = {"version": 1, "epsilon": epsilon, "attribute": used, "ask": [kinds[name] for name in asked]}
    return planned(survey, count)


def within(held, low=0.94, high=0.96):
    """Whether coverage lies within these, up to what chance allows in so many surveys; and what it is."""
    least, most = stats.binom.ppf(1e-4, len(held), low), stats.binom.ppf(1 - 1e-4, len(held), high)
    return bool(least <= sum(held) <= most), np.mean(held)


def truths(some):
    """What a population's numbers are, by the words of a row of changes."""
    income, age = some["income"], some["age"]
    square = np.cov([income, age], bias=True)
    slope = square[0, 1] / square[1, 1]
    told = {
        ("mean of income", "income"): income.mean(),
        ("mean of age", "age"): age.mean(),
        ("covariance of income", "income"): square[0, 0],
        ("covariance of income, age", "income, age"): square[0, 1],
        ("covariance of age", "age"): square[1, 1],
        ("regression of income on age", "intercept"): income.mean() - slope * age.mean(),
        ("regression of income on age", "age"): slope,
    }
    return told | {("age", part): np.sort(age)[int(np.ceil(float(part) * 60)) - 1] for part in ("0.25", "0.5")}


RARE = {"income": np.where(np.arange(100) == 0, 1000.0, 0.0)}
"""One in a hundred has all that there is."""


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize(("epsilon", "count"), [("4", 30), ("8", 60), ("8", 300), ("2", 3000)])
def test_a_mean_that_few_people_make(epsilon, count, simultaneous, missing):
    income = {**NUMBERS["income"], **({"missing": "0.3"} if missing else {})}
    asked = {"version": 1, "epsilon": epsilon, "attribute": {"income": income}, "ask": [{"mean": ["income"]}]}
    plan, held = planned(asked, count), []
    lacking = np.full(40 if missing else 0, np.nan)
    for tally in tallies(plan, {"income": np.append(RARE["income"], lacking)}, count, SURVEYS, 12):
        (result,) = results(plan, tally, "unbiased", Coverage(simultaneous=simultaneous))
        row = next(result.rows())
        held.append(row["value"] != "income" or row["low"] <= 10 <= row["high"])
    assert within(held, high=1.0)[0], np.mean(held)


def test_limits_for_many_looks_and_forged_reports_are_made_of_normal_ones():
    asked = {"attribute": {"income": NUMBERS["income"]}, "ask": [{"mean": ["income"]}]}
    plan = planned({"version": 1, "epsilon": "8", **asked}, 300)
    (tally,) = tallies(plan, {"income": RARE["income"]}, 300, 1, 13)
    for coverage in (Coverage(watched=True), Coverage(forged=3)):
        ((result,), normal) = results(plan, tally, "unbiased", coverage), Coverage().errors(300, 300, 0.95)
        # The standard error is no smaller than the interval of one look says.
        value, stderr = result.estimate.value, np.array([next(result.rows())["stderr"]])
        assert (stderr >= result.estimate.stderr).all()
        reach = normal * stderr
        of = {"each": 0.95, "n": 300, "expected": 300, "moved": result.moved, "part": result.part}
        found = coverage.limits((value - reach, value + reach), value, stderr, **of)
        np.testing.assert_allclose(np.ravel(result.interval), np.ravel(possible_limits(value, found, (0, 1000))))


@pytest.mark.parametrize(("epsilon", "count"), [("2", 4000), ("2", 150_000), ("4", 40_000)])
def test_what_changed_between_two_collections(epsilon, count):
    plan = asking(epsilon, count, "means", "covariance", "regression", "quantiles")
    before, after = truths(EARLY), truths(LATE)
    held = {name: [] for name in before}
    drawn = zip(tallies(plan, EARLY, count, SURVEYS, 5), tallies(plan, LATE, count, SURVEYS, 6), strict=True)
    for early, late in drawn:
        found, _ = changes(results(plan, early), results(plan, late), Coverage())
        for row in (row for one in found for row in one.rows):
            name = row.about["attribute"], row.about.get("quantile", row.about.get("value"))
            if name in held:
                held[name].append(row.change.low <= after[name] - before[name] <= row.change.high)
    for name, own in held.items():
        # Quantiles end at edges of bins. Coefficients that are sometimes not told are surer where they are.
        surer = name[0] == "age" or (len(own) < SURVEYS and name[0].startswith("regression"))
        fine, covered = within(own, high=1.0 if surer else 0.96) if len(own) >= SURVEYS / 4 else (True, None)
        assert fine, (name, covered)
    assert count == 4000 or len(held["regression of income on age", "age"]) > SURVEYS / 2


@pytest.mark.parametrize(("epsilon", "count"), [("1", 2000), ("2", 20_000)])
def test_a_mean_that_several_questions_tell(epsilon, count):
    plan, held = asking(epsilon, count, "alone", "means", "covariance", "regression"), {"income": [], "age": []}
    for tally in tallies(plan, EARLY, count, SURVEYS, 7):
        for result in pooled_results(plan, tally, (), Coverage()):
            (row,) = result.rows()
            held[row["value"]].append(row["low"] <= EARLY[row["value"]].mean() <= row["high"])
    for name, own in held.items():
        assert len(own) == SURVEYS
        assert within(own)[0], (name, np.mean(own))


@pytest.mark.parametrize(("epsilon", "count", "share"), [("1", 2000, 0.2), ("4", 1000, 0.5), ("1", 20_000, 0.9)])
def test_a_number_that_may_be_missing(epsilon, count, share):
    attributes = {**NUMBERS, "income": {**NUMBERS["income"], "missing": "0.2"}}
    asked = {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": [{"mean": ["income", "age"]}]}
    plan = planned(asked, count)
    lacking = {
        "income": np.repeat(
            [EARLY["income"], np.nan * EARLY["income"]], [10 - round(10 * share), round(10 * share)], axis=0
        )
    }
    some = {"income": lacking["income"].ravel(), "age": np.tile(EARLY["age"], 10)}
    truth = {"income": EARLY["income"].mean(), "age": EARLY["age"].mean(), "income missing": share}
    held = {name: [] for name in truth}
    for tally in tallies(plan, some, count, SURVEYS, 8):
        (result,) = results(plan, tally)
        for row in result.rows():
            held[row["value"]].append(row["low"] <= truth[row["value"]] <= row["high"])
    for name, own in held.items():
        assert len(own) > 0.95 * SURVEYS
        assert within(own)[0], (name, np.mean(own))


@pytest.mark.parametrize(("epsilon", "count", "share"), [("1", 20_000, 0.2), ("4", 2000, 0.5), ("2", 20_000, 0.8)])
def test_the_distribution_of_a_number_that_may_be_missing(epsilon, count, share):
    lacking, among = round(60 * share / (1 - share)), EARLY["age"]
    age = {"number": {"low": 0, "high": 100, "bins": 64}, "missing": "0.3"}
    ask = {"distribution": "age", "quantiles": ["0.5"], "ranges": [[0, 25]]}
    plan = planned({"version": 1, "epsilon": epsilon, "attribute": {"age": age}, "ask": [ask]}, count)
    edges = np.linspace(0, 100, 65)
    function, part = np.mean(among[:, None] < edges, axis=0), lacking / (60 + lacking)
    fullest, half = int(np.argmax(np.diff(function))), np.sort(among)[29]
    held = {name: [] for name in ("bin", "range", "missing", "band", "quantile", "edges")}
    for tally in tallies(plan, {"age": np.append(among, np.full(lacking, np.nan))}, count, SURVEYS, 11):
        (result,) = results(plan, tally, "unbiased")
        if not isinstance(result, Untold):
            (low, high), (row,), missing = result.interval, result.ranges, result.missing_row
            held["bin"].append(low[fullest] <= np.diff(function)[fullest] <= high[fullest])
            held["range"].append(row["low"] <= np.mean(among < 25) <= row["high"])
            held["missing"].append(missing["low"] <= part <= missing["high"])
            ((_, _, low, high),) = result.quantiles
            held["quantile"].append(low <= half <= high)
            low, high = result.band
            held["band"].append(bool(((low <= function) & (function <= high)).all()))
            apart = np.abs(result.estimate.function - function[1:-1])
            held["edges"].append(bool((apart <= 1.96 * result.estimate.stderr).all()))
    for name, own in held.items():
        assert len(own) > 0.95 * SURVEYS
        if name != "edges":
            # A quantile's interval ends at edges.
            assert within(own, high=1.0 if name == "quantile" else 0.96)[0], (name, np.mean(own))
    # Limits of each edge by itself are no band.
    assert np.mean(held["edges"]) < 0.85


@pytest.mark.parametrize(("epsilon", "count"), [("1", 100), ("2", 3000), ("4", 100_000)])
def test_bins_of_a_distribution_and_how_they_change(epsilon, count):
    """Of few reports and of many; of bins that hold many people, hardly any and none."""
    age = {"number": {"low": 0, "high": 100, "bins": 20}}
    ask = {"distribution": "age", "ranges": [[0, 25], [90, 100]]}
    plan = planned({"version": 1, "epsilon": epsilon, "attribute": {"age": age}, "ask": [ask]}, count)
    sides = [dict.fromkeys(["age"], EARLY["age"]), dict.fromkeys(["age"], 0.5 * LATE["age"])]
    ends = np.array([(low, low + 5) for low in range(0, 100, 5)] + ask["ranges"])
    before, after = (((own["age"] >= ends[:, :1]) & (own["age"] < ends[:, 1:])).mean(axis=1) for own in sides)
    held, changed, narrowest, errors = [], [], 1.0, []
    drawn = (tallies(plan, own, count, SURVEYS, seed) for seed, own in enumerate(sides, 21))
    for tally, later in zip(*drawn, strict=True):
        found = results(plan, tally, "unbiased")
        # The mean and the standard deviation stand last.
        rows = list(found[0].rows())[: len(ends)]
        low, high = (np.array([row[name] for row in rows]) for name in ("low", "high"))
        held.append((low <= before) & (before <= high))
        narrowest = min(narrowest, (high - low).min())
        errors.append([row["stderr"] for row in rows])
        ((told,), _) = changes(found, results(plan, later, "unbiased"), Coverage())
        low, high = (
            np.array([getattr(row.change, name) for row in told.rows[: len(ends)]]) for name in ("low", "high")
        )
        changed.append((low <= after - before) & (after - before <= high))
    # Limits of shares that are nearer to 0 than these reach are missed to one side alone.
    full = before > 1.96 * np.mean(errors, axis=0)
    for place, (own, change) in enumerate(zip(np.transpose(held), np.transpose(changed), strict=True)):
        assert within(own, high=0.96 if full[place] else 0.975 if count > 100 else 1.0)[0], (place, own.mean())
        assert within(change, high=0.96 if count > 100 else 1.0)[0], (place, change.mean())
    assert narrowest > 1e-4
    assert full.any() == (count > 100)


LOOKS = np.unique(np.geomspace(60, 100_000, 30).astype(int))
EXPECTED = 20_000
JOBS = np.repeat([0, 1, 2, 3], [1, 6, 18, 35])
"""One in sixty is a smith."""


def told(found, true):
    """Of results of means, covariances and shares, each number with its limits and what it is."""
    for result in found:
        if not isinstance(result, Untold):
            for name, low, high in zip(labels(result), *(side.ravel() for side in result.interval), strict=True):
                yield name, low, high, true[name]


def labels(result):
    """The names of a result's numbers, in the order of its intervals."""
    asked = getattr(result.question.part, "asked", "share")
    if asked == "covariance":
        return [f"covariance of {one}, {other}" for one in ("income", "age") for other in ("income", "age")]
    return [f"{asked} of {result.label(place)}" for place in range(result.count)]


def known(some):
    square = np.cov([some["income"], some["age"]], bias=True)
    own = {f"mean of {name}": some[name].mean() for name in ("income", "age")}
    own |= {f"share of {name}": np.mean(at == JOBS) for at, name in enumerate(["smith", "baker", "judge", "clerk"])}
    names = [f"covariance of {one}, {other}" for one in ("income", "age") for other in ("income", "age")]
    return own | dict(zip(names, square.ravel(), strict=True))


def test_whoever_looks_all_the_time_is_right_as_often_as_is_said():
    plan, some = asking("2", EXPECTED, "means", "covariance", "job"), {**EARLY, "job": JOBS}
    law, true, rng = codes(plan, some), known(some), np.random.default_rng(9)
    missed, once = {name: np.zeros(SURVEYS, dtype=bool) for name in true}, {name: np.zeros(SURVEYS) for name in true}
    steps = np.diff(LOOKS, prepend=0)
    for survey in range(SURVEYS):
        for n, counts in zip(LOOKS, np.cumsum(rng.multinomial(steps, law), axis=0), strict=True):
            tally = Aggregate(plan.sampled.fingerprint, int(n), counts)
            for limits, wrong in ((Coverage(watched=True), missed), (Coverage(), once)):
                for name, low, high, truth in told(results(plan, tally, "unbiased", limits), true):
                    wrong[name][survey] = wrong[name][survey] or not low <= truth <= high
    for name, wrong in missed.items():
        assert within(~wrong, low=0.95, high=1.0)[0], (name, 1 - wrong.mean())
        # For one look they are not made.
        assert np.mean(once[name]) > 0.1


FORGED = 40


def worst(plan, expected, place, name, sign):
    """The code that moves a number farthest, of all that forged reports may have: the worst for what is linear in them.

    For what is not, lumps of a quarter of the reports each are placed one after the other, and again, while that gains.
    """

    def reached(lumps):
        counts = expected.copy()
        np.add.at(counts, lumps, FORGED // len(lumps))
        found = results(plan, Aggregate(plan.sampled.fingerprint, int(counts.sum()), counts), "unbiased")
        return sign * estimates(found)[name]

    lumps, best = [place.start] * 4, -np.inf
    for _ in range(2):
        for lump in range(4):
            trials = [[*lumps[:lump], code, *lumps[lump + 1 :]] for code in range(place.start, place.stop)]
            gains = [reached(trial) for trial in trials]
            if max(gains) > best:
                lumps, best = trials[int(np.argmax(gains))], max(gains)
    return lumps


def estimates(found):
    """Every number by its name."""
    own = {}
    for result in found:
        value = result.estimate.value.ravel()
        own |= dict(zip(labels(result), value, strict=True))
    return own


def test_whoever_forges_the_worst_reports_does_not_get_numbers_out_of_their_intervals():
    """He knows what all others report and pushes the way in which their noise has gone."""
    plan, some = asking("2", 20_000, "means", "covariance", "job"), {**EARLY, "job": JOBS}
    law, true = codes(plan, some), known(some)
    expected = np.rint(law * 20_000).astype(np.int64)
    ends = np.cumsum([0, *(question.query.counters for question in plan.questions)])
    asked = {"mean": slice(ends[0], ends[1]), "cova": slice(ends[1], ends[2]), "shar": slice(ends[2], ends[3])}
    honest = [tally.counts for tally in tallies(plan, some, 20_000 - FORGED, SURVEYS, 10)]
    before = [
        estimates(results(plan, Aggregate(plan.sampled.fingerprint, 20_000 - FORGED, own), "unbiased"))
        for own in honest
    ]
    for name, truth in true.items():
        push = {sign: worst(plan, expected, asked[name[:4]], name, sign) for sign in (1, -1)}
        held, unaware = [], []
        for own, found in zip(honest, before, strict=True):
            counts = own.copy()
            np.add.at(counts, push[1 if found[name] > truth else -1], FORGED // 4)
            tally = Aggregate(plan.sampled.fingerprint, 20_000, counts)
            for limits, hits in ((Coverage(forged=FORGED), held), (Coverage(), unaware)):
                low, high = {
                    key: (low, high) for key, low, high, _ in told(results(plan, tally, "unbiased", limits), true)
                }[name]
                hits.append(low <= truth <= high)
        assert within(held, low=0.95, high=1.0)[0], (name, np.mean(held))
        assert np.mean(unaware) < 0.93, (name, np.mean(unaware))
