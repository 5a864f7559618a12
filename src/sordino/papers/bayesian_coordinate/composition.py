"""Bayesian coordinate DP does not compose by adding its deltas: Example 2 of the BCDP paper, and what a filter does.

Three fair bits; a report tells x1 xor x2 and x3, or x2 and x1 xor x3, each half of the time, and which. One report
tells nothing at all of x1, delta_1 = 0. Two that differ tell it for certain: a rule that adds deltas would accept any
number of them. The filter refuses the second report under every finite delta_1.
Source: BCDP paper, (14) and Example 2.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from sordino.accounting.filter import BayesianFilter
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.domain.categories import Categories
from sordino.domain.finite_record import Record
from sordino.mechanism.channel_table import ChannelTable

BIT = Categories(["0", "1"])
BITS = Record({"x1": BIT, "x2": BIT, "x3": BIT})
FAIR = np.full((2, 2, 2), 1 / 8)

DELTAS = ("0", "1", "10", "100")
"""Promises about x1; the other two bits are not protected."""


@dataclass(frozen=True)
class CompositionRow:
    """What the filter decides.

    Attributes:
        delta: promised about x1, in nats.
        spent: what the first report told of x1, in nats.
    """

    delta: str
    first: bool
    second: bool
    spent: float
    added: float


def mechanism() -> ChannelTable:
    """The report of Example 2 as a channel of the 8 records: 2 x 4 answers."""
    weights = []
    for x1, x2, x3 in product(range(2), repeat=3):
        row = [0] * 8
        row[2 * (x1 ^ x2) + x3] += 1
        row[4 + 2 * x2 + (x1 ^ x3)] += 1
        weights.append(row)
    return ChannelTable(weights)


def bcdp_composition() -> tuple[CompositionRow, ...]:
    """The decisions for each promise."""
    report, rows = mechanism(), []
    for delta in DELTAS:
        promise = BayesianCoordinateDP.with_prior([delta, "inf", "inf"], FAIR)
        start = BayesianFilter(BITS, promise)
        first = start.accepts(report)
        asked = [start.after(report, code) for code in range(report.outputs)] if first else []
        second = bool(asked) and any(one.accepts(report) for one in asked)
        spent = max((one.spent for one in asked), default=0.0)
        rows.append(CompositionRow(delta, first, second, spent, 2 * spent))
    return tuple(rows)
