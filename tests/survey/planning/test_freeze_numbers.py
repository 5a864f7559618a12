"""Channels of numbers as integers of a plan: they come back equal, levels are asked where they are better, and what is
forged is refused."""

import json
import tomllib
from functools import cache
from hashlib import sha256

import numpy as np
import pytest

from asked_numbers import AskedNumbers
from sordino import BitFlips, Number, Query, RandomizedResponse, SordinoError, WindowResponse
from sordino.document.sealed import canonical
from sordino.exact.nats import Nats
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey
from sordino.survey.results.result import results

TWO = """\
version = 1
epsilon = "5"
[attribute.age]
number = { low = 20, high = 80 }
[attribute.height]
number = { low = 140, high = 200 }
[[ask]]
mean = ["age", "height"]
"""

AT_8 = TWO.replace('"5"', '"8"')
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
    path.write_bytes(canonical(document) + b"\n")
    return path


@pytest.mark.parametrize(
    ("name", "kind", "epsilon"),
    [
        ("one", WindowResponse, 8),
        ("two", BitFlips, 5),
        pytest.param("two at 8", BitFlips, 8, marks=pytest.mark.long),
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
        assert all(float(reached) > epsilon - 0.01 for reached in plan.promise.reached)


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
    (result,) = results(plan, plan.sampled.tally(plan.sampled.privatize([records])), confidence=0.999999)
    rows = list(result.rows())
    for row, truth in zip(rows, (ages.mean(), heights.mean()), strict=True):
        assert row["low"] <= truth <= row["high"]


def bold(table):
    """The table of one who lies less, and the sum as it was."""
    most, *_, least = sorted(range(len(table)), key=lambda place: -int(table[place]))
    moved = int(table[least]) // 2
    shifted = {most: int(table[most]) + moved, least: int(table[least]) - moved}
    return [str(shifted.get(place, int(weight))) for place, weight in enumerate(table)]


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
    "another entry": ("two", lambda c: c.update(also=1)),
}


@pytest.mark.parametrize("forge", FORGED)
def test_forged_integers_are_refused(tmp_path, forge):
    name, change = FORGED[forge]
    with pytest.raises(SordinoError):
        Plan.load(forged(tmp_path / "forged.json", plan_of(name), change))
