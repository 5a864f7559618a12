"""Long transcripts over a box: what is carried from answer to answer decides as a replay does, and as a grid does."""

import itertools
import pickle

import numpy as np
import pytest

from sordino import LDP, BayesianCoordinateDP, BayesianFilter, Box, CoordinateDP, LinearQuery, LogisticQuery

SQUARE = Box([-1, -1], [1, 1])
AXIS = np.linspace(-1, 1, 41)
GRID = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1).reshape(-1, 2)
CLOSE = 0.03
"""Nats below a bound within which a search may end too early to accept."""
TINY = 1e-9

DEFINITIONS = {
    "ldp": (LDP("0.7"), [0.7], [None]),
    "coordinates": (CoordinateDP(["0.5", "0.4"]), [0.5, 0.4], [0, 0]),
    "beliefs": (BayesianCoordinateDP.bounded(["0.5", "0.6"], "0.8", "0.25"), [0.5, 0.6, 0.8], [0.25, 0.25, None]),
}


def drawn(generator):
    theta, epsilon = generator.uniform(-1, 1, 2), str(round(generator.uniform(0.04, 0.3), 3))
    if generator.random() < 0.2:
        theta[generator.integers(2)] = 0.0
    if generator.random() < 0.5:
        return LinearQuery(theta, 0, -2, 2, epsilon)
    return LogisticQuery(theta * 2, generator.uniform(-1, 1), epsilon)


def told(query, code):
    """The logarithm of an answer's probability at each point of the grid, by the model itself."""
    value = GRID @ np.array(query.model.theta) + query.model.intercept
    low, high = query.model.ends
    share = (value - low) / (high - low) if query.model.name == "affine" else 1 / (1 + np.exp(-value))
    weights = [query.mechanism.weight(end, code) / query.mechanism.denominator for end in (0, 1)]
    return np.log(weights[0] + share * (weights[1] - weights[0]))


def losses(log, shares):
    """The loss under each bound, at points of the grid."""
    table = log.reshape(41, 41)
    record, own = np.ptp(table), [np.ptp(table, axis=axis).max() for axis in (0, 1)]
    mixed = [
        np.log((1 - q) * np.exp(c) + q * np.exp(record)) for c, q in zip(own, shares, strict=False) if q is not None
    ]
    return mixed if None not in shares else [*mixed, record]


LATER = [("ldp", 4), *(("coordinates", seed) for seed in (1, 2, 5)), *(("beliefs", seed) for seed in (1, 2, 3))]


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("ldp", 1),
        pytest.param("coordinates", 4, marks=pytest.mark.long),
        *(pytest.param(*case, marks=pytest.mark.long) for case in LATER),
    ],
)
def test_carried_bounds_decide_as_a_replay_and_as_a_grid(name, seed):
    definition, bounds, shares = DEFINITIONS[name]
    generator, log = np.random.default_rng(seed), np.zeros(len(GRID))
    warm, transcript, refused, unsure = BayesianFilter(SQUARE, definition), [], 0, 0
    for step in range(40):
        query = drawn(generator)
        if step % 4 == 0:
            # What was looked at, and in which process, makes no difference.
            assert warm.remaining >= 0
            warm.accepts(drawn(generator))
            warm = pickle.loads(pickle.dumps(warm))  # noqa: S301 - of this test
        worst = [max(pair) for pair in zip(*(losses(log + told(query, code), shares) for code in (0, 1)), strict=True)]
        accepted = warm.accepts(query)
        if any(loss > bound + TINY for loss, bound in zip(worst, bounds, strict=True)):
            assert not accepted
        elif all(loss < bound - CLOSE for loss, bound in zip(worst, bounds, strict=True)):
            assert accepted
        else:
            unsure += 1
        if step % 13 == 12:
            cold = BayesianFilter(SQUARE, definition)
            for asked, code in transcript:
                cold = cold.after(asked, code)
            assert cold.accepts(query) == accepted
            assert cold.decide(query).loss == warm.decide(query).loss
            assert cold.remaining == warm.remaining
        if accepted:
            code = int(generator.integers(2))
            warm, log = warm.after(query, code), log + told(query, code)
            transcript.append((query, code))
        refused += not accepted
    assert refused >= 3
    assert len(transcript) >= 8
    assert unsure <= 15


def test_refusals_do_not_use_up_what_may_be_worked_out():
    """The same question is refused, or accepted, however often others were in between."""
    generator = np.random.default_rng(6)
    asked = BayesianFilter(SQUARE, CoordinateDP(["0.5", "0.4"]))
    for _ in range(14):
        query = drawn(generator)
        if asked.accepts(query):
            asked = asked.after(query, int(generator.integers(2)))
    queries = [drawn(generator) for _ in range(6)]
    first = [asked.decide(query).accepted for query in queries]
    for order in itertools.islice(itertools.permutations(range(6)), 0, 720, 240):
        assert [asked.decide(queries[place]).accepted for place in order] == [first[place] for place in order]
