"""What changed between two collections: every number that both tell, and why others are not compared."""

import tomllib
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import sordino
from sordino import Aggregate, KeyedSource, SordinoError, SordinoErrors
from sordino.survey.kinds.coverage import Coverage
from sordino.views.collection_changes import ALONE, change_blocks, change_cells, sure_in_words

pytestmark = pytest.mark.filterwarnings("ignore:.*a standard deviation of a tenth:sordino.SordinoWarning")

SURVEY = """
version = 1
epsilon = "4"
[attribute.smoker]
categories = ["yes", "no"]
[attribute.job]
categories = ["baker", "clerk", "smith"]
[attribute.age]
number = { low = 20, high = 80, bins = 4, clip = true }
[attribute.height]
number = { low = 140, high = 200 }
[[ask]]
table = ["smoker", "job"]
[[ask]]
mean = ["height", "age"]
[[ask]]
regression = { target = "height", features = ["age"] }
weight = 3
[[ask]]
distribution = "age"
quantiles = [0.5]
"""
LATER = (
    ('table = ["smoker", "job"]', 'table = ["job", "smoker"]'),
    ('categories = ["yes", "no"]', 'categories = ["no", "yes"]'),
    ('mean = ["height", "age"]', 'mean = ["age"]'),
    ("quantiles = [0.5]", "quantiles = [0.25, 0.5]"),
)
PEOPLE = 40_000
KEY = bytes([7]) * 32


def survey(*changes):
    text = SURVEY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return sordino.plan(tomllib.loads(text), PEOPLE)


def collected(plan, seed, smoking):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, PEOPLE)
    people = {
        "smoker": rng.choice(["yes", "no"], PEOPLE, p=[smoking, 1 - smoking]),
        "job": rng.choice(["baker", "clerk", "smith"], PEOPLE),
        "age": age,
        "height": np.clip(150 + age / 2 + rng.normal(0, 3, PEOPLE), 140, 200),
    }
    return sordino.aggregate(plan, sordino.privatize(plan, pa.table(people)))


@pytest.fixture(scope="module")
def both():
    """Two collections by plans that ask for the same in other ways."""
    first, second = survey(), survey(*LATER)
    return first, collected(first, 1, 0.6), second, collected(second, 2, 0.3)


def test_all_that_both_tell_is_compared_however_it_was_asked(both):
    found = sordino.change(*both)
    assert found.n == (PEOPLE, PEOPLE)
    assert list(found.not_comparable) == ["mean of height"]
    assert "found in the earlier one alone: ask for it in both" in found.not_comparable["mean of height"]
    assert [one.name for one in found.changed] == ["job, smoker", "mean of age", "regression of height on age", "age"]
    before, after = (sordino.estimate(plan, tally, "unbiased") for plan, tally in (both[:2], both[2:]))
    earlier = {tuple(row["value"]): row for row in before.results[0].rows()}
    rows = {tuple(row["value"]): row for row in found.rows() if "attributes" in row}
    assert len(rows) == 6
    for later in after.results[0].rows():
        one = earlier[tuple(reversed(later["value"]))]
        row = rows[tuple(later["value"])]
        assert (row["before"], row["after"]) == (one["estimate"], later["estimate"])
        assert row["change"] == later["estimate"] - one["estimate"]
        assert row["stderr"] == pytest.approx(np.hypot(one["stderr"], later["stderr"]))
        assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * row["stderr"], rel=0.01)
        truth = (-0.1, 0.1)[later["value"][1] == "no"]
        assert abs(row["change"] - truth) < 5 * row["stderr"]
    quantiles = [row for row in found.rows() if "quantile" in row]
    assert [row["quantile"] for row in quantiles] == ["0.5"]
    assert quantiles[0]["stderr"] is None
    assert quantiles[0]["low"] <= quantiles[0]["change"] <= quantiles[0]["high"]


