"""Keyed words pass for random ones across ids, values and draws, and keyed mechanisms follow their channel."""

import numpy as np
import pytest
from scipy import stats

from sordino import (
    Blockwise,
    CyclicSubsets,
    HadamardResponse,
    HighLow,
    KeyedSource,
    ProjectiveResponse,
    RandomizedResponse,
    SubsetSelection,
)

pytestmark = pytest.mark.statistical

NEVER = 1e-9
"""A right sampler fails once in a thousand million runs."""

SOURCE = KeyedSource(bytes(range(32)), "sha256:00 statistics")
PEOPLE = 400_000


def words(ids, values, draw=0):
    stream = SOURCE.for_records(ids).stream(values)
    for _ in range(draw):
        stream.next()
    return stream.next()


def p_of_words(some):
    """The least p-value over the words' 8 bytes, and over their 64 bits, corrected for looking at 72."""
    bytes_ = some.view(np.uint8).reshape(-1, 8)
    of_bytes = [stats.chisquare(np.bincount(column, minlength=256)).pvalue for column in bytes_.T]
    ones = np.unpackbits(bytes_, axis=1).sum(axis=0)
    of_bits = 2 * stats.norm.sf(np.abs(ones - len(some) / 2) / np.sqrt(len(some) / 4))
    return 72 * min(*of_bytes, *of_bits)


NOBODY, ZERO = np.arange(PEOPLE), np.zeros(PEOPLE, dtype=np.int64)
NEIGHBOURS = {
    "ids that count up": lambda: words(NOBODY, ZERO),
    "ids with low bits alike": lambda: words(NOBODY << 40, ZERO),
    "neighbouring ids": lambda: words(NOBODY, ZERO) ^ words(NOBODY + 1, ZERO),
    "neighbouring values": lambda: words(NOBODY, ZERO) ^ words(NOBODY, ZERO + 1),
    "id and value exchanged": lambda: words(NOBODY + 10**6, ZERO) ^ words(NOBODY, ZERO + 10**6),
    "two draws of one encryption": lambda: words(NOBODY, ZERO) ^ words(NOBODY, ZERO, 1),
    "two encryptions": lambda: words(NOBODY, ZERO, 1) ^ words(NOBODY, ZERO, 2),
    "one person's draws": lambda: words(NOBODY, ZERO, 7) ^ words(NOBODY, ZERO, 5),
    "public and not": lambda: words(NOBODY, ZERO) ^ SOURCE.for_records(NOBODY).public(PEOPLE).next(),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_words_pass_for_random_ones(name):
    some = NEIGHBOURS[name]()
    assert p_of_words(some) > NEVER
    # One bit that is one in 51 % of the words would be seen.
    biased = some | (np.random.default_rng(0).random(PEOPLE) < 0.02).astype(np.uint64)
    assert p_of_words(biased) < NEVER


BLOCKS = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3])
BUILD = {
    "randomized": lambda e: RandomizedResponse(12, e),
    "hadamard": lambda e: HadamardResponse(12, e),
    "projective": lambda e: ProjectiveResponse(12, e),
    "blocks": lambda e: Blockwise(BLOCKS, e),
    "cyclic": lambda e: CyclicSubsets(12, e, (13, 4, 4)),
    "subset": lambda e: SubsetSelection(12, e, 2),
    "high-low": lambda e: HighLow(12, [2, 3, 10, 11], e),
}


def p_of_codes(sampler, mechanism):
    """Of a keyed sampler's counts under a mechanism's dense channel; zero if a code occurs that cannot."""
    each = PEOPLE // mechanism.k
    values = np.repeat(np.arange(mechanism.k), each)
    order = np.random.default_rng(1).permutation(len(values))
    values = values[order]
    codes = sampler.privatize(values, SOURCE.for_records(order)).astype(np.int64)
    counts = np.stack([np.bincount(codes[values == x], minlength=mechanism.outputs) for x in range(mechanism.k)])
    expected = each * mechanism.probabilities()
    possible = expected > 0
    if counts[~possible].any():
        return 0.0
    statistic = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    return stats.chi2.sf(statistic, possible.sum() - mechanism.k)


@pytest.mark.parametrize("name", BUILD)
@pytest.mark.parametrize(("epsilon", "wrong"), [("0.5", "0.65"), ("1", "1.3"), ("4", "2.8")])
def test_keyed_mechanisms_follow_their_channel_and_30_percent_wrong_ones_do_not(name, epsilon, wrong):
    build = BUILD[name]
    assert p_of_codes(build(epsilon), build(epsilon)) > NEVER
    assert p_of_codes(build(wrong), build(epsilon)) < NEVER


@pytest.mark.parametrize("name", BUILD)
def test_the_reports_of_two_values_of_one_person_are_independent(name):
    mechanism = BUILD[name]("1")
    first, second = (
        mechanism.privatize(np.full(PEOPLE, value), SOURCE.for_records(NOBODY)).astype(np.int64) for value in (10, 11)
    )
    joint = np.zeros((mechanism.outputs, mechanism.outputs))
    np.add.at(joint, (first, second), 1)
    expected = PEOPLE * np.outer(*(mechanism.probabilities()[value] for value in (10, 11)))
    possible = expected > 0
    assert not joint[~possible].any()
    statistic = ((joint - expected)[possible] ** 2 / expected[possible]).sum()
    assert stats.chi2.sf(statistic, possible.sum() - 1) > NEVER
