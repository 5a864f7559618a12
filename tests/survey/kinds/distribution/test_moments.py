"""The mean and the standard deviation that a distribution's reports tell, alone and with those of other questions."""

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import Aggregate
from sordino.blocks.block import blocks_of
from sordino.blocks.sentence import Sentence
from sordino.blocks.tables import QuantityTable
from sordino.show.findings import finding_blocks

EDGES = [0, 10, 25, 45, 70, 100]
SHARES = np.array([0.1, 0.3, 0.35, 0.2, 0.05])
MIDDLES = np.array([5, 17.5, 35, 57.5, 85])
WITHIN = np.diff(EDGES) ** 2 / 12
MEAN = SHARES @ MIDDLES
DEVIATION = np.sqrt(SHARES @ (MIDDLES**2 + WITHIN) - MEAN**2)


def plan_of(number=None, people=3000, epsilon="2", **asked):
    """Of one distribution, by default in a few bins of unequal width."""
    number = number or {"low": 0, "high": 100, "edges": EDGES}
    ask = {"distribution": "pay", **asked}
    return sordino.plan({"epsilon": epsilon, "attribute": {"pay": {"number": number}}, "ask": [ask]}, people)


def estimated(plan, counts, **against):
    (question,) = plan.questions
    tally = Aggregate(plan.sampled.fingerprint, int(np.sum(counts)), np.asarray(counts))
    assert tally.counts.shape == (question.mechanism.outputs,)
    (result,) = sordino.estimate(plan, tally, **against).results
    return result


def tallies(plan, shares, n, count, seed=4):
    law = shares @ plan.questions[0].mechanism.probabilities()
    return np.random.default_rng(seed).multinomial(n, law / law.sum(), size=count)


@pytest.fixture(scope="module")
def plan():
    return plan_of()


def test_they_are_sums_of_unbiased_shares_and_err_as_their_reports_do(plan):
    """By the dense channel: scores of least squares at even shares, and the variance of what a report adds."""
    counts = tallies(plan, SHARES, 3000, 1)[0]
    result, dense = estimated(plan, counts), plan.questions[0].mechanism.probabilities()
    law, even = counts / 3000, dense.mean(axis=0)
    scores = np.linalg.pinv((dense / even) @ dense.T) @ (dense / even)
    mean, deviation = result.moments
    assert mean["estimate"] == pytest.approx(MIDDLES @ scores @ law)
    likely = result.fitted
    placed = (likely @ np.sqrt(WITHIN)) ** 2
    error = np.sqrt((law @ (MIDDLES @ scores) ** 2 - mean["estimate"] ** 2) / 3000 + placed)
    assert mean["stderr"] == pytest.approx(error, rel=1e-6)
    square = (MIDDLES - mean["estimate"]) ** 2 + WITHIN
    variance = square @ scores @ law + mean["stderr"] ** 2
    assert deviation["estimate"] == pytest.approx(np.sqrt(variance))
    away = 2 * (MIDDLES - mean["estimate"])
    placed = likely**2 @ (away**2 * WITHIN) + (likely @ (away * np.sqrt(WITHIN))) ** 2 + (likely @ WITHIN) ** 2
    error = np.sqrt((law @ (square @ scores) ** 2 - (square @ scores @ law) ** 2) / 3000 + placed)
    assert deviation["stderr"] == pytest.approx(error / 2 / np.sqrt(variance), rel=0.02)
    assert mean["fitted"] == pytest.approx(result.fitted @ MIDDLES)
    assert deviation["fitted"] ** 2 == pytest.approx(result.fitted @ (MIDDLES**2 + WITHIN) - mean["fitted"] ** 2)


@pytest.mark.parametrize(
    ("n", "against"), [(60, {}), (600, {}), (20_000, {}), (600, {"watched": True}), (600, {"forged": 6})]
)
def test_intervals_hold(plan, n, against):
    found = [estimated(plan, counts, **against).moments for counts in tallies(plan, SHARES, n, 200)]
    for truth, rows in zip((MEAN, DEVIATION), zip(*found, strict=True), strict=True):
        held = np.mean([row["low"] <= truth <= row["high"] for row in rows])
        assert held > 0.91
        assert all(row["low"] <= row["estimate"] <= row["high"] and row["stderr"] > 0 for row in rows)
        # Of numbers that all lie at one end, as where people round what they say.
        for ends in np.array(EDGES[:-1]), np.array(EDGES[1:]):
            true = SHARES @ ends if truth == MEAN else np.sqrt(SHARES @ ends**2 - (SHARES @ ends) ** 2)
            assert np.mean([row["low"] <= true <= row["high"] for row in rows]) > 0.91
        if n > 60:
            assert np.mean([row["estimate"] for row in rows]) == pytest.approx(truth, rel=0.04)


