"""How people were drawn in groups, as schools: how many, of which sizes, and what that does to errors.

Which results and views count it, and that the others are left out, is said here once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sordino.blocks.block import BlockGroup
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.domain.phrasing import NO_WORDS
from sordino.estimation.intervals.cluster_errors import MOST_GROUPS
from sordino.exact.floats import Floats
from sordino.mechanism.channel import Aggregate
from sordino.survey.planning.plan import Plan
from sordino.survey.results.cell_tallies import tallies_by_cluster
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource

FEW = 20
"""Clusters below which intervals depend on how alike their sizes and errors are."""

COUNTED = (
    "Standard errors count that people of one group are alike, and intervals are by Student's t. A design effect is the"
    " variance over that of as many people drawn one by one."
)
SHARED = "Not compared: some {column!r} have people in several groups, whose errors are not independent."

LEFT_OUT = (
    "Left out, because their intervals would not count groups: numbers from several questions together, margins and"
    " conditional shares of tables, associations, periods of a series, and tests of groups."
)


@dataclass(frozen=True, eq=False)
class PeopleInClusters(View):
    """The groups that people were drawn in, and the design effects.

    Attributes:
        column: the public one that names the groups.
        title: of it, as people read it.
        sizes: reports of each group that sent any.
        effects: the name of each question, what people read as that, and the design effects of its numbers.
    """

    name: ClassVar[str] = "clusters"
    places: ClassVar[Places] = Places(page=-2, terminal=-3, notebook=-2, rows=None, json=9, live=None)
    counts_clusters: ClassVar[bool] = True
    column: str
    title: str
    sizes: tuple[int, ...]
    effects: tuple[tuple[str, str, Floats], ...]

    @classmethod
    def of(cls, source: ViewSource) -> "PeopleInClusters | NotApplicable":
        """The groups of the coverage.

        Raises:
            SordinoError: no such public column.
            RefusedError: a tally that does not say which groups its reports are of.
        """
        plan, column = source.plan, source.coverage.clusters
        if not column:
            return NotApplicable("people were drawn one by one, as far as was said")
        sizes = tuple(tally.n for tally in tallies_by_cluster(plan, source.tally, column).values())
        effects = tuple(
            (one.question.name, one.question.title, one.design_effects)
            for one in source.results
            if one.design_effects is not None
        )
        return PeopleInClusters(column, plan.phrasings.get(column, NO_WORDS).title(column), sizes, effects)

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        del derived
        return iter(())

    def json(self) -> dict[str, Any]:
        effects = {
            name: dict(zip(("least", "median", "most"), np.quantile(own, (0, 0.5, 1)).tolist(), strict=True))
            for name, _, own in self.effects
            if own.size
        }
        sizes = {"least": min(self.sizes, default=0), "most": max(self.sizes, default=0)}
        return {"clusters": {"by": self.column, "count": len(self.sizes), "reports": sizes, "design_effects": effects}}

    def parts(self) -> Iterator[ViewPart]:
        count, sizes = len(self.sizes), (min(self.sizes, default=0), max(self.sizes, default=0))
        many = f" Of so many, some stand together in {MOST_GROUPS}." if count > MOST_GROUPS else ""
        few = " Of so few groups intervals hold only if these are of about one size." if count < FEW else ""
        text = f"{count:,} groups sent {sizes[0]:,} to {sizes[1]:,} reports each.{many}{few}"
        rows = tuple((title, *_in_words(own)) for _, title, own in self.effects if own.size)
        said = tuple(Sentence(one, Purpose.POPULATION) for one in (text, COUNTED, LEFT_OUT))
        title = f"People drawn by {self.title}"
        table = TextTable(title, ("question", "design effect, median", "largest"), rows, said)
        yield ViewPart(self.name, (BlockGroup(title, (table,)),), stays_open=True)


def share_clusters(plan: Plan, column: str, groups: Sequence[Aggregate]) -> bool:
    """Whether people of one cluster are in several groups."""
    own = [tallies_by_cluster(plan, tally, column).keys() for tally in groups if tally.n]
    return len({label for labels in own for label in labels}) < sum(map(len, own))


def _in_words(effects: Floats) -> tuple[str, str]:
    return f"{np.median(effects):.2f}", f"{effects.max():.2f}"
