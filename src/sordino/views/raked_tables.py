"""Tables as they would be if their people had the margins that are known otherwise, of a census for instance.

Each table that has an attribute with known shares is raked to all of these: its unbiased cells, with the errors that
remain, and beside them what is fitted to all tables together, raked to all known margins at once. An attribute without
known shares is told as far as the known ones say it: post-stratified.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.digits import in_percent
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import TextTable
from sordino.document.files import read_text, read_toml
from sordino.document.schema.nearest import nearest
from sordino.domain.attribute import Attribute
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.joint.raking import rake, rake_with_slopes
from sordino.estimation.joint.table_cells import TableShares, sums_over
from sordino.exact.messages import shown
from sordino.printable import join_label
from sordino.survey.kinds.estimate_rows import IN_ORDER
from sordino.survey.kinds.shares.joint_fits import JointFit, joint_fits
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Result, joint_shares
from sordino.survey.schema.expected_people import ROUNDED, is_share, read_shares
from sordino.views.table_results import TableResult, TableRow, require_honest, table_results
from sordino.views.view import NotApplicable, Places, View, ViewPart, ViewSource, table_row

Margins = Mapping[str, NDArray[np.float64]]
"""By attribute the known shares of its values."""

RAKED = (
    "The cells are scaled until the known attributes have the shares that were given (raking).",
    "These shares are taken to be exact; what the reports say about them is not used.",
)

NUMBERS = ("estimate", "stderr", "low", "high", "fitted")
"""Of a row."""

AMOUNTS = ("share", "count")

COLUMNS = ("attribute", "value")

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf)", re.ASCII | re.IGNORECASE)
"""As everybody reads one; what is no amount is told as such. Python takes 1_0 for ten."""


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
        own = {attribute.name: attribute for attribute in self.table.question.attributes}
        told = [(_readable(row, own), *_texts(row)) for row in rows]
        return (self.table.question.title, *names), tuple(told[:most])

    def blocks(self) -> tuple[Block, ...]:
        """What the known margins do not say of single attributes, and the first cells."""
        own = {attribute.name: attribute.title for attribute in self.table.question.attributes}
        known = " and ".join(own[name] for name in self.known)
        title = f"Shares of {self.table.question.title}, with {known} as known"
        if self.why:
            return (BlockGroup(title, (Sentence(f"{title}: not estimated; {self.why}", Purpose.REFUSAL),)),)
        header, rows = self.lines(IN_ORDER)
        said = [self.table.coverage.sentence("share"), *(Sentence(text, Purpose.METHOD) for text in RAKED)]
        return (BlockGroup(title, (TextTable(title, header, rows, tuple(said)),)),)

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


@dataclass(frozen=True, eq=False)
class RakedTables(View):
    """All tables with an attribute whose shares are known otherwise.

    Attributes:
        each: with its `rows()`: the cells, raked to all known shares, and the values of each attribute whose shares are
            not known; with `why` they could not be raked, if so.
    """

    name: ClassVar[str] = "raked"
    settings: ClassVar[frozenset[str]] = frozenset({"margins"})
    places: ClassVar[Places] = Places(page=2, terminal=6, notebook=None, rows=5, json=8, live=None)
    each: tuple[Poststratified, ...]

    @classmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        """The tables, raked.

        Raises:
            SordinoErrors: all mistakes of the margins.
            SordinoError: an unreadable file, no such table, or intervals against forged reports.
        """
        if source.request.margins is None:
            return NotApplicable("no margins are known")
        require_honest(source.coverage)
        return cls(tuple(poststratify(source.results, read_margins(source.plan, source.request.margins))))

    def rows(self, *, derived: bool = True) -> Iterator[TableRow]:
        del derived
        for one in self.each:
            yield from (table_row("poststratified", row, one.table.question.name) for row in one.rows())

    def json(self) -> dict[str, Any]:
        rows = [{"table": one.table.attributes, **row} for one in self.each for row in one.rows()]
        untold = {one.table.question.name: one.why for one in self.each if one.why}
        return {"poststratified": rows, "poststratified_untold": untold}

    def parts(self) -> Iterator[ViewPart]:
        return (ViewPart(one.table.question.name, one.blocks()) for one in self.each)


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


def _readable(row: TableRow, own: Mapping[str, Attribute]) -> str:
    """The values of a row in the survey's words."""
    pairs = zip(row["attributes"], row["value"], strict=True)
    return join_label([own[name].phrasing.value(value) for name, value in pairs])


def _texts(row: TableRow) -> Iterator[str]:
    texts = in_percent(row)
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