def test_the_mean_of_a_number_is_one_whatever_was_asked_with_it(both):
    (row,) = (row for row in sordino.change(*both).rows() if row.get("attribute") == "mean of age")
    before = {row["value"]: row for row in sordino.estimate(*both[:2]).results[1].rows()}["age"]
    after = {row["value"]: row for row in sordino.estimate(*both[2:]).results[1].rows()}["age"]
    assert (row["before"], row["after"]) == (before["estimate"], after["estimate"])
    half = stats.norm.ppf(0.975) * np.hypot(before["stderr"], after["stderr"])
    # Each side has the likelihood's limits, which of so many reports are nearly normal ones.
    assert (row["low"], row["high"]) == pytest.approx((row["change"] - half, row["change"] + half), abs=0.02 * half)


def test_all_numbers_of_a_question_can_hold_together(both):
    alone, together = sordino.change(*both), sordino.change(*both, simultaneous=True)
    for one, more in zip(alone.changed, together.changed, strict=True):
        assert more.each == pytest.approx(1 - 0.05 / len(more.rows))
        for row, wider in zip(one.rows, more.rows, strict=True):
            assert wider.change.low <= row.change.low
            assert row.change.high <= wider.change.high


def test_of_many_bins_people_are_shown_parts_of_the_range():
    """The largest changes of many bins would be those with the most noise."""
    plan = survey(("bins = 4", "bins = 32"))
    tallies = collected(plan, 1, 0.5), collected(plan, 2, 0.5)
    for simultaneous in (False, True):
        change = sordino.change(plan, tallies[0], plan, tallies[1], simultaneous=simultaneous)
        found = change.changed[-1]
        *parts, median, _, _ = found.shown
        # Programs have the parts too, each once and after the bins.
        assert change.rows()[-8:] == [part.json() for part in parts]
        assert len(change.rows()) == change.to_arrow().num_rows == sum(len(one.rows) for one in change.changed) + 8
        assert [(part.about["from"], part.about["to"]) for part in parts] == [
            (20 + 7.5 * place, 27.5 + 7.5 * place) for place in range(8)
        ]
        assert median.label == "quantile 0.5"
        for place, part in enumerate(parts):
            bins = found.rows[4 * place : 4 * place + 4]
            assert part.change.value == pytest.approx(sum(bin_.change.value for bin_ in bins))
        assert found.each == pytest.approx(1 - 0.05 / (32 + 8 + 1 + 2) if simultaneous else 0.95)


def test_other_values_are_not_compared(both):
    other = survey(
        ('["baker", "clerk", "smith"]', '["baker", "clerk", "smith", "judge"]'),
        ("low = 140, high = 200", "low = 140, high = 210"),
        ("bins = 4", "bins = 5"),
    )
    found = sordino.change(*both[:2], other, collected(other, 3, 0.5))
    told = {
        "smoker, job": "'judge' of job in the later one alone",
        "mean of height": "height from 140 to 200 before, from 140 to 210 after",
        "regression of height on age": "height from 140 to 200 before, from 140 to 210 after",
        "age": "age from 20 to 80 in 4 bins before, from 20 to 80 in 5 bins after",
    }
    assert found.not_comparable.keys() == told.keys()
    for name, what in told.items():
        assert f"found {what}: compare" in found.not_comparable[name]
    assert [(one.name, len(one.rows)) for one in found.changed] == [("mean of height, age", 1)]


def test_it_is_a_table_too(both):
    table = sordino.change(*both).to_arrow()
    assert table.column_names == ["question", "label", "before", "after", "change", "stderr", "low", "high", "sure"]
    assert table["label"].to_pylist()[-3:] == ["quantile 0.5", "mean", "standard deviation"]
    assert table["stderr"].to_pylist()[-3] is None


def test_where_nothing_can_be_compared_each_reason_is_told(both):
    other = {"version": 1, "epsilon": "4", "attribute": {"job": {"categories": ["baker", "judge"]}}}
    later = sordino.plan({**other, "ask": [{"histogram": "job"}]}, 100)
    reports = sordino.privatize(later, pa.table({"job": ["baker", "judge"] * 50}))
    with pytest.raises(SordinoErrors) as raised:
        sordino.change(*both[:2], later, reports)
    assert {error.found for error in raised.value.errors} == {"in the earlier one alone", "in the later one alone"}


