"""Whether the reports on each question can come from any people: said only where they cannot.

One level for the whole survey, by Holm's correction: of honest reports a question is named in one survey of a hundred
at most. That nothing is named proves nothing: forged reports that look like those of other people cannot be seen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from sordino.blocks.block import BlockGroup
from sordino.blocks.finding import Finding, Topic
from sordino.blocks.sentence import Purpose, Sentence
from sordino.estimation.tests import ChiSquareTest, adjust_p_values, can_be_tested, population_test
from sordino.survey.kinds.shares.shares_result import HistogramResult
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource, table_row

LEVEL = 0.01
"""How often honest reports of a survey are called impossible, at most."""

TITLE = "Reports that no people can have sent"

MOST_NAMED = 3
"""Questions that the finding names."""

WHY = "they were forged, or a client draws otherwise than the plan"


@dataclass(frozen=True, eq=False)
class PopulationTests(View):
    """The questions about shares whose tallies tell how estimates go together, for one look at honest reports.

    Attributes:
        results: of the questions, in the plan's order.
    """

    name: ClassVar[str] = "population"
    places: ClassVar[Places] = Places(page=None, terminal=None, notebook=None, rows=9, json=9, live=None)
    absent_json: ClassVar[Mapping[str, Any]] = {"population": []}
    results: tuple[HistogramResult, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        if source.coverage.forged or source.coverage.watched:
            return NotApplicable("a test is of honest reports, and for one look at them")
        told = [shares for result in source.results if (shares := result.shares) is not None]
        results = tuple(one for one in told if can_be_tested(one.estimate))
        return cls(results) if results else NotApplicable("no question tells how its estimates go together")

    @cached_property
    def tests(self) -> tuple[ChiSquareTest, ...]:
        """Of each question's estimates against those of the nearest people."""
        return tuple(population_test(one.estimate) for one in self.results)

    @cached_property
    def adjusted_p_values(self) -> tuple[float, ...]:
        """The p-values, corrected for looking at all that are tested."""
        return tuple(adjust_p_values([one.p_value for one in self.tests]).tolist())

    @property
    def refuted_titles(self) -> list[str]:
        """The titles of the questions whose reports no people can have sent."""
        return [one.question.title for one, p in zip(self.results, self.adjusted_p_values, strict=True) if p <= LEVEL]

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        """Of each question that is named, the test."""
        for row in self._test_rows() if derived else ():
            if row["p_adjusted"] <= LEVEL:
                yield table_row("population", row, row["attribute"])

    def json(self) -> dict[str, Any]:
        return {"population": list(self._test_rows())}

    def parts(self) -> Iterator[ViewPart]:
        tested, named = len(self.results), len(self.refuted_titles)
        text = f"Tested questions: {tested:,}; with reports that no people can have sent: {named:,}."
        yield ViewPart(self.name, (BlockGroup(TITLE, (Sentence(text, Purpose.METHOD),)),))

    def findings(self) -> Iterator[Finding]:
        named = self.refuted_titles
        if named:
            more = f"; and {len(named) - MOST_NAMED:,} more" if len(named) > MOST_NAMED else ""
            which = "; ".join(named[:MOST_NAMED]) + more
            yield Finding(Topic.SHARES, f"No people can have sent the reports on {which}: {WHY}.")

    def _test_rows(self) -> Iterator[dict[str, Any]]:
        for result, test, adjusted in zip(self.results, self.tests, self.adjusted_p_values, strict=True):
            yield {
                "attribute": result.question.name,
                "value": "any people",
                "n": result.n,
                "statistic": test.statistic,
                "degrees": test.degrees,
                "p": test.p_value,
                "p_adjusted": adjusted,
            }
