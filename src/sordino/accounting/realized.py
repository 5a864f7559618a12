"""The realized loss of answers about one unchanged record, between certified bounds.

Cost: milliseconds for ten questions about nine numbers.
"""

import math
from collections.abc import Sequence

from sordino.accounting.filter import BayesianFilter
from sordino.accounting.measures.box_state import box_question
from sordino.accounting.state import FilterQuery
from sordino.definition.pairwise import LDP
from sordino.domain.box import Box
from sordino.domain.finite_record import FiniteDomain, Record
from sordino.errors import SordinoError
from sordino.evidence.bound.loss import BoxLoss, LossBounds
from sordino.evidence.box_evidence import BoxEvidence
from sordino.exact.floats import ignore_float_errors
from sordino.exact.messages import checked, shown

NODES = 100_000
"""Largest number of boxes bounded: seconds. What is open then stays open, between bounds that hold."""


@checked
@ignore_float_errors
def realized_loss(
    domain: Box | Record | FiniteDomain,
    queries: Sequence[FilterQuery],
    outputs: Sequence[int],
    tolerance: float = 1e-3,
    *,
    nodes: int = NODES,
    group: int | None = None,
) -> LossBounds:
    """The largest ln Pr(outputs | x) less the smallest, over all records x of the box.

    Source: Bayesian privacy filter paper, Definition 3.2 and (27); by bounds of its own, where that has Algorithm 5.

    Args:
        domain: where the record lies: a box, or a finite domain, where the bounds are close whatever the tolerance.
        queries: what was asked, each answered with fresh randomness about the same record.
        outputs: the answers' codes.
        tolerance: nats; how close the bounds shall be.
        nodes: the limit of the work; the bounds hold whatever it is.
        group: bound so many answers together only (Appendix B); their losses are added, which is less close.

    Returns:
        Bounds in nats, with lower <= loss <= upper.

    Raises:
        SordinoError: not as many outputs as queries, an output that a query cannot have, or a query that does not fit.

    Example:
        >>> from sordino import Box, LinearQuery
        >>> mean = LinearQuery([1.0], 0, low=-1, high=1, epsilon=1)
        >>> loss = realized_loss(Box([-1], [1]), [mean, mean], [1, 0])
        >>> 0.24 < loss.lower <= loss.upper < 0.241
        True
    """
    if len(queries) != len(outputs):
        raise SordinoError("each query must have one output", found=f"{len(queries)} and {len(outputs)}")
    if not isinstance(domain, Box):
        return _finite(domain, queries, outputs)
    reports = [box_question(query).evidence(domain, output) for query, output in zip(queries, outputs, strict=True)]
    size = len(reports) if group is None else group
    if reports and size < 1:
        raise SordinoError("a group must have at least one query", found=shown(group))
    starts = range(0, len(reports), max(size, 1))
    parts = [_evidence_sum(domain, reports[start : start + size]) for start in starts]
    share = tolerance / max(len(parts), 1)
    solved = [BoxLoss.of(part).solve(nodes, tolerance=share) for part in parts]
    if len(solved) == 1:
        return solved[0].bounds
    upper = 0.0
    for loss in solved:
        upper = math.nextafter(upper + loss.bounds.upper, math.inf)
    return LossBounds(_added_lower(domain, reports, solved), upper if solved else 0.0)


def _finite(domain: Record | FiniteDomain, queries: Sequence[FilterQuery], outputs: Sequence[int]) -> LossBounds:
    counted = BayesianFilter(domain, LDP(0))
    for query, output in zip(queries, outputs, strict=True):
        counted = counted.with_answer(query, output)
    return counted.realized_loss


def _evidence_sum(domain: Box, reports: Sequence[BoxEvidence]) -> BoxEvidence:
    return sum(reports, BoxEvidence(domain))


def _added_lower(domain: Box, reports: Sequence[BoxEvidence], groups: Sequence[BoxLoss]) -> float:
    """What all answers together tell of the records that are best and worst for one of the groups."""
    whole = _evidence_sum(domain, reports)
    points = [side.point for loss in groups for side in (loss.top, loss.bottom) if side is not None]
    return whole.attained_loss(points) if points else 0.0