def keyed(plan, shares, people, task):
    """Reports of people with such towns, whose noise is that of a key."""
    ids = np.arange(people)
    towns = np.searchsorted(shares.cumsum(), (ids + 0.5) / people)
    return sordino.privatize(plan, pa.table({"town": towns, "id": ids}), KeyedSource(KEY, task), id_column="id")


def test_of_many_numbers_those_that_changed_beyond_noise_stand_first():
    """Of 60 values one changed, of a small share; the largest shares and the noise of all others stand behind it."""
    k, people = 60, 300_000
    asked = {"version": 1, "epsilon": "2", "attribute": {"town": {"categories": k}}, "ask": [{"histogram": "town"}]}
    plan = sordino.plan(asked, people)
    shares = np.linspace(1, 3, k) / np.linspace(1, 3, k).sum()
    later = shares.copy()
    later[7] *= 2
    # Every run the same: one of 20 such surveys shows a change of what did not.
    before, after = (keyed(plan, shares, people, "before"), keyed(plan, later / later.sum(), people, "after"))
    (found,) = sordino.change(plan, before, plan, after).changed
    first = found.first(5)
    assert [row.label for row in first if row.sure] == ["7"]
    assert first[0].label == "7"
    by_both = sorted(found.rows, key=lambda row: -row.before.value - row.after.value)
    assert [row.label for row in first[1:]] == [row.label for row in by_both[:4]]
    alone = [row for row in found.rows if row.change.low > 0 or row.change.high < 0]
    assert len(alone) > found.sure
    # By itself each interval errs in 5 of 100: Bonferroni, worked out here from normal quantiles.
    far = stats.norm.ppf(1 - 0.05 / (2 * k))
    for row in found.rows:
        assert row.sure == (abs(row.change.value) > far * row.change.stderr)


def test_the_share_of_who_lacks_a_number_is_compared_too():
    number = {"number": {"low": 0, "high": 10}, "missing": "0.5"}
    plan = sordino.plan({"version": 1, "epsilon": "8", "attribute": {"x": number}, "ask": [{"mean": "x"}]}, 4000)
    few, many = (
        sordino.privatize(plan, pa.table({"x": pa.array([5.0] * (4000 - lack) + [None] * lack)}))
        for lack in (400, 1600)
    )
    mean, share = sordino.change(plan, few, plan, many).rows()
    assert abs(mean["change"]) < 5 * mean["stderr"]
    assert share["attribute"] == "share of x missing"
    assert abs(share["change"] - 0.3) < 5 * share["stderr"]
    assert share["sure"]


def test_numbers_between_0_and_1_are_no_shares_of_people():
    number = {"number": {"low": 0, "high": 1, "bins": 4}, "missing": "0.5"}
    asks = [{"mean": "x"}, {"distribution": "x", "quantiles": [0.5]}]
    plan = sordino.plan({"version": 1, "epsilon": "8", "attribute": {"x": number}, "ask": asks}, 4000)
    reports = sordino.privatize(plan, pa.table({"x": pa.array([0.3, 0.6, None, 0.9] * 1000)}))
    rows = [row for one in sordino.change(plan, reports, plan, reports).changed for row in one.rows]
    assert [row.label for row in rows if not row.is_share] == ["x", "quantile 0.5", "mean", "standard deviation"]
    assert len(rows) == 1 + 1 + 4 + 1 + 1 + 2


