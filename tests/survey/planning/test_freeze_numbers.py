"""Channels of numbers as integers of a plan: they come back equal, levels are asked where they are better, and what is
forged is refused."""

import json
import tomllib
from functools import cache
from hashlib import sha256

import numpy as np
import pytest

from asked_numbers import AskedNumbers
from sordino import BitFlips, LinearTable, Nats, Number, Plan, Query, RandomizedResponse, SordinoError, Survey, Together
from sordino.document.sealed import canonical, sealed_bytes
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import results

TWO = """\
version = 1
epsilon = "3"
[attribute.age]
number = { low = 20, high = 80 }
[attribute.height]
number = { low = 140, high = 200 }
[[ask]]
mean = ["age", "height"]
"""

AT_8 = TWO.replace('"3"', '"8"')
ONE = AT_8.replace("[attribute.height]\nnumber = { low = 140, high = 200 }\n", "").replace(', "height"', "")
SURVEYS = {"one": ONE, "two": TWO, "two at 8": AT_8}


@cache
def plan_of(name):
    return Plan.of(Survey.read(tomllib.loads(SURVEYS[name])), 10_000)


def forged(path, plan, forge):
    document = json.loads(plan.bytes)
    forge(document["queries"][0]["queries"])
    del document["hash"]
    document["hash"] = "sha256:" + sha256(canonical(document)).hexdigest()
    path.write_bytes(sealed_bytes(document) + b"\n")
    return path


@pytest.mark.parametrize(
    ("name", "kind", "epsilon"),
    [
        ("one", LinearTable, 8),
        ("two", BitFlips, 3),
        ("two at 8", LinearTable, 8),
    ],
)
def test_a_plan_asks_by_finite_mechanisms_and_holds_them(tmp_path, name, kind, epsilon):
    plan = plan_of(name)
    plan.save(tmp_path / "plan.json")
    loaded = Plan.load(tmp_path / "plan.json")
    (question,) = loaded.questions
    assert isinstance(question.query.mechanisms[0], kind)
    assert question.query == plan.questions[0].query
    assert question.query.fingerprint == plan.questions[0].query.fingerprint
    assert plan.promise.holds
    assert plan.promise.level <= Nats.of(epsilon)
    assert float(plan.promise.level) > epsilon - 0.01
    if name != "one":
        # Each is told together with the other, of which nothing is declared.
        assert all(float(reached) > epsilon - 0.01 for reached in plan.promise.losses)


def test_expected_errors_are_below_those_of_a_bit_and_are_reached():
    (question,) = plan_of("one").questions
    channel = AskedNumbers(question.query)
    bit = 30 * np.sqrt(AskedNumbers(Query(Number(0), RandomizedResponse(2, "8"))).noise()[0] / 10_000)
    for age in (20.0, 33.3, 50.0, 61.5, 80.0):
        records = np.full((10_000, 1), (age - 50) / 30)
        (expected,) = question.forecast(records).stderr
        assert expected < bit / 5
        tallies = [channel.tally(channel.privatize(records)) for _ in range(40)]
        errors = [channel.means(tally)[0] * 30 + 50 - age for tally in tallies]
        # Five deviations of a root of 40 squares.
        assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(expected, rel=5 / np.sqrt(80))


def test_estimates_are_in_the_units_of_the_data():
    plan = plan_of("two")
    rng = np.random.default_rng(3)
    ages, heights = rng.uniform(20, 80, 20_000), rng.normal(170, 8, 20_000).clip(140, 200)
    records = np.column_stack([(ages - 50) / 30, (heights - 170) / 30])
    (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([records])), coverage=Coverage(0.999999))
    rows = list(result.rows())
    for row, truth in zip(rows, (ages.mean(), heights.mean()), strict=True):
        assert row["low"] <= truth <= row["high"]


def bold(table):
    """The table of one who lies less, and the sum as it was."""
    most, *_, least = sorted(range(len(table)), key=lambda place: -int(table[place]))
    moved = int(table[least]) // 2
    shifted = {most: int(table[most]) + moved, least: int(table[least]) - moved}
    return [str(shifted.get(place, int(weight))) for place, weight in enumerate(table)]


def test_two_numbers_at_a_large_epsilon_are_told_by_everybody():
    plan = plan_of("two at 8")
    (question,), (everybody,) = plan.questions, plan.questions[0].query.queries
    assert isinstance(everybody, Together)
    assert question.channel_name == "both numbers, each by one of several points"
    assert question.certificate.holds
    # As far off as two answers of each person are, whoever the people are.
    for stderr, half in zip(question.forecast().stderr, (30, 30), strict=True):
        assert stderr < half * np.sqrt((0.318 / 2 + 0.4**2) / 10_000)
    rng = np.random.default_rng(4)
    ages, heights = rng.uniform(20, 80, 20_000), rng.normal(170, 8, 20_000).clip(140, 200)
    records = np.column_stack([(ages - 50) / 30, (heights - 170) / 30])
    (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([records])), coverage=Coverage(0.999999))
    for row, truth in zip(result.rows(), (ages.mean(), heights.mean()), strict=True):
        assert row["low"] <= truth <= row["high"]
        assert row["stderr"] < 0.2


FORGED = {
    "a coin that tells more": ("one", lambda c: c["mechanisms"][0].update(threshold=str(2**64 - 1))),
    "fewer codes within": ("one", lambda c: c["mechanisms"][0].update(window=1)),
    "one value": ("one", lambda c: c["mechanisms"][0].update(k=1)),
    "a threshold for liars": ("one", lambda c: c["mechanisms"][0].update(threshold="1")),
    "more points than values": ("one", lambda c: c.update(statistics=[["number", 0, 40]])),
    "a flip that tells more": ("two", lambda c: c["mechanisms"][0].update(table=bold(c["mechanisms"][0]["table"]))),
    "one number twice": ("two", lambda c: c.update(statistics=[["signs", 0, 0]])),
    "one number only": ("two", lambda c: c.update(statistics=[["number", 0, 2]])),
    "a query for nobody": ("two", lambda c: c.update(weights=[0])),
    "another weight": ("two", lambda c: c["weights"].append(1)),
    "a mechanism that is none": ("two", lambda c: c.update(through=[1])),
    "a mechanism for nothing": (
        "two",
        lambda c: c["mechanisms"].append({"name": "randomized", "k": 2, "threshold": "1"}),
    ),
    "another statistic": ("two", lambda c: c.update(statistics=[["sums", 0, 1]])),
    "a statistic without arguments": ("two", lambda c: c.update(statistics=[["signs"]])),
    "a place that is none": ("two", lambda c: c.update(statistics=[["signs", 0, 7]])),
    "two coins that tell more": ("two at 8", lambda c: c["mechanisms"][0].update(threshold=str(2**64 - 2**40))),
    "a point's own level for each of two": (
        "two at 8",
        lambda c: c["mechanisms"][0].update(threshold=str(2**64 - 2**56)),
    ),
    "one of two numbers only": ("two at 8", lambda c: c.update(statistics=[c["statistics"][0][0]], through=[0])),
    "one of two numbers twice": ("two at 8", lambda c: c.update(statistics=[[c["statistics"][0][0]] * 2])),
    "another entry": ("two", lambda c: c.update(also=1)),
}


@pytest.mark.parametrize("forge", FORGED)
def test_forged_integers_are_refused(tmp_path, forge):
    name, change = FORGED[forge]
    with pytest.raises(SordinoError):
        Plan.load(forged(tmp_path / "forged.json", plan_of(name), change))
