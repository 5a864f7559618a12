"""How often intervals of what is fitted hold: those that are given, and the usual bootstrap, which is not."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from covering import CONFIDENCE, Floats, tallies
from likely_limits import LikelyLimits
from sordino import LDP, Nats, best_mechanism, estimate
from sordino.design.numbers.bins_channel import square_wave
from sordino.domain.bins import Bins
from sordino.estimation.intervals.nearest_limits import NearestLimits
from sordino.estimation.intervals.possible import possible_limits
from sordino.estimation.joint.joint_fit import NoisyMargin, joint_fit
from sordino.estimation.joint.table_cells import sums_over
from sordino.estimation.number_distribution import DistributionEstimate, smoothed_shares

SURVEYS, RESAMPLED, RESAMPLES = 1000, 20, 25
"""Surveys, and fewer where each is resampled, which takes minutes; and how often that is."""

WIDTHS = 10
"""Surveys whose intervals are measured."""

TITLE = "How often intervals of what is fitted hold"
NOTE = (
    "Per cent of seeded surveys in which a 95 % interval beside what is fitted holds the population's share or "
    "quantile: of shares more than two standard errors of the unbiased estimate from 0, of all others, and the one "
    "that holds most seldom; then the mean width over that of the unbiased intervals. Epsilon 2; 12 values, a table of "
    "5 x 7, or 64 bins; 2,000 to 5,000 people a question, many 30,000, few 150 to 300. Those of histograms, cells and "
    "margins are given (`--fitted-intervals`). Not given are, by the profile likelihood over all distributions, those "
    "of eighths of a range, and of quantiles, which end at edges of bins; and, by the basic bootstrap, refitted to "
    f"{RESAMPLES} surveys drawn from the fit, those of several tables fitted together and of smoothed curves. Asked: "
    "93 to 97.5 %, near 0 up to 99.5 %; what is outside by more than three standard errors of the figure is marked."
)
HEADER = ("fit", "people", "surveys", "beyond 2 errors", "near 0", "worst", "width")

EPSILON = "2"
SHAPE = (5, 7, 4, 3)
TABLES = ((0, 1), (1, 2), (0, 3))
EIGHTHS, PARTS = 8, (0.1, 0.25, 0.5, 0.75, 0.9)
BINS = 64


def histograms() -> dict[str, tuple[Floats, int]]:
    """Of 12 values, and how many people."""
    falling, spike, sparse = 0.6 ** np.arange(12), np.full(12, 0.02 / 11), np.zeros(12)
    falling, sparse[:3] = falling / falling.sum(), (0.6, 0.3, 0.1)
    spike[4] = 0.98
    return {
        "sparse": (sparse, 3000),
        "even": (np.full(12, 1 / 12), 3000),
        "falling": (falling, 3000),
        "spike": (spike, 3000),
        "few reports": (falling, 150),
        "many reports": (falling, 30_000),
    }


def attributes() -> dict[str, tuple[Floats, int]]:
    """Of four attributes together, and how many people answer each table."""
    random = np.random.default_rng(9)

    def product(spread: float) -> Floats:
        found = np.ones(1)
        for k in SHAPE:
            found = np.multiply.outer(found, random.dirichlet(np.full(k, spread)))
        return found.reshape(SHAPE)

    independent, sparse = product(1.5), np.zeros(SHAPE)
    strong = (product(0.25) + product(0.25) + product(0.25)) / 3
    for _ in range(8):
        sparse[tuple(random.integers(k) for k in SHAPE)] += random.random()
    spike = 0.7 * independent
    spike[2, 3] += 0.3 * independent[2, 3] / independent[2, 3].sum()
    return {
        "sparse": (sparse / sparse.sum(), 2000),
        "independent": (independent, 2000),
        "strongly dependent": (strong, 2000),
        "spike": (spike, 2000),
        "few reports": (0.75 * independent + 0.25 * strong, 200),
        "many tables": (0.75 * independent + 0.25 * strong, 2000),
    }


def numbers() -> dict[str, tuple[Floats, int]]:
    """Of 64 bins, and how many people."""
    at = (np.arange(BINS) + 0.5) / BINS
    smooth = at * (1 - at) ** 4
    peaks = np.exp(-(((at - 0.3) / 0.03) ** 2)) + 0.6 * np.exp(-(((at - 0.7) / 0.02) ** 2))
    step, sparse = np.where(at < 0.37, 2.0, 0.2), np.zeros(BINS)
    smooth, peaks, step = (shares / shares.sum() for shares in (smooth, peaks, step))
    spikes = 0.5 * smooth
    spikes[[0, 20, 40]] += 0.2, 0.2, 0.1
    sparse[[5, 6, 30, 55]] = 0.4, 0.3, 0.2, 0.1
    return {
        "smooth": (smooth, 5000),
        "two peaks": (peaks, 5000),
        "a step": (step, 5000),
        "spikes": (spikes, 5000),
        "sparse": (sparse, 5000),
        "few reports": (smooth, 300),
    }


def rows() -> Iterator[tuple[str, ...]]:
    given, resampled = f"{SURVEYS:,}", f"{RESAMPLED:,}"
    for people, (shares, n) in histograms().items():
        yield "12 values", people, given, *nearest(shares, n, np.eye(12))
    for kind, inside in table_sums().items():
        for people, (joint, n) in attributes().items():
            yield f"table by itself: {kind}", people, given, *nearest(joint.sum(axis=(2, 3)).reshape(-1), n, inside)
    for people, (shares, n) in numbers().items():
        yield "not given: ranges by likelihood", people, given, *ranges(shares, n)
    for people, (shares, n) in numbers().items():
        yield "not given: quantiles by likelihood", people, given, *quantiles(shares, n)
    for people, (joint, n) in attributes().items():
        pairs = tuple(combinations(range(4), 2)) if people == "many tables" else TABLES
        for kind, figures in together(joint, n, pairs).items():
            yield f"not given: tables together, {kind}", people, resampled, *figures
    for people, (shares, n) in numbers().items():
        for kind, figures in curves(shares, n).items():
            yield f"not given: smoothed, {kind}", people, resampled, *figures


def table_sums() -> dict[str, Floats]:
    """Which cells of a table of 5 x 7 each of its rows adds up."""
    return {"cells": np.eye(35), "margins": np.concatenate([sums_over(SHAPE[:2], [axis]) for axis in (0, 1)])}


def nearest(shares: Floats, n: int, inside: Floats) -> tuple[str, ...]:
    """Of the nearest distribution."""
    mechanism, hits, widths = best_mechanism(len(shares), LDP(EPSILON)), [], []
    truth, errors = inside @ shares, np.zeros(len(inside))
    for tally in tallies(mechanism, shares, n, SURVEYS, 0):
        found = estimate(mechanism, tally, "simplex")
        limits = NearestLimits(found, CONFIDENCE)
        hits.append(limits.holds(inside, truth))
        if len(widths) < WIDTHS:
            (low, high), errors = limits.limits(inside), np.sqrt(found.variances(inside))
            value = inside @ found.value
            normal = possible_limits(value, (value - 1.96 * errors, value + 1.96 * errors))
            widths.append((high - low).sum() / np.subtract(*normal[::-1]).sum())
    return figures(np.array(hits), truth > 2 * errors, widths)


def ranges(shares: Floats, n: int) -> tuple[str, ...]:
    """Of eighths of the range."""
    mechanism, edges, hits, widths = square_wave(BINS, Nats.of(EPSILON)), bin_edges(), [], []
    parts = [(first, first + BINS // EIGHTHS) for first in range(0, BINS, BINS // EIGHTHS)]
    truth, errors = np.add.reduceat(shares, [first for first, _ in parts]), np.zeros(EIGHTHS)
    for tally in tallies(mechanism, shares, n, SURVEYS, 0):
        limits = LikelyLimits(mechanism, tally.counts / n, n, edges)
        hits.append(limits.hold_ranges(parts, truth, CONFIDENCE))
        if len(widths) < WIDTHS:
            found = DistributionEstimate.of(mechanism, tally, Bins(edges), float(EPSILON)).range_shares(parts)
            low, high = limits.of_ranges(parts, CONFIDENCE)
            widths.append((high - low).sum() / np.subtract(*found.within(1.96)[::-1]).sum())
            errors = found.stderr
    return figures(np.array(hits), truth > 2 * errors, widths)


def quantiles(shares: Floats, n: int) -> tuple[str, ...]:
    """Of the tenth, the quarters and the last tenth of the people."""
    mechanism, edges, hits, widths = square_wave(BINS, Nats.of(EPSILON)), bin_edges(), [], []
    truth = true_quantiles(shares)
    for tally in tallies(mechanism, shares, n, SURVEYS, 0):
        limits = LikelyLimits(mechanism, tally.counts / n, n, edges)
        found = [limits.of_quantile(part, CONFIDENCE) for part in PARTS]
        hits.append([low <= true <= high for (low, high), true in zip(found, truth, strict=True)])
        if len(widths) < WIDTHS:
            own = DistributionEstimate.of(mechanism, tally, Bins(edges), float(EPSILON))
            before = sum(high - low for _, low, high in (own.quantile(part, CONFIDENCE) for part in PARTS))
            widths.append(sum(high - low for low, high in found) / before)
    return figures(np.array(hits), np.ones(len(PARTS), dtype=np.bool_), widths)


def together(joint: Floats, n: int, pairs: Sequence[tuple[int, ...]]) -> dict[str, tuple[str, ...]]:
    """Of tables that are fitted together: resampled from the fit, fitted again."""
    sizes = [tuple(SHAPE[axis] for axis in axes) for axes in pairs]
    truths = [joint.sum(axis=tuple(axis for axis in range(4) if axis not in axes)).reshape(-1) for axes in pairs]
    mechanisms = [best_mechanism(len(truth), LDP(EPSILON)) for truth in truths]

    def fits(shares: Sequence[Floats], count: int, seed: int) -> Iterator[tuple[list[Floats], Floats]]:
        drawn = (tallies(*each, n, count, seed + at) for at, each in enumerate(zip(mechanisms, shares, strict=True)))
        for some in zip(*drawn, strict=True):
            found = [estimate(mechanism, tally, "unbiased") for mechanism, tally in zip(mechanisms, some, strict=True)]
            margins = [NoisyMargin(axes, one.value, one.stderr**2) for axes, one in zip(pairs, found, strict=True)]
            mixture = joint_fit(SHAPE, margins)
            if mixture is not None:
                fitted = [mixture.margin(axes) for axes in pairs]
                width = sum(float(np.subtract(*one.interval(CONFIDENCE)[::-1]).sum()) for one in found)
                yield fitted, np.array(width)

    kinds: dict[str, Callable[[Sequence[Floats]], Floats]] = {
        "cells": np.concatenate,
        "margins": lambda cells: np.concatenate(
            [sums_over(size, [axis]) @ own for size, own in zip(sizes, cells, strict=True) for axis in (0, 1)]
        ),
        "conditional shares": lambda cells: np.concatenate(
            [conditional(own.reshape(size)) for size, own in zip(sizes, cells, strict=True)]
        ),
    }
    hits: dict[str, list[NDArray[np.bool_]]] = {kind: [] for kind in kinds}
    widths: list[float] = []
    for survey, (fitted, width) in enumerate(fits(truths, RESAMPLED, 1)):
        again = [cells for cells, _ in fits(fitted, RESAMPLES, 1000 * (survey + 1))]
        for kind, of in kinds.items():
            low, high = basic(of(fitted), np.array([of(cells) for cells in again]))
            hits[kind].append(holds(low, high, of(truths)))
            if kind == "cells":
                widths.append(float((high - low).sum() / width))
    return {
        kind: figures(np.array(own), np.ones(len(own[0]), dtype=np.bool_), widths if kind == "cells" else [])
        for kind, own in hits.items()
    }


def curves(shares: Floats, n: int) -> dict[str, tuple[str, ...]]:
    """Of the smoothed curve: resampled from it, smoothed again."""
    mechanism, widths = square_wave(BINS, Nats.of(EPSILON)), np.full(BINS, 1 / BINS)
    kinds: dict[str, Callable[[Floats], Floats]] = {
        "bins": lambda own: own,
        "curve": lambda own: np.cumsum(own)[:-1],
        "quantiles": true_quantiles,
    }
    hits: dict[str, list[NDArray[np.bool_]]] = {kind: [] for kind in kinds}
    for survey, tally in enumerate(tallies(mechanism, shares, n, RESAMPLED, 0)):
        fitted = smoothed_shares(mechanism, tally.counts, widths, float(EPSILON))
        again = [
            smoothed_shares(mechanism, own.counts, widths, float(EPSILON))
            for own in tallies(mechanism, fitted, n, RESAMPLES, survey + 1)
        ]
        for kind, of in kinds.items():
            hits[kind].append(holds(*basic(of(fitted), np.array([of(own) for own in again])), of(shares)))
    return {kind: figures(np.array(own), np.ones(len(own[0]), dtype=np.bool_), []) for kind, own in hits.items()}


def basic(fitted: Floats, again: Floats) -> tuple[Floats, Floats]:
    """The basic bootstrap's limits: errors of refitted surveys about the fit, taken for those of the fit."""
    low, high = np.quantile(again, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return 2 * fitted - high, 2 * fitted - low


def holds(low: Floats, high: Floats, truth: Floats) -> NDArray[np.bool_]:
    return np.asarray((np.maximum(low, 0) <= truth + 1e-9) & (high >= truth - 1e-9))


def conditional(table: Floats) -> Floats:
    """Of the second attribute within each value of the first that some people have; else 0."""
    whole = table.sum(axis=1, keepdims=True)
    return np.divide(table, whole, out=np.zeros_like(table), where=whole > 1e-9).reshape(-1)


def true_quantiles(shares: Floats) -> Floats:
    """Where the function, straight within bins, reaches each part of the people."""
    function = np.concatenate([[0.0], np.cumsum(shares)])
    at = np.minimum(np.searchsorted(function, np.array(PARTS) - 1e-12), BINS) - 1
    within = (np.array(PARTS) - function[at]) / np.maximum(shares[at], 1e-12)
    return np.asarray((at + np.clip(within, 0, 1)) / BINS)


def bin_edges() -> tuple[float, ...]:
    return tuple(np.linspace(0, 1, BINS + 1).tolist())


def figures(hits: NDArray[np.bool_], far: NDArray[np.bool_], widths: Sequence[float]) -> tuple[str, ...]:
    """Pooled rates far from 0 and near, the worst, and how wide; those that are not what is asked with a mark."""
    worst = f"{100 * hits.mean(axis=0).min():.1f}"
    width = f"{np.mean(widths):.2f}" if widths else "-"
    return rate(hits[:, far], 0.975), rate(hits[:, ~far], 0.995), worst, width


def rate(hits: NDArray[np.bool_], most: float) -> str:
    if hits.size == 0:
        return "-"
    each = hits.mean(axis=1)
    error = each.std() / np.sqrt(len(each))
    found = float(hits.mean())
    return f"{100 * found:.1f}" + ("" if 0.93 - 3 * error <= found <= most + 3 * error else " !")
