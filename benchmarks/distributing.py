"""How far the fitted distribution of a number is from the people's own, smooth or with spikes, beside a peer's."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pairs import Peer
from sordino import Query
from sordino.design.numbers.square_wave import square_wave
from sordino.domain.bins import Bins
from sordino.domain.interval import Interval
from sordino.estimation.distributions.distribution import DistributionEstimate
from sordino.exact.nats import Nats
from sordino.mechanism.aggregate import Aggregate
from sordino.query.bin import Bin

TITLE = "The distribution of one number"
NOTE = (
    "100,000 people, 256 equal bins, LDP at each epsilon: the 1-Wasserstein distance, in parts of the range, between "
    "the fitted distribution and that of the people themselves; its mean over seeded surveys through the real reports, "
    "and its standard error. The median's error is in parts of the range too. The numbers are of Beta(2, 5), or like "
    "incomes: log-normal, a third of them at whole tenths and a tenth at zero. pure-ldp's is its own square wave with "
    "its smoothed likelihood, 256 bins in and out."
)
HEADER = ("numbers", "epsilon", "who", "asked", "1-Wasserstein", "error of the median")

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
            for who, survey in (("ours", ours), ("pure-ldp", theirs)):
                found = np.array([survey(name, epsilon, seed) for seed in range(SURVEYS)])
                mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(SURVEYS)
                asked = ASKED.get((name, epsilon), "-") if who == "ours" else "-"
                yield name, epsilon, who, asked, *(f"{m:.4f} ± {e:.4f}" for m, e in zip(mean, error, strict=True))


def ours(name: str, epsilon: str, seed: int) -> tuple[float, float]:
    bins = Bins.equal(Interval(0, 1), BINS)
    people = NUMBERS[name](np.random.default_rng(seed))
    channel = square_wave(BINS, Nats.of(epsilon))
    asked = Query(Bin("x", bins), channel)
    counts = asked.tally(asked.privatize(people)).counts
    tally = Aggregate(channel.fingerprint, PEOPLE, counts)
    found = DistributionEstimate.of(channel, tally, bins, float(epsilon))
    return errors(np.bincount(bins.locate(people), minlength=BINS) / PEOPLE, found.fitted)


def theirs(name: str, epsilon: str, seed: int) -> tuple[float, float]:
    people = NUMBERS[name](np.random.default_rng(seed))
    shares = np.histogram(people, BINS, (0, 1))[0] / PEOPLE
    with Peer("peer_pure_ldp.py", "square_wave", epsilon, BINS, ",".join(map(repr, shares.tolist())), PEOPLE) as peer:
        peer.seconds()
        return errors(shares, np.array(peer.result))


def errors(truth: NDArray[np.float64], fitted: NDArray[np.float64] | None) -> tuple[float, float]:
    """The distance, and that of the medians; in parts of the range."""
    if fitted is None:
        raise SystemExit("a distribution is fitted by default")
    curves = [np.concatenate([[0.0], np.cumsum(shares)]) for shares in (truth, fitted)]
    places = np.linspace(0, 1, BINS + 1)
    medians = [np.interp(0.5, curve, places) for curve in curves]
    return float(np.abs(curves[0] - curves[1]).mean()), float(abs(medians[0] - medians[1]))
