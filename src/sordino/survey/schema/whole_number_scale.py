"""Bins and ranges that would count a value of a whole-number scale on the wrong side, and what to write instead."""

from collections.abc import Sequence
from math import ceil, floor

from sordino.domain.bins import HALF, MOST_ON_SCALE, Bins, plain, shortest
from sordino.errors import SordinoError

AT_EDGES = "a range must begin and end at edges of the bins"


def scale_mistake(bins: Bins, ranges: Sequence[Sequence[float]], *, by_hand: bool) -> SordinoError | None:
    """Bins or ranges of a whole-number scale that would count the last value of a range above it.

    Args:
        by_hand: whether the edges are declared, not a number of equal bins.
    """
    low, high = bins.edges[0], bins.edges[-1]
    ends = [end for pair in ranges for end in pair]
    unknown = [end for end in dict.fromkeys(ends) if bins.edge(end) is None]
    named = ", ".join(map(shortest, unknown))
    pairs = [(ceil(max(low, first)) - HALF, floor(min(high, last)) + HALF) for first, last in ranges]
    if not all(first < last for first, last in pairs):
        pairs = []
    wanted = f"ranges = [{', '.join(f'[{plain(first)}, {plain(last)}]' for first, last in pairs)}]"
    centred = f"number = {{ low = {plain(low - HALF)}, high = {plain(high + HALF)}, bins = {int(high - low) + 1} }}"
    scale = f"for answers in whole numbers write {centred}{f' and {wanted}' if pairs else ''}; if they have fractions"
    if bins.steps_by_one and low == int(low):
        rule, found = (
            "bins of a whole-number scale must go from half to half",
            f"edges at {plain(low)}, {plain(low + 1)}",
        )
        return SordinoError(rule, found=f"{found}, ...", step=f"{scale} take more bins, as bins = {2 * bins.k}")
    inner = [edge for edge in bins.edges[1:-1] if by_hand or edge in ends]
    if inner and high - low <= MOST_ON_SCALE and all(edge == int(edge) for edge in (low, high, *ends, *bins.edges)):
        return _edges_on_values(bins, pairs, ends, inner, by_hand=by_hand)
    if not unknown or not pairs:
        return None
    if bins.steps_by_one and abs(low % 1) == HALF:
        return SordinoError(AT_EDGES, found=named, step=f"write {wanted}, from half to half as the bins do")
    if high - low <= MOST_ON_SCALE and all(low <= end <= high and end == int(end) for end in (low, high, *ends)):
        step = f"{scale} declare `edges` of the number that hold {named}"
        return SordinoError(AT_EDGES, found=named, step=step)
    return None


def _edges_on_values(
    bins: Bins,
    pairs: Sequence[tuple[float, float]],
    ends: Sequence[float],
    inner: Sequence[float],
    *,
    by_hand: bool,
) -> SordinoError:
    """The refusal of edges that stand on the values of a whole-number scale, with the lines to write.

    Args:
        pairs: the ranges from half to half.
        ends: of the ranges as they were asked.
        inner: the edges that are refused.
    """
    low, high = bins.edges[0] - HALF, bins.edges[-1] + HALF
    # A value at an edge is counted above it, as it is from half a step below; between ranges it belongs to no other.
    cuts = {edge - HALF for edge in bins.edges[1:-1] if edge not in ends}
    edges = sorted({low, high, *cuts, *(end for pair in pairs for end in pair)})
    number = f"number = {{ low = {plain(low)}, high = {plain(high)}, edges = [{', '.join(map(plain, edges))}] }}"
    wanted = f" and ranges = [{', '.join(f'[{plain(first)}, {plain(last)}]' for first, last in pairs)}]"
    fractions = (
        f"add an edge between whole numbers, as {plain(bins.edges[0] + HALF)}"
        if by_hand
        else f"take more bins, as bins = {int(2 * (bins.edges[-1] - bins.edges[0]))}"
    )
    step = f"for answers in whole numbers, both ends counted, write {number}{wanted if pairs else ''}"
    return SordinoError(
        "edges of a whole-number scale must lie between its values, or those at an edge are counted above it",
        found=f"edges at {', '.join(map(plain, inner))}",
        step=f"{step}; if they have fractions {fractions}",
    )
