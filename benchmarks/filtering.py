"""Decisions of filters: the first, and the slowest one of many answers."""

from collections.abc import Iterator
from time import process_time

import numpy as np

from pairs import rounded
from sordino import (
    LDP,
    BayesianFilter,
    Box,
    Categories,
    CoordinateDP,
    LinearQuery,
    LogisticQuery,
    ProjectiveResponse,
    Query,
    RandomizedResponse,
    Record,
    Values,
)
from sordino.mechanism.base import Mechanism
from sordino.papers.simulation import SimulationSource

TITLE = "Filters"
NOTE = (
    "Processor milliseconds of decisions on one person's record: the first, and the slowest up to so many answers, or "
    "until a query is refused; of pairs and boxes, until the third refusal."
)
HEADER = ("what", "answers", "first", "slowest", "asked of the slowest")

ANSWERS = (100, 1_000, 10_000)


def rows() -> Iterator[tuple[str, ...]]:
    for kind, k, epsilon, budget in (
        (RandomizedResponse, 2, "ln 3", "ln 243"),
        (ProjectiveResponse, 100, "0.01", "3"),
        (ProjectiveResponse, 1_000, "0.01", "1"),
        (RandomizedResponse, 1_000, "0.1", "3"),
        (ProjectiveResponse, 10_000, "0.01", "1"),
    ):
        for answers in ANSWERS:
            made, first, slowest = life(BayesianFilter(Categories(range(k)), LDP(budget)), kind(k, epsilon), answers)
            name = f"k = {k:,}, {kind.name} at {epsilon}, LDP {budget}"
            yield name, f"{made:,}", f"{rounded(first)} ms", f"{rounded(slowest)} ms", "50 ms"
    for d, epsilon in ((10, "0.05"), (20, "0.05"), (50, "0.05"), (50, "0.01"), (50, "0.0005")):
        made, first, slowest = pairs(d, epsilon)
        name = f"pairs of {d} attributes at {epsilon}, LDP 2"
        yield name, f"{made:,}", f"{rounded(first)} ms", f"{rounded(slowest)} ms", "50 ms"
    for d, kind, epsilon, bounded, most in (
        (9, "linear", "0.1", True, 2_000),
        (9, "linear", "0.02", True, 10_000),
        (9, "logistic", "0.1", True, 2_000),
        (9, "logistic", "0.01", True, 10_000),
        (20, "logistic", "0.1", True, 2_000),
        (9, "linear", "0.1", False, 400),
        (9, "logistic", "0.1", False, 400),
        (20, "logistic", "0.1", False, 400),
        (100, "linear", "0.1", False, 400),
    ):
        made, first, slowest = in_box(d, kind, epsilon, most, bounded=bounded)
        name = f"box of {d} numbers, {kind} at {epsilon}, {'1 for each number' if bounded else 'LDP 1'}"
        yield name, f"{made:,}", f"{rounded(first)} ms", f"{rounded(slowest)} ms", "50 ms"


def life(start: BayesianFilter, query: Mechanism, answers: int) -> tuple[int, float, float]:
    """Answers given, the first and the slowest decision, in milliseconds."""
    times, made = [], 0
    for step in range(answers):
        begun = process_time()
        accepted = start.accepts(query)
        times.append(process_time() - begun)
        if not accepted:
            break
        # Two values take turns, so that answers keep next to the bound.
        start, made = start.after(query, int(query.privatize([step // 2 % 2], SimulationSource(step))[0])), made + 1
    return made, 1e3 * times[0], 1e3 * max(times)


def pairs(d: int, epsilon: str) -> tuple[int, float, float]:
    """The same of questions about two attributes each, at most ten thousand of them."""
    record, generator = Record({f"q{i}": Categories(range(2)) for i in range(d)}), np.random.default_rng(3)
    asked, times, made, refused = BayesianFilter(record, LDP("2")), [], 0, 0
    while refused < 3 and made < ANSWERS[-1]:
        places = sorted(generator.choice(d, 2, replace=False).tolist())
        query = Query(Values(*places), RandomizedResponse(4, epsilon))
        begun = process_time()
        accepted = asked.accepts(query)
        times.append(process_time() - begun)
        if accepted:
            asked = asked.after(query, int(query.mechanism.privatize([0], SimulationSource(made))[0]))
        made, refused = made + accepted, refused + (not accepted)
    return made, 1e3 * times[0], 1e3 * max(times)


def in_box(d: int, kind: str, epsilon: str, most: int, *, bounded: bool) -> tuple[int, float, float]:
    """The same of models of numbers in a box, at most so many of them."""
    box, generator = Box([-1] * d, [1] * d), np.random.default_rng(0)
    asked, times, made, refused = BayesianFilter(box, CoordinateDP(["1"] * d) if bounded else LDP("1")), [], 0, 0
    while refused < 3 and made < most:
        theta = generator.normal(size=d) if kind == "linear" else generator.uniform(-1, 1, d)
        query = (
            LinearQuery(theta / np.abs(theta).sum(), 0, -1, 1, epsilon)
            if kind == "linear"
            else LogisticQuery(theta, generator.uniform(-1, 1), epsilon)
        )
        begun = process_time()
        accepted = asked.accepts(query)
        times.append(process_time() - begun)
        if accepted:
            asked = asked.after(query, int(query.privatize([np.zeros(d)], SimulationSource(made))[0]))
        made, refused = made + accepted, refused + (not accepted)
    return made, 1e3 * times[0], 1e3 * max(times)
