"""How far the fitted distribution of a number is from the people's own, smooth or with spikes; and the paper's way."""

from collections.abc import Callable, Iterator
from math import exp

import numpy as np
from numpy.typing import NDArray

from sordino import Aggregate, Interval, Nats, Query
from sordino.design.numbers.bins_channel import hierarchy, square_wave, threshold_bits
from sordino.domain.bins import Bins
from sordino.estimation.number_distribution import DistributionEstimate
from sordino.mechanism.base import Mechanism
from sordino.query.bin import Bin

TITLE = "The distribution of one number"
NOTE = (
    "100,000 people, 256 equal bins, LDP at each epsilon: the 1-Wasserstein distance, in parts of the range, between "
    "the fitted distribution and that of the people themselves; its mean over seeded surveys through the real reports, "
    "and its standard error. The median's error is in parts of the range too. The numbers are of Beta(2, 5), or like "
    "incomes: log-normal, a third of them at whole tenths and a tenth at zero. The paper's is the square wave among "
    "numbers with its smoothed likelihood (Li et al. 2020), 256 bins in and out, written here from its formulas in "
    "floats: pure-ldp 1.2.0 has none. Where spikes are declared a hierarchy over the bins is asked, with the isotonic "
    "fit. A bit about a random threshold is asked where bounds on dependence allow it a larger epsilon than a bin; its "
    "fit is smoothed, of incomes isotonic. Last the largest difference of the two distribution functions "
    "(Kolmogorov-Smirnov), and the error of the share of the first bin: a tenth of the incomes is zero."
)
HEADER = (
    *("numbers", "epsilon", "who", "asked", "1-Wasserstein", "error of the median"),
    *("Kolmogorov-Smirnov", "error of the first bin"),
)

PEOPLE, BINS, SURVEYS = 100_000, 256, 10
ASKED = {("Beta(2, 5)", "1"): "at most .0065"}


def beta(generator: np.random.Generator) -> NDArray[np.float64]:
    return generator.beta(2, 5, PEOPLE)


def incomes(generator: np.random.Generator) -> NDArray[np.float64]:
    """Numbers with spikes."""
    amounts = np.minimum(generator.lognormal(-1.5, 0.6, PEOPLE), 1.0)
    chance = generator.random(PEOPLE)
    amounts = np.where(chance < 1 / 3, np.rint(10 * amounts) / 10, amounts)
    return np.where(chance > 0.9, 0.0, amounts)


NUMBERS = {"Beta(2, 5)": beta, "incomes with spikes": incomes}


def rows() -> Iterator[tuple[str, ...]]:
    for name in NUMBERS:
        for epsilon in ("1", "2"):
            for who, survey in WHO.items():
                found = np.array([survey(name, epsilon, seed) for seed in range(SURVEYS)])
                mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(SURVEYS)
                asked = ASKED.get((name, epsilon), "-") if who == "ours" else "-"
                yield name, epsilon, who, asked, *(f"{m:.4f} ± {e:.4f}" for m, e in zip(mean, error, strict=True))


def ours(
    name: str, epsilon: str, seed: int, make: Callable[[int, Nats], Mechanism] = square_wave, *, spikes: bool = False
) -> tuple[float, ...]:
    bins = Bins.equal(Interval(0, 1), BINS)
    people = NUMBERS[name](np.random.default_rng(seed))
    channel = make(BINS, Nats.of(epsilon))
    asked = Query(Bin("x", bins), channel)
    counts = asked.tally(asked.privatize(people)).counts
    tally = Aggregate(channel.fingerprint, PEOPLE, counts)
    found = DistributionEstimate.of(channel, tally, bins, float(epsilon), spikes=spikes)
    return errors(np.bincount(bins.locate(people), minlength=BINS) / PEOPLE, found.fitted)


def declared(name: str, epsilon: str, seed: int) -> tuple[float, ...]:
    return ours(name, epsilon, seed, hierarchy, spikes=True)


def bits(name: str, epsilon: str, seed: int) -> tuple[float, ...]:
    return ours(name, epsilon, seed, threshold_bits, spikes=name == "incomes with spikes")


def papers(name: str, epsilon: str, seed: int) -> tuple[float, ...]:
    """A report is uniform within b of the number, or else anywhere else from -b to 1 + b."""
    generator, ratio = np.random.default_rng(seed), exp(float(epsilon))
    people = NUMBERS[name](generator)
    b = (float(epsilon) * ratio - ratio + 1) / (2 * ratio * (ratio - 1 - float(epsilon)))
    far = 1 / (2 * b * ratio + 1)
    near = generator.random(PEOPLE) < 2 * b * ratio * far
    outside = generator.random(PEOPLE)
    reports = np.where(near, people + b * (2 * generator.random(PEOPLE) - 1), outside - b + 2 * b * (outside > people))
    counts, edges = np.histogram(reports, BINS, (-b, 1 + b))
    middles = (np.arange(BINS) + 0.5) / BINS
    inside = np.minimum(edges[1:], middles[:, None] + b) - np.maximum(edges[:-1], middles[:, None] - b)
    channel = far * np.diff(edges) + (ratio - 1) * far * np.maximum(inside, 0)
    shares, before = np.full(BINS, 1 / BINS), -np.inf
    while True:
        law = shares @ channel
        now = float(counts @ np.log(law))
        if now - before < 1e-3 * ratio:
            break
        before = now
        padded = np.pad(shares * (channel @ (counts / law)), 1, mode="edge")
        shares = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / (4 * PEOPLE)
        shares /= shares.sum()
    return errors(np.histogram(people, BINS, (0, 1))[0] / PEOPLE, shares)


def errors(truth: NDArray[np.float64], fitted: NDArray[np.float64] | None) -> tuple[float, ...]:
    """The distance and that of the medians, in parts of the range; the largest of functions, and that of a bin."""
    if fitted is None:
        raise SystemExit("a distribution is fitted by default")
    curves = [np.concatenate([[0.0], np.cumsum(shares)]) for shares in (truth, fitted)]
    places = np.linspace(0, 1, BINS + 1)
    medians = [np.interp(0.5, curve, places) for curve in curves]
    apart = np.abs(curves[0] - curves[1])
    return float(apart.mean()), float(abs(medians[0] - medians[1])), float(apart.max()), float(apart[1])


WHO = {"ours": ours, "ours, spikes declared": declared, "ours, a bit about a threshold": bits, "the paper's": papers}
