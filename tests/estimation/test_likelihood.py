"""Maximum likelihood: the optimality conditions on the dense channel, brute force, plain EM, and the climb itself."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from in_one import in_one
from sordino import (
    Aggregate,
    Blockwise,
    HadamardResponse,
    Nats,
    Partition,
    ProjectiveResponse,
    RandomizedResponse,
    SordinoError,
)
from sordino.design.numbers.bins_channel import square_wave
from sordino.estimation import likelihood as module
from sordino.estimation.likelihood import Hill, gradient_step, likelihood, newton_step
from sordino.estimation.share_estimate import estimate
from sordino.estimation.simplex import project
from sordino.estimation.unbiased import estimate_shares

NEAR = 0.01
"""Nats below the maximum that the module allows itself; the witnesses add a little for rounding."""


@dataclass(frozen=True, eq=False)
class Dense:
    """Any channel as a matrix: only what the climb may ask of a mechanism."""

    matrix: np.ndarray
    spread: float = 1.0
    partition: Partition = field(init=False)
    counts_codes = True

    def __post_init__(self):
        object.__setattr__(self, "partition", Partition(np.zeros(self.k, dtype=int)))

    @property
    def k(self):
        return len(self.matrix)

    @property
    def block_of_counter(self):
        return np.zeros(self.matrix.shape[1], dtype=int)

    def forward(self, p):
        return p @ self.matrix

    def adjoint(self, weights):
        return self.matrix @ weights

    def variance(self, p):
        return np.full(self.k, self.spread)


def tallied(law, n, seed, shown=1.0):
    """The law of the codes of n reports; some codes are left out, as rare ones are."""
    rng = np.random.default_rng(seed)
    kept = law * (rng.random(len(law)) < shown)
    return rng.multinomial(n, (kept if kept.sum() else law) / (kept if kept.sum() else law).sum()) / n


def mean_log(matrix, law, shares):
    seen = law > 0
    return law[seen] @ np.log((shares @ matrix)[seen])


def nats_from_the_maximum(matrix, law, n, shares, blocks=None):
    """An upper bound on what any other distribution gains, from the dense channel alone."""
    seen = law > 0
    gradient = matrix[:, seen] @ (law[seen] / (shares @ matrix)[seen])
    blocks = blocks or [list(range(len(matrix)))]
    known = [law[np.any(matrix[own] > 0, axis=0)].sum() for own in blocks]
    return n * (sum(share * gradient[own].max() for share, own in zip(known, blocks, strict=True)) - law.sum())


def check(mechanism, matrix, law, n, blocks=None):
    found = likelihood(mechanism, law, n)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert nats_from_the_maximum(matrix, law, n, found, blocks) <= NEAR + n * 1e-12
    return found


@pytest.mark.each_value
@pytest.mark.parametrize(("n", "shown"), [(1, 1.0), (2, 1.0), (30, 0.5), (5000, 0.3), (10**7, 1.0), (10**9, 0.7)])
def test_no_distribution_is_more_likely(channel, n, shown):
    mechanism = channel.mechanism
    if not mechanism.counts_codes:
        with pytest.raises(SordinoError, match="how often each code"):
            likelihood(mechanism, mechanism.forward(np.full(mechanism.k, 1 / mechanism.k)), n)
        return
    for seed in range(3):
        people = np.random.default_rng(seed).dirichlet(np.full(mechanism.k, 0.4))
        law = tallied(people @ channel.matrix, n, seed, shown)
        found = check(mechanism, channel.matrix, law, n, channel.blocks)
        # Codes tell their block, so its share is known.
        for own in channel.blocks:
            codes = np.any(channel.matrix[own] > 0, axis=0)
            assert found[own].sum() == pytest.approx(law[codes].sum(), abs=1e-12)


@pytest.mark.each_value
@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "4", "8", "20", "40"])
@pytest.mark.parametrize(
    "make",
    [
        RandomizedResponse,
        HadamardResponse,
        lambda k, e: ProjectiveResponse(k, e, 3),
        lambda k, e: Blockwise([0, 1, 1, 2, 2, 2, 1, 2, 2, 3, 2, 2, 2, 2, 2, 2, 4][:k], e, "projective"),
    ],
)
def test_every_epsilon_converges(make, epsilon):
    for k in (2, 3, 5, 17):
        mechanism = make(k, epsilon)
        matrix = mechanism.probabilities()
        blocks = [mechanism.partition.values(b).tolist() for b in range(mechanism.partition.m)]
        for n, people in [(7, np.full(k, 1 / k)), (1000, np.eye(k)[1]), (10**6, 0.8 ** np.arange(k))]:
            law = tallied(people @ matrix, n, k)
            check(mechanism, matrix, law, n, blocks)


@in_one("seed", range(12))
def test_brute_force_finds_nothing_more_likely_and_the_same_law(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 7)), 10**9
    mechanism = [RandomizedResponse, HadamardResponse, ProjectiveResponse][seed % 3](k, ["0.5", "1", "3"][seed // 4])
    matrix = mechanism.probabilities()
    # Far from every law that people could have: the optimum is at the edge.
    law = rng.dirichlet(np.ones(mechanism.outputs))
    law[rng.integers(len(law))] = 0
    law /= law.sum()
    best = minimize(
        lambda p: -mean_log(matrix, law, p),
        np.full(k, 1 / k),
        method="SLSQP",
        bounds=[(0, 1)] * k,
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}],
        options={"ftol": 1e-15, "maxiter": 1000},
    ).x
    found = likelihood(mechanism, law, n)
    assert mean_log(matrix, law, found) >= mean_log(matrix, law, best) - NEAR / n
    np.testing.assert_allclose(found @ matrix, best @ matrix, atol=1e-6)
    np.testing.assert_allclose(found, best, atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", ["1", "4"])
@pytest.mark.parametrize("blocks", [[0] * 8, [0, 0, 1, 1, 1, 2, 3, 3]])
def test_plain_em_creeps_to_the_same_shares(blocks, epsilon):
    mechanism = Blockwise(blocks, epsilon, "hadamard")
    matrix = mechanism.probabilities()
    law = tallied(np.random.default_rng(2).dirichlet(np.full(8, 0.5)) @ matrix, 2000, 2)
    shares, seen = np.full(8, 1 / 8), law > 0
    for _ in range(50_000):
        shares = shares * (matrix[:, seen] @ (law[seen] / (shares @ matrix)[seen]))
    np.testing.assert_allclose(likelihood(mechanism, law, 10**9), shares, atol=1e-5)


def test_an_estimate_that_is_a_distribution_is_the_most_likely():
    # Randomized response has as many codes as values: it fits every law that its channel can make.
    mechanism = RandomizedResponse(6, "1")
    shares = np.array([0.3, 0.25, 0.2, 0.15, 0.07, 0.03])
    law = mechanism.forward(shares)
    np.testing.assert_allclose(likelihood(mechanism, law, 10**12), shares, atol=1e-6)
    np.testing.assert_allclose(estimate_shares(mechanism, law), shares)


def test_values_alone_in_their_blocks_have_the_shares_of_their_codes():
    law = np.array([0.5, 0.0, 0.25, 0.125, 0.125])
    np.testing.assert_allclose(likelihood(Blockwise(range(5), "1"), law, 8), law, atol=1e-15)
    np.testing.assert_array_equal(likelihood(RandomizedResponse(1, "1"), np.ones(1), 1), [1])


@in_one("forged", [False, True])
def test_many_bins_of_a_number_are_fitted_too(forged):
    # Codes of neighbours overlap so far that a climb creeps: it ended 26 nats below after 300 steps.
    mechanism, random = square_wave(192, Nats.of(1)), np.random.default_rng(1)
    matrix = mechanism.probabilities()
    people = np.bincount((random.beta(2, 5, 10**5) * 192).astype(int), minlength=192) / 10**5
    law = random.dirichlet(np.full(mechanism.outputs, 0.1)) if forged else people @ matrix
    check(mechanism, matrix, tallied(law, 10**5, 1), 10**5)


@in_one("n", [1, 30, 10**5, 10**9])
@in_one(
    "mechanism", [HadamardResponse(6, "1"), Blockwise([0, 0, 1, 1, 1, 2], "1", "hadamard"), square_wave(40, Nats.of(4))]
)
def test_from_the_inside_all_channels_end_at_the_maximum(mechanism, n, monkeypatch):
    monkeypatch.setattr(module, "CREEPS", 0)
    monkeypatch.setattr(module, "MOST_STEPS", 1)
    matrix, blocks = mechanism.probabilities(), mechanism.partition
    people = np.random.default_rng(n).dirichlet(np.full(mechanism.k, 0.4))
    law = tallied(people @ matrix, n, 1, 0.7)
    check(mechanism, matrix, law, n, [blocks.values(block).tolist() for block in range(blocks.m)])


def test_one_report_is_read():
    mechanism = RandomizedResponse(3, "5")
    np.testing.assert_allclose(likelihood(mechanism, np.array([0.0, 1.0, 0.0]), 1), [0, 1, 0], atol=0.02)
    blocks = likelihood(Blockwise([0, 0, 1, 1, 1], "5", "randomized"), np.eye(5)[3], 1)
    np.testing.assert_allclose(blocks, [0, 0, 0, 1, 0], atol=0.02)


def test_without_epsilon_even_shares_are_as_likely_as_any():
    np.testing.assert_allclose(likelihood(HadamardResponse(4, 0), np.eye(8)[3], 100), np.full(4, 0.25))


@given(st.data())
def test_any_channel_converges_whatever_its_zeros_and_whatever_the_scale(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    k, outputs = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 9))
    matrix = rng.dirichlet(np.full(outputs, data.draw(st.sampled_from([0.1, 1.0, 20.0]))), k)
    matrix[rng.random(matrix.shape) < data.draw(st.sampled_from([0.0, 0.5]))] = 0
    matrix[np.arange(k), rng.integers(outputs, size=k)] += 0.1
    matrix /= matrix.sum(axis=1, keepdims=True)
    n = data.draw(st.sampled_from([1, 10, 1000, 10**6]))
    law = tallied(rng.dirichlet(np.full(k, 0.3)) @ matrix, n, k, 0.7)
    check(Dense(matrix, data.draw(st.sampled_from([0.01, 1.0, 100.0, np.inf]))), matrix, law, n)


def test_shares_that_codes_tell_exactly_are_found_exactly():
    law = np.array([0.7, 0.0, 0.2, 0.1])
    np.testing.assert_allclose(likelihood(Dense(np.eye(4)), law, 10**9), law, atol=1e-5)


def test_a_code_that_nobody_can_send_says_nothing():
    matrix = np.array([[0.5, 0.5, 0.0], [0.1, 0.9, 0.0]])
    found = likelihood(Dense(matrix), np.array([0.15, 0.35, 0.5]), 10**6)
    np.testing.assert_allclose(found, [0.5, 0.5], atol=1e-4)


def test_too_many_steps_are_an_error_and_not_an_answer(monkeypatch):
    monkeypatch.setattr(module, "MOST_STEPS", 2)
    mechanism = HadamardResponse(100, "1")
    law = tallied(mechanism.forward(0.8 ** np.arange(100) * 0.2 / (1 - 0.8**100)), 10**6, 1)
    with pytest.raises(SordinoError, match=r"within 0\.01 nats .* use the method simplex"):
        likelihood(mechanism, law, 10**6)


@pytest.mark.each_value
@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mechanism", [HadamardResponse(50, "4"), Blockwise(np.arange(50) % 7, "2", "hadamard")])
def test_the_likelihood_never_falls_with_steps_of_either_kind_and_any_length(mechanism, length):
    matrix = mechanism.probabilities()
    law = tallied(np.random.default_rng(5).dirichlet(np.full(50, 0.2)) @ matrix, 10**4, 5)
    hill = Hill(mechanism, law, 10**4, None)
    point = hill.start()
    values = [mean_log(matrix, law, point.shares)]
    for step in range(40):
        lengths = np.full(hill.blocks.m, length)
        point = newton_step(hill, point) if step % 2 else gradient_step(hill, point, lengths)[0]
        values.append(mean_log(matrix, law, point.shares))
        assert point.shares.min() >= 0
        np.testing.assert_allclose(hill.blocks.totals(point.shares), hill.totals, atol=1e-13)
    assert np.diff(values).min() >= -1e-13
    assert values[-1] > values[0] + 1e-5


@pytest.mark.parametrize(
    ("mechanism", "most"),
    [
        (HadamardResponse(1000, "1"), 15),
        (HadamardResponse(1000, "8"), 30),
        (ProjectiveResponse(1000, "1"), 15),
        (RandomizedResponse(1000, "8"), 15),
        (RandomizedResponse(1000, "20"), 15),
        (Blockwise(np.arange(1000) // 10, "1", "hadamard"), 20),
        (Blockwise(np.arange(1000) // 10, "4"), 15),
    ],
)
def test_it_converges_in_a_few_passes_with_one_block_or_many(mechanism, most):
    for people in (1 / np.arange(1, 1001), 0.8 ** np.arange(1000), np.ones(1000), np.eye(1000)[3]):
        law = tallied(mechanism.forward(people / people.sum()), 512_000, 3)
        passes = []
        likelihood(mechanism, law, 512_000, progress=passes.append)
        assert sum(passes) <= most


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("make", [HadamardResponse, lambda k, e: Blockwise(np.arange(k) // 25, e, "hadamard")])
def test_a_map_and_ten_million_people(make):
    mechanism = make(43_750, "1")
    people = 1 / np.arange(1, 43_751)
    law = tallied(mechanism.forward(people / people.sum()), 10**7, 6)
    passes = []
    found = likelihood(mechanism, law, 10**7, progress=passes.append)
    assert sum(passes) <= 30
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    expected = mechanism.forward(found)
    gradient = mechanism.adjoint(np.divide(law, expected, out=np.zeros_like(law), where=law > 0))
    tops = np.array([gradient[mechanism.partition.values(b)].max() for b in range(mechanism.partition.m)])
    assert 10**7 * (mechanism.partition.totals(found) @ tops - 1) <= NEAR + 1e-4


def test_a_rare_value_that_a_large_epsilon_tells_is_not_lost():
    # On the way down its codes would have a probability below rounding, where the likelihood has no slope.
    mechanism = HadamardResponse(3, "40")
    law = np.array([1_929_690, 1_930_982, 0, 37]) / 3_860_709
    found = check(mechanism, mechanism.probabilities(), law, 3_860_709)
    assert found[2] == pytest.approx(2 * law[3], rel=1e-2)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", ["6", "8", "12", "20"])
def test_unequal_blocks_and_a_large_epsilon_converge_too(epsilon):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 70, 300)
    mechanism = Blockwise(labels, epsilon, "hadamard")
    people = rng.dirichlet(np.full(300, 0.05))
    matrix = mechanism.probabilities()
    blocks = [mechanism.partition.values(b).tolist() for b in range(mechanism.partition.m)]
    for n in (10**4, 10**6, 10**8):
        check(mechanism, matrix, tallied(people @ matrix, n, 2), n, blocks)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("people", "simplex", "most_likely"),
    [(1 / np.arange(1, 1001), (0.404, 0.01), (0.409, 0.012)), (0.8 ** np.arange(1000), (0.09, 0.012), (0.10, 0.02))],
)
def test_distances_of_a_thousand_values(people, simplex, most_likely):
    mechanism, n = HadamardResponse(1000, "1"), 512_000
    distances = []
    for seed in range(30):
        # Which rows of the matrix the frequent values own matters a little: they are drawn.
        shares = np.random.default_rng(seed).permutation(people / people.sum())
        law = tallied(mechanism.forward(shares), n, seed)
        estimates = project(estimate_shares(mechanism, law)), likelihood(mechanism, law, n)
        distances.append([np.abs(e - shares).sum() / 2 for e in estimates])
    found = np.mean(distances, axis=0)
    assert found[0] == pytest.approx(simplex[0], abs=simplex[1])
    assert found[1] == pytest.approx(most_likely[0], abs=most_likely[1])


def test_the_public_estimate_is_the_most_likely_distribution_of_the_tally():
    mechanism = Blockwise([0, 0, 1, 1, 1, 2], "1", "hadamard")
    counts = np.random.default_rng(7).integers(0, 40, mechanism.outputs)
    found = estimate(mechanism, Aggregate(mechanism.fingerprint, int(counts.sum()), counts), "likelihood")
    n = counts.sum()
    np.testing.assert_array_equal(found.fitted, likelihood(mechanism, counts / n, int(n)))
    blocks = [[0, 1], [2, 3, 4], [5]]
    assert nats_from_the_maximum(mechanism.probabilities(), counts / n, n, found.fitted, blocks) <= NEAR + 1e-9
