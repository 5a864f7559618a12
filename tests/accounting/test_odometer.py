"""Odometers: A >= B >= C whatever is answered, each against brute force; Bayesian losses that do not add."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from sordino import (
    LDP,
    BayesianCoordinateDP,
    BlockLDP,
    Box,
    Categories,
    ChannelTable,
    CoordinateDP,
    LinearQuery,
    Odometer,
    PairwiseLDP,
    Query,
    RandomizedResponse,
    Record,
    SordinoError,
    Value,
    Values,
)

THREE = Categories(["a", "b", "c"])
PAIR = Record({"first": Categories(["no", "yes"]), "second": THREE})
RECORDS = [(i, j) for i in range(2) for j in range(3)]


def random_channel(rng, k):
    rows = rng.integers(1, 9, (k, 3))
    total = math.lcm(*rows.sum(axis=1).tolist())
    return ChannelTable([[int(weight) * (total // int(sum(row))) for weight in row] for row in rows])


def ratio(likelihood, pairs):
    return max((math.log(likelihood[a] / likelihood[b]) for a, b in pairs), default=0.0)


def test_three_counts_of_values():
    rng = np.random.default_rng(1)
    definitions = {
        "all": (LDP(1), list(permutations(range(3), 2))),
        "blocks": (BlockLDP([0, 0, 1], 1), [(0, 1), (1, 0)]),
    }
    for definition, pairs in definitions.values():
        for _ in range(20):
            odometer, likelihood, sums, separate = Odometer(THREE, definition), [Fraction(1)] * 3, 0.0, 0.0
            for _ in range(6):
                query, code = random_channel(rng, 3), int(rng.integers(3))
                columns = [[query.weight(x, y) for x in range(3)] for y in range(3)]
                every = list(permutations(range(3), 2)) if isinstance(definition, LDP) else pairs
                sums += max(ratio(column, every) for column in columns)
                separate += max(ratio(columns[code], pairs), 0.0)
                likelihood = [p * w for p, w in zip(likelihood, columns[code], strict=True)]
                odometer = odometer.after(query, code)
            (reading,) = odometer.readings
            found = (reading.epsilons, reading.separate, reading.realized)
            assert found == pytest.approx((sums, separate, max(ratio(likelihood, pairs), 0.0)), abs=1e-9)
            assert found == tuple(sorted(found, reverse=True))
            assert odometer.realized == reading.realized


def test_each_pair_and_each_attribute_has_its_reading():
    matrix = PairwiseLDP([["0", "1", "2"], ["inf", "0", "1"], ["1", "inf", "0"]])
    query = ChannelTable([[4, 1], [1, 4], [2, 3]])
    readings = Odometer(THREE, matrix).after(query, 0).readings
    told = {reading.about: reading.realized for reading in readings}
    assert told["value 0 and value 1"] == pytest.approx(math.log(4))
    assert told["value 2 and value 0"] == 0.0
    odometer = Odometer(PAIR, CoordinateDP([1, 1]))
    for code in (0, 0, 1):
        odometer = odometer.after(Query(Value("first"), ChannelTable([[3, 1], [1, 3]])), code)
    first, second = odometer.readings
    assert (first.epsilons, first.realized) == (pytest.approx(3 * math.log(3)), pytest.approx(math.log(3)))
    assert (second.epsilons, second.separate, second.realized) == (0.0, 0.0, 0.0)


def test_bayesian_losses_are_combined_not_added():
    """With q = 1/2: ln((e^c + e^epsilon) / 2) of the sums, then of what was told; with a prior LDP's sums."""
    coin = ChannelTable([[3, 1], [1, 3]])
    bounded = Odometer(PAIR, BayesianCoordinateDP.bounded([1, 1], 2, "1/2"))
    bounded = bounded.after(Query(Value("first"), coin), 0).after(
        Query(Value("second"), ChannelTable([[2, 1], [1, 2], [1, 2]])), 0
    )
    first, second, whole = bounded.readings
    assert whole.epsilons == pytest.approx(math.log(6))
    assert first.epsilons == pytest.approx(math.log((3 + 6) / 2))
    assert second.epsilons == pytest.approx(math.log((2 + 6) / 2))
    # Exactly, the worst prior within the bound is not as bad.
    f = {record: (3 if record[0] == 0 else 1) * (2 if record[1] == 0 else 1) for record in RECORDS}
    exact = max(
        (f[a, u] + max(f[a, w] for w in range(3))) / (f[b, u] + min(f[b, w] for w in range(3)))
        for a, b in permutations(range(2), 2)
        for u in range(3)
    )
    assert first.realized == pytest.approx(math.log(exact))
    assert first.realized <= first.separate <= first.epsilons

    prior = np.array([[0.3, 0.1, 0.1], [0.1, 0.1, 0.3]])
    told = Odometer(PAIR, BayesianCoordinateDP.with_prior([1, 1], prior))
    told = told.after(Query(Value("first"), coin), 0)
    first, second, whole = told.readings
    assert first.epsilons == pytest.approx(math.log(3))
    assert first.realized == pytest.approx(math.log(3))
    given = [[prior[i, j] / prior[:, j].sum() for i in range(2)] for j in range(3)]
    means = [3 * p + 1 * q for p, q in given]
    assert second.realized == pytest.approx(math.log(max(means) / min(means)))
    assert second.epsilons == whole.epsilons


