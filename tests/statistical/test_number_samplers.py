"""Samplers of number channels against their law by chi-square, with a power check; estimates against their errors."""

import numpy as np
import pytest
from scipy import stats

from sordino import LevelResponse, Mixture, Moments, OneBit, SampledBits, SignResponse

pytestmark = pytest.mark.statistical

REPORTS = 400_000
NEVER = 1e-9
"""A right sampler fails once in a thousand million runs."""

NAMES = Moments(2, ((0,), (0, 1), (1, 1)))
BUILD = {
    "one-bit": OneBit,
    "sampled": lambda e: SampledBits(Moments.first(3), [e] * 3, [1, 5, 2]),
    "sampled-moments": lambda e: SampledBits(NAMES, [e, "1", e], [1, 1, 1]),
    "signs": lambda e: SignResponse(4, e, 2),
    "signs-tolerant": lambda e: SignResponse(3, e, 3, 1),
    "levels": lambda e: LevelResponse(5, e, 2),
}
EPSILONS = [("0.5", "0.65", "0.35"), ("1", "1.3", "0.7"), ("4", "5.2", "2.8")]


def record_of(channel):
    return np.array([0.9, -0.6, 1.0, -1.0])[: channel.d]


def law_of(channel):
    record = record_of(channel).tolist()
    return np.array([float(channel.probability(record, code)) for code in range(channel.outputs)])


def p_value(codes, law):
    counts = np.bincount(codes.astype(np.int64), minlength=len(law))
    expected = len(codes) * law
    return stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(law) - 1)


@pytest.mark.parametrize(("epsilon", "more", "less"), EPSILONS)
@pytest.mark.parametrize("name", BUILD)
def test_a_sampler_follows_its_law_and_a_30_percent_wrong_one_does_not(name, epsilon, more, less):
    build = BUILD[name]
    records = np.tile(record_of(build(epsilon)), (REPORTS, 1))
    law = law_of(build(epsilon))
    assert p_value(build(epsilon).privatize(records), law) > NEVER
    for wrong in (more, less):
        assert p_value(build(wrong).privatize(records), law) < NEVER


def test_the_parts_of_a_mixture_are_independent():
    bit, levels = OneBit("1"), LevelResponse(3, "2")
    mixture = Mixture(2, [[((1,), levels), ((0,), bit)], [((0,), bit)]], [2, 1])
    records = np.tile([0.5, -0.25], (REPORTS, 1))
    levels_law = [float(levels.probability([-0.25], code)) for code in range(3)]
    bit_law = [float(bit.probability([0.5], code)) for code in range(2)]
    law = np.concatenate([np.outer(levels_law, bit_law).ravel() * 2 / 3, np.array(bit_law) / 3])
    codes = mixture.privatize(records)
    assert p_value(codes, law) > NEVER
    # A part that went on with the words of the other would be found.
    shared = np.where(codes < 6, codes // 2 * 2 + (codes // 2 > 0), codes)
    assert p_value(shared, law) < NEVER


CHANNELS = {
    "one-bit": OneBit("1"),
    "sampled": SampledBits(NAMES, ["1", "2", "4"], [2, 1, 1]),
    "signs": SignResponse(2, "2", 2),
    "signs-drawn": SignResponse(5, "3", 2),
    "levels": LevelResponse.best("3"),
    "mixture": Mixture(3, [[((0, 2), SignResponse(2, "1", 2))], [((0,), OneBit("2")), ((1,), OneBit("2"))]], [1, 2]),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_estimates_vary_as_their_covariance_says(name):
    """2,000 surveys of 600 people drawn at random, with dependent numbers whose means are far from 0."""
    channel, surveys, people = CHANNELS[name], 2000, 600
    rng = np.random.default_rng(11)
    means, told = [], []
    for _ in range(surveys):
        records = np.sign(rng.uniform(-0.4, 1, (people, channel.d)))
        records[:, -1] = np.where(rng.random(people) < 0.7, records[:, 0], records[:, -1])
        tally = channel.tally(channel.privatize(0.9 * records))
        means.append(channel.means(tally))
        told.append(channel.covariance(tally))
    seen, expected = np.cov(np.array(means).T).reshape(channel.moments.m, -1), np.mean(told, axis=0)
    scale = np.sqrt(np.outer(np.diag(seen), np.diag(seen)))
    assert (np.abs(np.diag(seen) / np.diag(expected) - 1) < 6 * np.sqrt(2 / surveys)).all()
    if name != "mixture":  # Which does not know how the statistics of two parts vary together.
        assert (np.abs(seen - expected) / scale < 6 / np.sqrt(surveys)).all()
    truth = channel.moments.values(0.9 * np.sign(rng.uniform(-0.4, 1, (10**6, channel.d))))[:, 0].mean()
    assert abs(np.mean(means, axis=0)[0] - truth) < 6 * np.sqrt(seen[0, 0] / surveys) + 6e-3
    assert (np.diag(seen) < channel.noise() / people * 1.2).all()
