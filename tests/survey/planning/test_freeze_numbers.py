"""Channels of numbers as integers of a plan: they come back equal, levels are asked where they are better, and what is
forged is refused."""

import json
import tomllib
from functools import cache
from hashlib import sha256

import numpy as np
import pytest

from sordino import LevelResponse, Mixture, Moments, OneBit, SampledBits, SordinoError
from sordino.document.codec import NUMBER_CHANNELS, freeze, thaw
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
    forge(document["queries"][0]["channel"])
    del document["hash"]
    document["hash"] = "sha256:" + sha256(canonical(document)).hexdigest()
    path.write_bytes(canonical(document) + b"\n")
    return path


@pytest.mark.parametrize(
    ("name", "kind", "epsilon"),
    [
        ("one", LevelResponse, 8),
        ("two", Mixture, 5),
        pytest.param("two at 8", Mixture, 8, marks=pytest.mark.long),
    ],
)
def test_a_plan_asks_by_levels_and_holds_them(tmp_path, name, kind, epsilon):
    plan = plan_of(name)
    plan.save(tmp_path / "plan.json")
    loaded = Plan.load(tmp_path / "plan.json")
    (question,) = loaded.questions
    assert isinstance(question.channel, kind)
    assert question.channel == plan.questions[0].channel
    assert question.channel.fingerprint == plan.questions[0].channel.fingerprint
    assert plan.promise.holds
    assert plan.promise.level <= Nats.of(epsilon)
    assert float(plan.promise.level) > epsilon - 0.01
    if name != "one":
        # Each is told together with the other, of which nothing is declared.
        assert all(float(reached) > epsilon - 0.01 for reached in plan.promise.reached)


def test_expected_errors_are_below_those_of_a_bit_and_are_reached():
    (question,) = plan_of("one").questions
    bit = 30 * np.sqrt(OneBit("8").noise()[0] / 10_000)
    for age in (20.0, 33.3, 50.0, 61.5, 80.0):
        records = np.full((10_000, 1), (age - 50) / 30)
        (expected,) = question.forecast(records).stderr
        assert expected < bit / 5
        tallies = [question.channel.tally(question.channel.privatize(records)) for _ in range(40)]
        errors = [question.channel.means(tally)[0] * 30 + 50 - age for tally in tallies]
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


CHANNELS = {
    "levels": LevelResponse(5, "3", 2),
    "mixture": Mixture(
        3,
        [
            [((2,), LevelResponse.best("2"))],
            [((0, 1), SampledBits(Moments.first(2), ["1", "2"], [3, 5])), ((2,), LevelResponse(2, "1"))],
        ],
        [5, 2],
    ),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_channels_come_back_from_a_document(name):
    channel = CHANNELS[name]
    frozen = json.loads(json.dumps(freeze(channel)))
    assert thaw(frozen, NUMBER_CHANNELS) == channel


FORGED = {
    "a coin that tells more": ("one", lambda c: c.update(threshold=str(2**64 - 1))),
    "fewer codes within": ("one", lambda c: c.update(window=1)),
    "no levels": ("one", lambda c: c.update(levels=1)),
    "a threshold for liars": ("one", lambda c: c.update(threshold="1")),
    "a part that tells more": ("two", lambda c: c["types"][0][1]["channel"].update(threshold=str(2**64 - 2**40))),
    "one number twice": ("two", lambda c: c["types"][0][1].update(places=[0])),
    "a type for nobody": ("two", lambda c: c.update(weights=[0])),
    "another type": ("two", lambda c: c["types"].append([])),
    "a mixture in a mixture": ("two", lambda c: c["types"][0][0].update(channel=json.loads(json.dumps(c)))),
    "a place that is none": ("two", lambda c: c["types"][0][1].update(places=[7])),
}


@pytest.mark.parametrize("forge", FORGED)
def test_forged_integers_are_refused(tmp_path, forge):
    name, change = FORGED[forge]
    with pytest.raises(SordinoError):
        Plan.load(forged(tmp_path / "forged.json", plan_of(name), change))


def test_other_channels_are_not_frozen():
    with pytest.raises(SordinoError, match="that a survey can choose; found OneBit"):
        freeze(OneBit("1"))