def read_margins(plan: Plan, given: Mapping[str, Any] | Path | str) -> dict[str, NDArray[np.float64]]:
    """The known shares of some attributes' values, in the order of the plan's.

    Args:
        plan: that asks tables of these attributes.
        given: by attribute the shares or counts of its values; or the path of a TOML or CSV file of them.

    Raises:
        SordinoError: an unreadable file.
        SordinoErrors: all mistakes: an attribute that no table asks for, a value that it lacks or that is not named,
            numbers below 0 or all 0, shares that do not add up to 1, counts of different numbers of people.
    """
    name = str(given) if isinstance(given, Path | str) else "margins"
    tables, mistakes = _read(Path(given)) if isinstance(given, Path | str) else (dict(given), [])
    shares: dict[str, NDArray[np.float64]] = {}
    asked = {each for question in plan.questions if question.is_table for each in question.attribute_names}
    for attribute, numbers in tables.items():
        if attribute not in asked:
            found = repr(str(attribute)) + nearest([str(attribute)], sorted(asked))
            step = "ask a table of it, or take it out"
            mistakes.append(SordinoError("margins must be of attributes that a table asks for", found=found, step=step))
            continue
        domain = plan.attributes[attribute].table_domain
        labels = [domain.label(value) for value in range(domain.k)]
        try:
            shares[attribute] = read_shares(numbers, labels, f"margins of {attribute}")
        except SordinoErrors as errors:
            mistakes += errors.errors
    mistakes += _contradictions(tables)
    if not tables and not mistakes:
        mistakes.append(
            SordinoError(
                "margins must be of an attribute at least",
                found="no attribute",
                step="write a table for an attribute: [age], then young = 0.31",
            )
        )
    if mistakes:
        raise SordinoErrors(name, mistakes)
    return shares


def _contradictions(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    """Counts of different numbers of people: they cannot be of the same population."""
    totals = {name: total for name, numbers in tables.items() if (total := _total_count(numbers)) is not None}
    if totals:
        first = next(iter(totals))
        for name, total in totals.items():
            if abs(total - totals[first]) > ROUNDED * totals[first]:
                found = f"{totals[first]:.15g} of {first} and {total:.15g} of {name}"
                step = "give shares, if they are of people who are alike"
                rule = "margins that are counts must be of equally many people"
                yield SordinoError(rule, found=found, step=step)


def _total_count(numbers: Any) -> float | None:
    each = list(numbers.values()) if isinstance(numbers, Mapping) else numbers
    total = float(sum(each)) if isinstance(each, list) and all(map(is_share, each)) else 0.0
    return total if total > 1 + ROUNDED else None


def _read(path: Path) -> tuple[dict[str, Any], list[SordinoError]]:
    if path.suffix.lower() != ".csv":
        return read_toml(path), []
    try:
        rows = list(csv.reader(StringIO(read_text(path).removeprefix("\ufeff"))))
    except csv.Error as error:
        raise SordinoError(f"{path} must be a CSV table", found=str(error), step="look for a quote too many") from None
    header = [name.strip() for name in rows[0]] if rows else []
    amount = [name for name in AMOUNTS if name in header]
    if len(amount) != 1 or any(header.count(name) != 1 for name in (*COLUMNS, *amount)):
        rule = f"{path} must have the columns attribute, value, and share or count"
        raise SordinoError(rule, found=", ".join(header) or "none", step="name them in the first line")
    return _tables(rows[1:], [header.index(name) for name in (*COLUMNS, *amount)], len(header))


def _tables(rows: Sequence[Sequence[str]], at: Sequence[int], width: int) -> tuple[dict[str, Any], list[SordinoError]]:
    tables: dict[str, Any] = {}
    mistakes: list[SordinoError] = []
    unread = set()
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != width:
            mistakes.append(
                SordinoError(
                    f"row {number} must have {width} cells",
                    found=str(len(row)),
                    step="write as many as the first line has, with quotes around commas",
                )
            )
            continue
        attribute, value, text = (row[place].strip() for place in at)
        table = tables.setdefault(attribute, {})
        if value in table:
            found = f"{value!r} of {attribute!r} again in row {number}"
            mistakes.append(SordinoError("each value must stand once", found=found, step="keep one of the rows"))
            continue
        if NUMBER.fullmatch(text):
            table[value] = float(text)
        else:
            unread.add(attribute)
            mistakes.append(
                SordinoError(
                    f"row {number} must hold a number", found=shown(text), step="write a share as 0.31, or a count"
                )
            )
    # Of an attribute with a number that is none nothing more is said.
    return {name: table for name, table in tables.items() if name not in unread}, mistakes
