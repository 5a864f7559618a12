"""The shares of histograms that a plan asks together: each pooled from the tables that tell it, as the survey asked it.

They stand before all else; the tables' cells, which nobody asked for by themselves, stand below.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from sordino.blocks.block import BlockGroup, Plot
from sordino.blocks.charts import BarChart, Shares
from sordino.blocks.finding import Finding
from sordino.blocks.tables import QuantityTable
from sordino.survey.kinds.shares.largest_share import largest_share
from sordino.views.pooled_results import PooledResult, pooled_results
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource

MOST_FINDINGS = 8
"""Histograms whose findings are said."""


@dataclass(frozen=True, eq=False)
class JoinedResults(View):
    """The histograms of a plan that asks them together.

    Attributes:
        each: in the order in which tables name them.
    """

    name: ClassVar[str] = "together"
    places: ClassVar[Places] = Places(page=-3, terminal=-3, notebook=-3, rows=-1, json=0, live=0)
    about_all: ClassVar[bool] = True
    each: tuple[PooledResult, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        if not any(question.is_joined for question in source.plan.questions):
            return NotApplicable("each question is asked by itself")
        found = pooled_results(source.plan, source.tally, source.results, source.coverage)
        each = tuple(result for result in found if result.is_joined)
        return cls(each) if each else NotApplicable("no reports, or forged ones, whose weight in a margin has no bound")

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        return iter(())

    def tables(self) -> list[QuantityTable]:
        return [result.table() for result in self.each]

    def json(self) -> dict[str, Any]:
        return {self.name: [row for result in self.each for row in result.rows()]}

    def parts(self) -> Iterator[ViewPart]:
        # As one part: what holds for all of them is printed once.
        yield ViewPart(self.name, tuple(map(_group, self.each)))

    def findings(self) -> Iterator[Finding]:
        """Which answer has the largest share, of the first histograms."""
        for result in self.each[:MOST_FINDINGS]:
            count = len(result.heads)
            if count > 1:
                together = replace(result, coverage=result.coverage.for_all(count)).interval
                label = _quoted(result)
                yield largest_share(result.title, label, _shares(result), together, result.coverage.confidence)


def _group(result: PooledResult) -> BlockGroup:
    return BlockGroup("Shares", (Plot(BarChart, lambda: _bars(result)), result.table()), result.title)


def _shares(result: PooledResult) -> Shares:
    return Shares(result.estimate.value, *result.interval, stderr=result.estimate.stderr)


def _bars(result: PooledResult) -> BarChart:
    places = np.array(result.excerpt, dtype=np.intp)
    return BarChart(tuple(map(result.label_read, places.tolist())), _shares(result).of(places))


def _quoted(result: PooledResult) -> Callable[[int], str]:
    return lambda place: repr(result.label_read(place))
