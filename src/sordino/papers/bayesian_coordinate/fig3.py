"""Figure 3 of the BCDP paper: the error of ten means, two of them sensitive, as the attributes depend ever more.

The paper's mechanism is taken as corrected. As printed, the scale of Mechanism 2 is twice too large: estimates are
twice what they should be, and the error is four times the corrected one and the squared length of the true means.
Exact errors stand beside simulated ones: their quartiles before and after projection into [-1, 1]^d, for people drawn
from the paper's law, whose means are 0, and from one with other means. Where the means are 0, whoever asks nobody and
says 0 has an error of .001 only: by the paper's law alone a mechanism that tells nothing would look best.
Source: BCDP paper, Appendix B.1. Cost: seconds for the exact errors, .6 s for each simulated run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sordino.exact.floats import Floats
from sordino.exact.nats import Nats
from sordino.papers.bayesian_coordinate.means import Asked, Entrant, entrants, exact_error, reader
from sordino.papers.simulation import Advance, SimulationSource

D = 10
PEOPLE = 10_000
EPSILON = Nats.of(2)
DELTAS = (Nats.of("0.2"), Nats.of("0.2"), *[EPSILON] * (D - 2))
QS = tuple(Fraction(q) for q in ("0", "0.01", "0.05", "0.1", "0.2", "0.4", "0.6", "0.8", "1"))

SIMULATED: tuple[Entrant, ...] = ("paper", "best", "baseline_duchi")
ASKING_NOBODY = "nobody"
"""Instead of a mechanism: nobody is asked, and 0 is said."""

MEANS = (Fraction(0), Fraction(3, 5))
"""Of each number, under the paper's law and under the other one."""

REPEATS = 20
"""The paper runs 1,000."""

QUARTILES = (0.25, 0.5, 0.75)

SEED = 7303
"""Any number: with another one the runs differ, their medians hardly."""


@dataclass(frozen=True)
class Figure3Row:
    """Exact expected squared errors of all means together, before projection, at one bound on dependence.

    Attributes:
        paper_exact: the paper's mechanism and its zeta, with the corrected scale.
        paper_printed: with the printed scale, for people drawn from the paper's law.
        tight_exact: with the best budgets under an exact accounting.
        baseline_duchi: LDP at the least delta, by Mechanism 2.
    """

    q: float
    paper_exact: float
    paper_printed: float
    zeta_exact: float
    tight_exact: float
    sampled_exact: float
    best_exact: float
    baseline_duchi: float
    baseline_sampled: float


@dataclass(frozen=True)
class Spread:
    """Quartiles of the squared error of all means together over simulated runs.

    Attributes:
        q: the share of people whose numbers are all equal, which is also the bound on dependence.
        mean: of each number, under the law that people are drawn from.
        mechanism: the paper's as corrected, the best, LDP at the least delta, or nobody asked.
        projected: whether estimates are clipped to [-1, 1].
        lower, median, upper: the quartiles.
    """

    q: float
    mean: float
    mechanism: str
    projected: bool
    lower: float
    median: float
    upper: float


def fig3(repeats: int, advance: Advance = lambda _: None) -> tuple[tuple[Figure3Row, ...], tuple[Spread, ...]]:
    """The exact and the simulated errors, for q ascending.

    Args:
        repeats: simulated runs for each q, law and mechanism, with people drawn anew; 0 for the exact errors only.
        advance: called with 1 for each q, and after each run with all mechanisms.
    """
    rows, spreads = [], []
    for number, q in enumerate(QS):
        channels = entrants(DELTAS, EPSILON, q, "paper")
        rows.append(_row(q, channels))
        advance(1)
        asked = {name: channels[name] for name in SIMULATED}
        for mean in MEANS if repeats else ():
            runs = []
            for run in range(repeats):
                runs.append(_errors(asked, q, mean, (SEED, number, mean.numerator, run)))
                advance(1)
            spreads += _spreads(q, mean, np.array(runs))
    return tuple(rows), tuple(spreads)


def steps(repeats: int) -> int:
    """How often `fig3` advances."""
    return len(QS) * (1 + len(MEANS) * repeats)


def draw_people(count: int, q: Fraction, mean: Fraction, generator: np.random.Generator, d: int = D) -> Floats:
    """Records of numbers at -1 or 1, shape (count, d): with probability q all equal, else independent.

    The law of the others given one of them moves by exactly q in total variation, whatever the mean: (59)-(60) for a
    mean of 0, moved from {0, 1} to {-1, 1}.
    """
    records = np.where(generator.random((count, d)) < float(1 + mean) / 2, 1.0, -1.0)
    equal = generator.random(count) < float(q)
    records[equal] = records[equal, :1]
    return records


def _row(q: Fraction, channels: dict[Entrant, Asked]) -> Figure3Row:
    paper, *others = (exact_error(channel, PEOPLE) for channel in channels.values())
    # On average the squared length of the mean of people who are drawn is their numbers' variance, 1 each, over n.
    return Figure3Row(float(q), paper, 4 * paper + D / PEOPLE, *others)


def _errors(
    channels: dict[Entrant, Asked], q: Fraction, mean: Fraction, seeds: Sequence[int]
) -> list[tuple[float, float]]:
    records = draw_people(PEOPLE, q, mean, np.random.default_rng((*seeds, 0)))
    truth = records.mean(axis=0)
    estimates = [
        reader(channel).means(channel.tally(channel.privatize(records, SimulationSource(*seeds, at))))
        for at, channel in enumerate(channels.values(), start=1)
    ]
    return [
        (float(np.sum((estimate - truth) ** 2)), float(np.sum((np.clip(estimate, -1, 1) - truth) ** 2)))
        for estimate in (*estimates, np.zeros(D))
    ]


def _spreads(q: Fraction, mean: Fraction, errors: Floats) -> list[Spread]:
    """Of errors of shape (runs, mechanisms, 2), the last axis for without and with projection."""
    quartiles = np.quantile(errors, QUARTILES, axis=0)
    return [
        Spread(float(q), float(mean), name, projected, *quartiles[:, at, int(projected)].tolist())
        for at, name in enumerate((*SIMULATED, ASKING_NOBODY))
        # What nobody was asked about lies within the ends anyway.
        for projected in ((False, True) if name in SIMULATED else (False,))
    ]
