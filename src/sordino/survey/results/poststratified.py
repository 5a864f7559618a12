"""Tables as they would be if their people had the margins that are known otherwise, of a census for instance.

Each table that has an attribute with known shares is raked to all of these: its unbiased cells, with the errors that
remain, and beside them what is fitted to all tables together, raked to all known margins at once. An attribute without
known shares is told as far as the known ones say it: post-stratified.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.digits import round_row
from sordino.errors import SordinoError
from sordino.estimation.joint.cells import TableShares, sums_over
from sordino.estimation.joint.raking import rake, rake_with_slopes
from sordino.survey.questions.joint import JointFit, joint_fits
from sordino.survey.results.result import Result, joint_shares
from sordino.survey.results.table import TableResult, TableRow, table_results

Margins = Mapping[str, NDArray[np.float64]]
"""By attribute the known shares of its values."""

NUMBERS = ("estimate", "stderr", "low", "high", "fitted")
"""Of a row."""


@dataclass(frozen=True, eq=False)
class Poststratified:
    """A table that agrees with known margins.

    Attributes:
        table: that was asked.
        known: the margins of its attributes.
        fitted: a distribution near its cells with all known margins, shape (k,); None where there is none.
    """

    table: TableResult
    known: Margins
    fitted: NDArray[np.float64] | None

    @cached_property
    def why(self) -> str:
        """Why the unbiased cells cannot be raked; nothing if they can."""
        try:
            _ = self._raked_cells
        except SordinoError as error:
            return str(error)
        return ""

    def rows(self) -> Iterator[TableRow]:
        """The cells, then the values of each attribute without known shares; estimates are None if `why` says so."""
        yield from self._table_rows(self.table.attributes)
        for name in self.table.attributes:
            if name not in self.known:
                yield from self._table_rows([name])

    def lines(self, most: int) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """The header and the rows of a table that people read: attributes without known shares first, then cells."""
        rows = sorted(self.rows(), key=lambda row: len(row["attributes"]) > 1)
        names = ["estimate", "std. error", "from", "to", *([] if self.fitted is None else ["fitted"])]
        told = [(", ".join(row["value"]), *_texts(row)) for row in rows]
        return (self.table.question.name, *names), tuple(told[:most])

    def _table_rows(self, names: list[str]) -> Iterator[TableRow]:
        sums = sums_over(self.table.question.shape, [self.table.attributes.index(name) for name in names])
        fitted = None if self.fitted is None else sums @ self.fitted
        nothing = np.full(len(sums), np.nan)
        told = TableShares(nothing, nothing, np.zeros(len(sums)), np.ones(len(sums)), fitted)
        if not self.why:
            cells, slopes = self._raked_cells
            each = self.table.coverage.each(len(sums))
            told = self.table.cells.combinations(sums @ cells, sums @ slopes, fitted, each)
        yield from self.table.label_rows(told, names)

    @cached_property
    def _raked_cells(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = rake_with_slopes(
            self.table.cells.value, self.table.question.shape, _by_place(self.table.attributes, self.known)
        )
        return found.value, found.slopes


def poststratify(results: Sequence[Result], margins: Margins) -> list[Poststratified]:
    """The tables that have an attribute with known shares, raked to them.

    Args:
        results: of a plan.
        margins: by attribute the shares of its values.

    Raises:
        SordinoError: no such table is told, or one that is too large.
    """
    tables = [table for table in table_results(results) if set(table.attributes) & set(margins)]
    if not tables:
        raise SordinoError(
            "margins must be of attributes of a table that is estimated",
            found="no such table",
            step="ask for a table with one of these attributes",
        )
    shares = list(joint_shares(results))
    fits = list(joint_fits([one.question for one in shares], [one.estimate for one in shares]))
    found = []
    for table in tables:
        known = {name: shares for name, shares in margins.items() if name in table.attributes}
        found.append(Poststratified(table, known, _fitted_shares(table, fits, margins)))
    return found


def _texts(row: TableRow) -> Iterator[str]:
    """The numbers of a row as people read them."""
    texts = round_row(row)
    return (texts.get(name, "-") for name in NUMBERS if name in row)


def _fitted_shares(table: TableResult, fits: Sequence[JointFit], margins: Margins) -> NDArray[np.float64] | None:
    """What was fitted to the table, raked to all known margins: of all tables together where one joint fit is."""
    if table.estimate.fitted is None:
        return None
    together = (
        [fit for fit in fits if set(table.attributes) <= set(fit.names)] if table.estimate.method == "joint" else []
    )
    try:
        for fit in together:
            return replace(fit, mixture=fit.mixture.rake(_by_place(fit.names, margins))).margin(table.attributes)
        return rake(table.estimate.fitted, table.question.shape, _by_place(table.attributes, margins))
    except SordinoError:
        return None


def _by_place(names: Sequence[str], margins: Margins) -> dict[int, NDArray[np.float64]]:
    return {names.index(name): shares for name, shares in margins.items() if name in names}