def test_a_mean_whose_limits_are_cut_is_no_surer_for_that():
    """Limits end with the number's range; the change is as unsure as both errors say."""
    number = {"number": {"low": 0, "high": 10}, "missing": "0.5"}
    plan = sordino.plan({"version": 1, "epsilon": "1", "attribute": {"x": number}, "ask": [{"mean": "x"}]}, 3000)
    people = pa.table({"x": pa.array([10.0] * 2900 + [None] * 100), "id": np.arange(3000)})
    sides = []
    for task in range(100):
        side = sordino.privatize(plan, people, KeyedSource(KEY, str(task)), id_column="id")
        mean = sordino.estimate(plan, side).to_arrow().to_pylist()[0]
        # The limit ends at 10, and the estimate is just below: nothing but the end says that the limit is cut.
        sides += [side] if 9.9 < mean["estimate"] < mean["high"] == 10 else []
        if len(sides) == 2:
            break
    row = sordino.change(plan, sides[0], plan, sides[1]).rows()[0]
    assert row["attribute"] == "mean of x"
    assert row["low"] <= max(row["change"] - 1.8 * row["stderr"], -10)
    assert row["high"] >= min(row["change"] + 1.8 * row["stderr"], 10)


@pytest.mark.parametrize(("ask", "told"), [({"mean": "x"}, 2), ({"distribution": "x"}, 5)])
def test_what_is_told_only_less_surely_may_have_changed_in_any_way(tmp_path, ask, told):
    """That somebody has the number at all is sure by one interval, and not by all together."""
    number = {"number": {"low": 0, "high": 1, **({"bins": 2} if "distribution" in ask else {})}, "missing": "0.5"}
    plan = sordino.plan({"version": 1, "epsilon": "1", "attribute": {"x": number}, "ask": [ask]}, 1000)
    (question,) = plan.questions
    channel = (question.query if "distribution" in ask else question.query.queries[0]).mechanism.probabilities()

    def tally(share):
        law = np.append(np.full(len(channel) - 1, share / (len(channel) - 1)), 1 - share) @ channel
        counts = np.rint(1000 * law).astype(np.int64)
        return Aggregate(plan.sampled.fingerprint, int(counts.sum()), counts)

    def rows(share, *, simultaneous):
        try:
            return len(sordino.estimate(plan, tally(share), simultaneous=simultaneous).to_arrow())
        except SordinoError:
            return 0

    shares = np.linspace(0, 0.5, 101)
    (share, *_) = (s for s in shares if rows(s, simultaneous=False) == told > rows(s, simultaneous=True))
    for simultaneous in (False, True):
        found = sordino.change(plan, tally(share), plan, tally(0.5), simultaneous=simultaneous)
        for row in (one for one in found.changed[0].rows if not one.label.endswith("missing")):
            assert (row.together.low, row.together.high) == (row.change.least, row.change.most)
            assert not row.sure
            assert np.isfinite([row.before.low, row.before.high, row.change.low, row.change.high]).all()
        found.page(tmp_path / f"{simultaneous}.html")


def test_what_cannot_be_compared_at_all_is_named(both):
    with pytest.raises(SordinoError, match="change takes a plan"):
        sordino.change(sordino.RandomizedResponse(2, "1"), both[1], *both[2:])
    with pytest.raises(SordinoError, match="between 0 and 1"):
        sordino.change(*both, confidence=2.0)


def test_quantiles_are_those_that_each_estimate_shows():
    table = {"income": {"number": {"low": 0, "high": 100, "bins": 64}}}
    asked = {"version": 1, "epsilon": "1", "attribute": table, "ask": [{"distribution": "income", "quantiles": [0.1]}]}
    plan = sordino.plan(asked, 4000)
    tallies = []
    for seed, mean in ((1, 2.5), (2, 3.0)):
        income = np.minimum(np.random.default_rng(seed).lognormal(mean, 0.5, 4000), 100)
        reports = sordino.privatize(plan, pa.table({"income": income}))
        tallies.append(sordino.aggregate(plan, reports))
    (row,) = (row for row in sordino.change(plan, tallies[0], plan, tallies[1]).rows() if "quantile" in row)
    shown = []
    for tally in tallies:
        (result,) = sordino.estimate(plan, tally).results
        shown += [own["estimate"] for own in result.rows() if "quantile" in own]
    assert [row["before"], row["after"]] == shown