def test_more_reports_do_not_say_where_in_a_bin_numbers_lie(plan):
    """All at the lower or upper ends of their bins, which no report shows, are no further off than intervals reach."""
    counts = np.rint(1e9 * (SHARES @ plan.questions[0].mechanism.probabilities())).astype(np.int64)
    mean, deviation = estimated(plan, counts).moments
    # Of numbers spread evenly over a bin, at which of its places they all are.
    assert mean["stderr"] == pytest.approx(SHARES @ np.sqrt(WITHIN), rel=1e-3)
    assert deviation["stderr"] > 1
    for ends in np.array(EDGES[:-1]), np.array(EDGES[1:]):
        assert mean["low"] < SHARES @ ends < mean["high"]
        assert deviation["low"] < np.sqrt(SHARES @ ends**2 - (SHARES @ ends) ** 2) < deviation["high"]
    assert mean["high"] - mean["low"] < 1.01 * SHARES @ np.diff(EDGES)


def test_on_a_scale_they_are_exact_and_spikes_elsewhere_leave_none():
    scale = sordino.plan(
        {"epsilon": "2", "attribute": {"score": {"scale": [0, 4]}}, "ask": [{"histogram": "score"}]}, 3000
    )
    counts = np.rint(1e9 * (SHARES @ scale.questions[0].mechanism.probabilities())).astype(np.int64)
    result = estimated(scale, counts)
    mean, deviation = result.moments
    assert mean["estimate"] == pytest.approx(SHARES @ np.arange(5), abs=1e-6)
    assert deviation["estimate"] == pytest.approx(np.sqrt(SHARES @ np.arange(5) ** 2 - mean["estimate"] ** 2), abs=1e-4)
    assert max(mean["stderr"], deviation["stderr"]) < 1e-3
    said = [table.sentences for table in blocks_of(QuantityTable, result.blocks()) if table.kind(0) == "mean"]
    assert not any("spread evenly" in sentence.text for (sentences) in said for sentence in sentences)
    spikes = plan_of({"low": 0, "high": 100, "bins": 5, "spikes": True})
    result = estimated(spikes, tallies(spikes, SHARES, 3000, 1)[0])
    assert result.moments == []
    assert {result.kind(place) for place in range(result.count)} == {"bin"}


SURVEY = {
    "epsilon": "2",
    "attribute": {
        "pay": {"number": {"low": 0, "high": 100, "bins": 20}},
        "rent": {"number": {"low": 0, "high": 50}},
        "smoker": {"categories": ["yes", "no"]},
        "town": {"categories": ["A", "B", "C"]},
    },
    "ask": [
        {"mean": "pay"},
        {"distribution": "pay"},
        {"covariance": ["pay", "rent"]},
        {"histogram": "smoker"},
        {"table": ["smoker", "town"]},
    ],
}
PEOPLE = 20_000


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(8)
    pay = np.clip(rng.normal(40, 12, PEOPLE), 0, 100)
    people = {
        "pay": pay,
        "rent": np.clip(pay / 3 + rng.normal(5, 3, PEOPLE), 0, 50),
        "smoker": rng.choice(["yes", "no"], PEOPLE, p=[0.3, 0.7]),
        "town": rng.choice(["A", "B", "C"], PEOPLE),
    }
    plan = sordino.plan(SURVEY, PEOPLE)
    return sordino.estimate(plan, sordino.aggregate(plan, sordino.privatize(plan, pa.table(people))))


def test_one_number_is_told_by_all_that_was_asked_of_it(survey):
    pooled = {one.name: one for one in survey.views["pooled"].each}
    mean, deviation = pooled["mean of pay"], pooled["standard deviation of pay"]
    assert mean.questions == ("mean of pay", "pay", "covariance of pay, rent")
    assert deviation.questions == mean.questions[1:]
    asked, told, _, _, _ = survey.results
    (own,) = asked.rows()
    assert mean.estimate.stderr[0] < 0.95 * min(own["stderr"], told.moments[0]["stderr"])
    assert deviation.estimate.stderr[0] < 0.95 * told.moments[1]["stderr"]
    for one, truth in ((mean, 40), (deviation, 12)):
        (row,) = one.rows()
        assert row["low"] < row["estimate"] < row["high"]
        assert abs(row["estimate"] - truth) < 4 * row["stderr"]
    assert deviation.title == "standard deviation of pay"


def test_leading_sentences_say_what_all_questions_tell(survey):
    said = [sentence.text for sentence in blocks_of(Sentence, [*finding_blocks(survey.results, survey.views)])]
    alone = [sentence.text for sentence in blocks_of(Sentence, [*finding_blocks(survey.results)])]
    views = {one.name: one for one in survey.views["pooled"].each}
    for name, start in (("mean of pay", "pay: the mean is "), ("smoker", "smoker: the share of 'yes' is ")):
        (own,), (together,) = ([text for text in texts if text.startswith(start)] for texts in (alone, said))
        table = views[name].table()
        texts = table.texts(0)
        assert f"{texts['estimate']} (95 % interval {texts['low']} to {texts['high']})" in together.replace(" %", " %")
        assert own != together
