"""Tables of sign errors: slopes and noise from the enumerated law, the covariance from simulated tallies, refusals.

The sampler's law, its level, means and tallies are tested with those of all channels of numbers.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sordino import SignTables, SordinoError
from sordino.exact.coin import WORD
from sordino.mechanism.sign_tables import Row

COIN = (3 << 62, 1 << 62)
PAIR = (9 << 60, 3 << 60, 1 << 60, 3 << 60)
TRIPLE = tuple(weight << 58 for weight in (20, 12, 10, 8, 6, 4, 3, 1))
CHANNEL = SignTables(
    4, (COIN, PAIR, TRIPLE), (Row((3,), 0), Row((0, 2), 1), Row((1, 2, 3), 2), Row((2, 1), 1)), (5, 3, 7, 1)
)


def enumerated(record):
    """Each code's probability, row and signs by place."""
    for code in range(CHANNEL.outputs):
        which = int(np.searchsorted(CHANNEL.offsets, code, side="right")) - 1
        row, own = CHANNEL.rows[which], code - CHANNEL.offsets[which]
        yield (
            CHANNEL.probability(record, code),
            which,
            {place: 2 * (own >> c & 1) - 1 for c, place in enumerate(row.places)},
        )


def test_slopes_are_the_mean_signs():
    for record in product((-1.0, 1.0), repeat=4):
        means, total = {}, Fraction(0)
        for share, which, signs in enumerated(record):
            total += share
            for place, sign in signs.items():
                means[which, place] = means.get((which, place), 0) + share * sign
        assert total == 1
        for (which, place), mean in means.items():
            row = CHANNEL.rows[which]
            slope = CHANNEL.slopes[row.table][row.places.index(place)]
            assert mean == slope * int(record[place]) * Fraction(CHANNEL.weights[which], 16)


def test_noise_is_the_least_second_moment_of_an_unbiased_estimate():
    record = (1.0, -1.0, 0.5, -0.25)
    for place in range(4):
        # Unbiased weights of the rows: least squares on the enumerated law.
        terms = [(share, which, signs[place]) for share, which, signs in enumerated(record) if place in signs]
        rows = sorted({which for _, which, _ in terms})
        second = {row: float(sum(share for share, which, _ in terms if which == row)) for row in rows}
        slope = {
            row: float(sum(share * sign for share, which, sign in terms if which == row)) / record[place]
            for row in rows
        }
        least = 1 / sum(slope[row] ** 2 / second[row] for row in rows)
        assert CHANNEL.noise()[place] == pytest.approx(least, rel=1e-12)


@pytest.mark.statistical
def test_covariance_is_that_of_the_means():
    rng = np.random.default_rng(12)
    people = rng.choice([-1.0, 0.2, 1.0], (4000, 4), p=[0.2, 0.3, 0.5])
    people[:, 2] = people[:, 1]
    found, said = [], []
    for _ in range(3000):
        drawn = people[rng.integers(0, len(people), 500)]
        tally = CHANNEL.tally(CHANNEL.privatize(drawn))
        found.append(CHANNEL.means(tally))
        said.append(CHANNEL.covariance(tally))
    np.testing.assert_allclose(np.mean(found, axis=0), people.mean(axis=0), atol=0.05)
    scale = np.sqrt(np.diag(np.mean(said, axis=0)))
    np.testing.assert_allclose(
        np.cov(np.array(found).T) / np.outer(scale, scale), np.mean(said, axis=0) / np.outer(scale, scale), atol=0.12
    )


def test_covariance_sees_numbers_that_are_asked_together():
    """All of a row's people send equal signs or opposite ones: the residuals are computed by hand."""
    channel = SignTables(2, (PAIR,), (Row((0, 1), 0),), (1,))
    slopes = [float(slope) for slope in channel.slopes[0]]
    assert slopes == [0.25, 0.5]
    tally = channel.tally([3] * 30 + [0] * 20 + [1] * 10)
    signs = np.array([[1, 1]] * 30 + [[-1, -1]] * 20 + [[1, -1]] * 10)
    means = signs.mean(axis=0) / slopes
    np.testing.assert_allclose(channel.means(tally), means)
    residual = signs / slopes - np.clip(means, -1, 1)
    np.testing.assert_allclose(channel.covariance(tally), residual.T @ residual / 60 / 59)


def test_somebody_must_have_answered_about_each_number():
    tally = CHANNEL.tally([0, 1])
    for asked in (CHANNEL.means, CHANNEL.covariance):
        with pytest.raises(SordinoError, match="nobody about number 0, of 2 reports"):
            asked(tally)


def test_wrong_tables_rows_and_weights_are_refused():
    good = (2, (COIN,), (Row((0,), 0), Row((1,), 0)), (1, 1))
    assert SignTables(*good).outputs == 4
    wrong = [
        (1, ((3 << 62, 1 << 61),), "with sum 2\\^64"),
        (1, ((WORD, 0),), "weights >= 1"),
        (1, ((WORD // 4,) * 3 + (WORD // 4,),), "one for each sign of its table"),
        (1, ((WORD // 3,) * 2 + (WORD - 2 * (WORD // 3),),), "2\\^m weights"),
        (2, (Row((0,), 0), Row((2,), 0)), "different places of 2"),
        (2, (Row((0,), 0), Row((1,), 1)), "different places of 2"),
        (2, (Row((0, 1), 0),), "different places of 2"),
        (2, (Row((0,), 0),), "25|weight >= 1"),
        (3, (1, 0), "whole weight >= 1"),
        (3, (1,), "2 rows, 1 weights"),
        (3, (1, 1 << 32), "together at most"),
        (0, 3, "asked for by a table with a slope"),
        (1, ((WORD // 2, WORD // 2),), "asked for by a table with a slope"),
    ]
    for place, value, text in wrong:
        changed = list(good)
        changed[place] = value
        with pytest.raises(SordinoError, match=text):
            SignTables(*changed)


def test_channels_are_told_apart():
    one = SignTables(2, (COIN,), (Row((0,), 0), Row((1,), 0)), (1, 1))
    other = SignTables(2, (COIN,), (Row((0,), 0), Row((1,), 0)), (1, 3))
    assert one.fingerprint == SignTables(2, (COIN,), (Row((0,), 0), Row((1,), 0)), (1, 1)).fingerprint
    assert one.fingerprint != other.fingerprint
