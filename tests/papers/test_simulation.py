"""Simulated words repeat by seed and are spread over all bits; tallies count everybody, in however many slices."""

import numpy as np
import pytest

from asked_numbers import bits
from sordino import LDP, BlockLDP, HadamardResponse, Partition, RandomizedResponse, best_mechanism
from sordino.domain.moment import Moments
from sordino.papers import simulation
from sordino.papers.simulation import (
    SimulationSource,
    contestant,
    distances,
    simulate_bits,
    simulate_tally,
    total_variation,
)


def words(source, count=2000):
    return source.stream(np.arange(count)).next()


def test_words_are_those_of_the_seeds():
    assert np.array_equal(words(SimulationSource(1, 2, 3)), words(SimulationSource(1, 2, 3)))
    for other in [(1, 2, 4), (1, 3, 2), (2, 2, 3)]:
        assert not (words(SimulationSource(1, 2, 3)) == words(SimulationSource(*other))).any()


def test_words_do_not_repeat_within_a_source():
    source = SimulationSource(1)
    first = source.stream(np.arange(500))
    second = source.stream(np.arange(500))
    drawn = np.concatenate([first.next(), second.next(), first.next(), first.take(np.arange(7)).next()])
    assert drawn.dtype == np.uint64
    assert len(np.unique(drawn)) == 1507


def test_words_do_not_look_at_the_values():
    assert np.array_equal(*(SimulationSource(5).stream(values).next() for values in (np.arange(9), np.zeros(9, int))))


def test_every_bit_of_a_word_is_a_fair_coin():
    bits = np.unpackbits(words(SimulationSource(8), 40_000).view(np.uint8)).reshape(-1, 64)
    # Six standard deviations.
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 6 * 0.5 / np.sqrt(40_000)


@pytest.mark.parametrize("at_once", [1, 7, 10, 1 << 22])
def test_a_tally_counts_everybody_however_it_is_sliced(monkeypatch, at_once):
    monkeypatch.setattr(simulation, "AT_ONCE", at_once)
    people = np.array([0, 5, 0, 10, 1, 0])
    # At epsilon 40 a lie is rarer than one in 10^16.
    assert simulate_tally(RandomizedResponse(6, "40"), people, SimulationSource(1)).counts.tolist() == people.tolist()


def test_a_tally_is_that_of_the_mechanisms_own_reports():
    mechanism, people = HadamardResponse(5, "1"), np.array([100, 0, 30, 7, 200])
    codes = mechanism.privatize(np.repeat(np.arange(5), people), SimulationSource(4))
    tally = simulate_tally(mechanism, people, SimulationSource(4))
    assert np.array_equal(tally.counts, mechanism.tally(codes).counts)
    assert tally.n == 337


def test_contestants_are_the_papers_mechanism_and_the_planned_one():
    one, four = Partition.of([0] * 8), Partition.of([0, 0, 0, 0, 1, 1, 1, 1])
    assert contestant("best", one, "1") == best_mechanism(8, LDP("1"))
    assert contestant("best", four, "1").fingerprint == best_mechanism(8, BlockLDP(four, "1")).fingerprint
    for blocks in (one, four):
        assert {type(inner) for inner in contestant("hadamard", blocks, "1").inner} == {HadamardResponse}


def test_distances_are_one_for_each_method_and_small_where_nothing_is_hidden():
    people, steps = np.array([10, 20, 70]), []
    found = distances(RandomizedResponse(3, "40"), people, people / 100, SimulationSource(1), steps.append)
    assert len(found) == len(simulation.METHODS) == sum(steps)
    assert max(found) < 1e-9
    assert total_variation(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])) == 0.25


def test_bits_of_a_population_have_the_law_of_single_reports():
    moments = Moments(2, ((0,), (1,), (0, 1), (1, 1)))
    channel = bits(moments.names, ["1", "2", "1/2", "3"], [3, 1, 2, 2])
    records = np.array([[0.9, -0.5], [0.4, 1.0], [-0.3, 0.2]])
    law = np.mean([[float(share) for share in channel.law(record)] for record in records], axis=0)
    people = 3_000_000
    tally = simulate_bits(channel.asked, moments.values(records).mean(axis=0), people, np.random.default_rng(4))
    assert (tally.fingerprint, tally.n, tally.counts.sum()) == (channel.fingerprint, people, people)
    # Six standard deviations; a law that is a percent off would be seen.
    tolerance = 6 * np.sqrt(law * (1 - law) / people)
    assert (np.abs(tally.counts / people - law) < tolerance).all()
    assert (tolerance < 0.02 * law).all()