def test_what_changed_by_its_own_interval_alone_is_said_to_be_no_evidence():
    table = {"word": {"categories": 30}}
    plan = sordino.plan({"version": 1, "epsilon": "4", "attribute": table, "ask": [{"histogram": "word"}]}, 3000)
    words = [
        pa.table({"word": np.random.default_rng(seed).integers(30, size=3000).astype(str)}) for seed in range(10, 16)
    ]
    reports = [sordino.privatize(plan, some) for some in words]
    said = [sordino.change(plan, reports[0], plan, other).changed[0] for other in reports[1:]]
    told = [{change_cells(row, together=False)[-1] for row in changed.first()} for changed in said]
    assert {"no", "only alone"} in told
    for changed, verdicts in zip(said, told, strict=True):
        assert ("only alone" in verdicts) == (ALONE in sure_in_words(changed, Coverage(0.95)))
        assert {change_cells(row, together=True)[-1] for row in changed.first()} <= {"yes", "no"}


def test_a_series_is_compared_as_one_and_its_days_are_named():
    def planned(start=None, **more):
        own = {} if start is None else {"series": {"periods": 4, "every": "week", "start": start}}
        asked = {"version": 1, "epsilon": "6", "attribute": {"x": {"categories": ["a", "b"]}}, **own, **more}
        return sordino.plan({**asked, "ask": [{"histogram": "x"}]}, people=4000)

    def reports(frozen, part, weeks=range(4)):
        people = {"x": np.where(np.arange(4000) < 4000 * part, "a", "b")}
        if frozen.series is not None:
            people["period"] = np.resize([frozen.series.label(week) for week in weeks], 4000)
        return sordino.privatize(frozen, pa.table(people))

    first, later, alone = planned(date(2026, 1, 5)), planned(date(2027, 1, 4)), planned()
    found = sordino.change(first, reports(first, 0.3), later, reports(later, 0.6, [0, 2]))
    (change,) = [row for row in found.rows() if row["value"] == "a"]
    assert change["low"] < 0.3 < change["high"]
    assert change["sure"]
    assert [one.partition(", and")[0] for one in found.view.over_time] == [
        "The earlier reports are of 4 weeks of a series, 2026-01-05 to 2026-02-01",
        "The later reports are of 2 weeks of a series, 2027-01-04 to 2027-01-24",
    ]
    with_none = sordino.change(alone, reports(alone, 0.3), first, reports(first, 0.3))
    assert [one.split()[1] for one in with_none.view.over_time] == ["later"]
    assert not with_none.rows()[0]["sure"]
    assert sordino.change(alone, reports(alone, 0.3), alone, reports(alone, 0.3)).view.over_time == ()
    # Weeks that overlap in part, by one plan or two, and weeks that come before.
    shifted = planned(date(2026, 1, 22))
    for one, weeks, days in (
        (shifted, [0, 1], "11 days, from 2026-01-22 to 2026-02-01"),
        (first, [3], "7 days, from 2026-01-26"),
    ):
        said = sordino.change(first, reports(first, 0.3), one, reports(one, 0.3, weeks)).view.over_time
        assert f"Both collections have reports of {days}" in said[-1]
    backwards = sordino.change(later, reports(later, 0.6), first, reports(first, 0.3)).view.over_time
    assert backwards[-1].startswith("The later reports are of days before the earlier ones")
    # The same periods by two plans ask the same people otherwise.
    other = planned(date(2026, 1, 5), epsilon="5")
    with pytest.raises(sordino.SordinoError, match="two plans of one series must be one plan"):
        sordino.change(first, reports(first, 0.3), other, reports(other, 0.3))


def test_a_change_is_shown_by_the_text_of_the_survey_and_kept_by_its_name():
    worded = ('categories = ["yes", "no"]', 'categories = ["yes", "no"]\ntext = "Do you smoke?"')
    alone = ('table = ["smoker", "job"]', 'histogram = "smoker"\n[[ask]]\nhistogram = "job"')
    plan = survey(worded, alone)
    view = sordino.change(plan, collected(plan, 1, 0.2), plan, collected(plan, 2, 0.4)).view
    found = next(one for one in view.changed if one.name == "smoker")
    (group,) = change_blocks(found, view.coverage)
    assert group.title == "“Do you smoke?”"
    assert {row["attribute"] for row in view.number_rows} >= {"smoker"}