@pytest.mark.parametrize(
    "definition",
    [
        BayesianCoordinateDP.with_prior(["5", "5"], np.full((2, 2), 0.25)),
        BayesianCoordinateDP.bounded(["5", "5"], "5", ["1/10", "1/10"]),
    ],
    ids=["prior", "bounded"],
)
def test_two_answers_that_reveal_an_attribute_only_together_count(definition):
    """About a xor b, then about b: neither reveals a to somebody for whom both are fair bits."""
    pair = Record({"a": Categories(["0", "1"]), "b": Categories(["0", "1"])})
    xor = Query(Values("a", "b"), ChannelTable([[9, 1], [1, 9], [1, 9], [9, 1]]))
    asked = Odometer(pair, definition).after(xor, 0).after(Query(Value("b"), ChannelTable([[9, 1], [1, 9]])), 0)
    told = {(a, b): (9 if a == b else 1) * (9 if b == 0 else 1) for a in range(2) for b in range(2)}
    fair = math.log((told[0, 0] + told[0, 1]) / (told[1, 0] + told[1, 1]))
    assert asked.readings[0].realized >= fair - 1e-12


@pytest.mark.parametrize("others", [4, 600])
def test_what_a_dependent_attribute_reveals_counts_on_small_and_large_records(others):
    """Nothing is asked about c; whoever believes that it goes with b learns of it by half."""
    pair = Record({"b": Categories(["0", "1"]), "c": Categories(range(others))})
    about, half = Query(Value("b"), RandomizedResponse(2, "1")), BayesianCoordinateDP.bounded([2, 2], 2, "1/2")
    _, second, _ = Odometer(pair, half).after(about, 0).after(about, 0).readings
    exact = math.log(((1 - 0.5) * math.e**2 + 0.5 * math.e**2) / ((1 - 0.5) * math.e**2 + 0.5))
    assert exact <= second.realized <= math.log((1 + math.e**2) / 2) + 1e-9


def test_counts_on_a_box():
    mean = LinearQuery([1.0], 0, -1, 1, "1")
    odometer = Odometer(Box([-1], [1]), LDP(1)).after(mean, 1).after(mean, 0)
    (reading,) = odometer.readings
    assert reading.epsilons == pytest.approx(2.0)
    assert reading.separate == pytest.approx(2.0, abs=1e-3)
    # One heads and one tails: 4 p (1 - p) at its largest and smallest.
    tails = 1 / (1 + math.e)
    assert reading.realized == pytest.approx(-math.log(4 * tails * (1 - tails)), abs=1e-3)


def test_an_odometer_counts_what_no_filter_accepts_and_refuses_what_is_no_answer():
    odometer = Odometer(THREE, LDP("0.1"))
    coin = RandomizedResponse(3, "5")
    assert odometer.after(coin, 2).realized == pytest.approx(5.0)
    assert odometer.realized == 0.0
    for output in (3, -1, True, 0.5):
        with pytest.raises(SordinoError, match="below 3"):
            odometer.after(coin, output)
    with pytest.raises(SordinoError, match="3 values"):
        odometer.after(RandomizedResponse(2, 1), 0)
    with pytest.raises(SordinoError, match="offered"):
        Odometer(Box([-1], [1]), BlockLDP([[0]], 1))
