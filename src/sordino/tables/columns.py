"""From the columns of one attribute to its values: indices of categories or cells, or numbers in the data's unit.

A value that is none is an error that names its row and column, never the value: a skipped row would be a release that
depends on the data.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.domain.attribute import Attribute, AttributeDomain
from sordino.domain.calendar import DAYS, MONTHS, Periods, Series, iso_date
from sordino.domain.categories import Categories
from sordino.domain.choices import SEPARATOR, Choices
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.tables.duckdb import A_DAY, TEXT, WHOLE, days, header, index_below, literal, number, quote, require_columns
from sordino.tables.frame import PathOrFrame, array_of, expecting_kind
from sordino.tables.table_file import TO_FILE, can_be_read_again, change_error

PAIR = ("latitude", "longitude")

BEYOND = "beyond the range"
"""Finite numbers that are none of an attribute's; where they are clipped there are none."""

A_DATE = "write dates as 1980-05-31"

UNSAID = ("text", "not finite", "empty")
"""Causes of wrong rows that may be somebody's words for a missing number."""

EMPTY = '"NULL"'
"""The type of a column that holds nothing."""

DATES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
"""Types of dates and times without a zone: with one, the day depends on who reads it."""

LISTED = 1 << 10
"""Names that SQL tells apart at most: to take in 100,000 needs two seconds."""

Column: TypeAlias = NDArray[Any]
"""Indices, shape (n,), or numbers, shape (n,) or (n, d)."""


if TYPE_CHECKING:
    from sordino.tables.wrong_rows import Look, Wrong, WrongRows


@dataclass(frozen=True)
class AttributeColumns:
    """How an attribute is read from a table.

    Attributes:
        after: what the advice about a bad value ends with.
    """

    attribute: Attribute
    after: str = "nothing was written"

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns: one, or for a grid latitude and longitude."""
        return self.attribute.columns

    @property
    def domain(self) -> AttributeDomain:
        """Its values."""
        return self.attribute.domain

    @property
    def expressions(self) -> dict[str, str]:
        """What to read: an index where SQL can tell it, else what the domain needs."""
        missing = {"missing": self._missing_sql} if self.may_be_empty else {}
        match self.domain:
            case Interval():
                return {"number": self._number_sql(self.names[0])} | missing
            case Choices():
                return {"chosen": self._categories_sql(), "missing": self._missing_sql}
            case Grid() if len(self.names) == 2:
                # A cast that fails gives no number, which lies outside every grid.
                return {key: number(name) for key, name in zip(PAIR, self.names, strict=True)}
            case domain if isinstance(domain, Grid) or isinstance(domain.labels, range):
                return {"index": index_below(self.names[0], domain.k)}
            case domain if domain.k <= LISTED:
                return {"index": self._place_sql(domain)} | missing
            case _:
                name = quote(self.names[0])
                missing |= {} if self.attribute.missing is None else {"missing": self._missing_sql}
                return {"label": f"CAST({name} AS VARCHAR)"} | missing

    @property
    def _missing_sql(self) -> str:
        """Whether a cell has no value: frames and Parquet files hold empty texts where CSV files hold nothing."""
        return f"coalesce(CAST({quote(self.names[0])} AS {TEXT}) = '', true)"

    @property
    def _number_sql(self) -> Callable[[str], str]:
        """What reads a number of a column, as SQL."""
        return days if self.attribute.is_date else number

    def _categories_sql(self) -> str:
        """The categories of a list, or of a text with semicolons between them; NULL for anything else."""
        name, apart = quote(self.names[0]), literal(f" *{SEPARATOR} *")
        text = f"trim(regexp_replace(CAST({name} AS {TEXT}), {apart}, {literal(SEPARATOR)}, 'g'))"
        split = f"string_split({text}, {literal(SEPARATOR)})"
        return f"CASE WHEN typeof({name}) = '{TEXT}' THEN {split} ELSE TRY_CAST({name} AS {TEXT}[]) END"

    @property
    def may_be_empty(self) -> bool:
        """Whether a cell without a value is one that the attribute, or its conditions, decide about."""
        return self.attribute.optional or bool(self.attribute.only_if)

    def _place_sql(self, domain: Categories) -> str:
        """The place of a name among some, as SQL; -1 for any other."""
        if isinstance(domain, Periods):
            return period_index(self.names[0], domain.series)
        name, names = quote(self.names[0]), ", ".join(literal(str(label)) for label in domain.labels)
        place = f"coalesce(CAST(enum_code(TRY_CAST(CAST({name} AS {TEXT}) AS ENUM({names}))) AS INTEGER), -1)"
        if self.attribute.missing is None:
            return place
        return (
            f"CASE WHEN {self._missing_sql} THEN {list(domain.labels).index(self.attribute.missing)} ELSE {place} END"
        )

    @property
    def numeric(self) -> bool:
        """Whether the columns are read as numbers."""
        named = isinstance(self.domain, Categories) and not isinstance(self.domain.labels, range)
        return not (named or isinstance(self.domain, Choices))

    def values(
        self, table: PathOrFrame, columns: Mapping[str, pa.Array], rows: int, asked: Sequence["AttributeColumns"]
    ) -> Column:
        """A batch's values, shape (n,): indices, or numbers in the data's unit, to be clipped where that is asked.

        Args:
            table: they are of, for messages.
            columns: what the expressions gave.
            rows: of the table before the batch.
            asked: all attributes that are read of the table, whose mistakes are told together.

        Raises:
            SordinoError: a value that is missing or none of the attribute's.
        """
        values = self._read(columns)
        if self.may_be_empty:
            # All are looked at in one way: how long it takes tells nobody whether one is missing.
            wrong = self._judge(columns)
            if wrong.any():
                raise mistakes(table, asked, self, rows + int(np.argmax(wrong)) + 1)
        elif not self._all_inside(values):
            raise mistakes(table, asked, self, rows + int(np.argmax(self._outside(values))) + 1)
        return values

    def count_clipped(self, values: Column) -> int:
        """How many of some numbers lie beyond the ends, of which they count as the nearest one."""
        domain = self.domain
        if not isinstance(domain, Interval):
            return 0
        with np.errstate(invalid="ignore"):
            return int(np.count_nonzero((values < domain.low) | (values > domain.high)))

    def _read(self, columns: Mapping[str, pa.Array]) -> Column:
        """A batch's values, whatever they are."""
        if isinstance(self.domain, Interval):
            numbers: NDArray[np.float64] = array_of(columns["number"]).astype(np.float64, copy=False)
            return numbers
        return self._indices(columns)

    def _all_inside(self, values: Column) -> bool:
        """Whether all are the attribute's, by their extremes: those of numbers of which one is NaN are NaN."""
        if not len(values):
            return True
        with np.errstate(invalid="ignore"):
            extremes = np.array([values.min(), values.max()])
        return not self._outside(extremes).any()

    def _outside(self, values: Column) -> NDArray[np.bool_]:
        """Which values are none of the attribute's; a number that is clipped is one of its ends."""
        if isinstance(self.domain, Interval):
            return ~(np.isfinite(values) if self.attribute.clip else self.domain.contains(values))
        return values < 0

    def _indices(self, columns: Mapping[str, pa.Array]) -> NDArray[np.intp]:
        match self.domain:
            case Grid() if "index" not in columns:
                latitude, longitude = (array_of(columns[key]) for key in PAIR)
                return self.domain.locate(latitude, longitude)
            case Choices() as choices:
                chosen = values_of_lists(columns["chosen"], choices)
                return chosen if self.attribute.missing is None else np.where(array_of(columns["missing"]), 0, chosen)
            case Categories() as categories if "index" not in columns:
                # A library that only many names need.
                import pyarrow.compute as pc

                labels = columns["label"]
                found = pc.index_in(labels, value_set=pa.array(categories.labels, type=labels.type))
                indices: NDArray[np.intp] = array_of(pc.fill_null(found, -1)).astype(np.intp)
                if self.attribute.missing is not None:
                    missing = array_of(columns["missing"])
                    indices[missing] = list(categories.labels).index(self.attribute.missing)
                return indices
            case _:
                index: NDArray[np.intp] = array_of(columns["index"]).astype(np.intp)
                return index

    @property
    def look(self) -> "Look":
        """How its wrong rows are looked at once more."""
        from sordino.tables.wrong_rows import Look

        return Look(self.names, self.expressions, self._judge, self._causes, self._number_sql)

    def mistake(self, table: PathOrFrame, wrong: "Wrong") -> SordinoError:
        """What is wrong with the first wrong row, and how many there are."""
        where = self.where(table, wrong.first)
        if wrong.first_missing:
            step = ""
            if isinstance(self.domain, Choices):
                step = f", with {self.domain.none!r} for none, or declare missing = {self.domain.none!r} in the survey"
            elif isinstance(self.domain, Categories):
                step = ", or declare one of the categories as `missing` in the survey"
            elif isinstance(self.domain, Interval):
                step = ", or declare the share that is expected to be missing as `missing` in the survey"
            found = f"a missing one in {wrong.missing:,} of {wrong.rows:,} rows"
            return SordinoError(f"{where}: a value must be given", found=found, step=f"fill it in{step}")
        found, step = f"a wrong value {wrong.words}", self._step(wrong.cause)
        return SordinoError(f"{where}: a value must be {self._rule}", found=found, step=f"{step}; {self.after}")

    @property
    def _rule(self) -> str:
        """What a value must be."""
        domain = self.domain
        if isinstance(domain, Interval):
            written = iso_date if self.attribute.is_date else "{:.15g}".format
            what = "a date" if self.attribute.is_date else "a number"
            return f"{what} from {written(domain.low)} to {written(domain.high)}"
        if isinstance(domain, Choices):
            return f"up to {domain.most} of the survey's, as a list or a text with semicolons between them"
        if isinstance(domain, Periods):
            return f"a day of the series, {domain.series.start} to {domain.series.last_day}"
        return "one of the survey's"

    def _step(self, cause: str) -> str:
        """What to do about a wrong value, by what seems to be its cause."""
        from sordino.tables.wrong_rows import DATED, STEPS

        if self.attribute.optional and cause in UNSAID:
            return "leave the cell empty where the number is missing, and correct the others"
        if isinstance(self.domain, Periods):
            return f"{A_DATE}: any day of a period stands for it, a number for none"
        if cause == DATED and isinstance(self.domain, Interval):
            return A_DATE if self.attribute.is_date else "write numbers, or declare two dates as its ends in the survey"
        return "correct it, or set clip = true in the survey" if cause == BEYOND else STEPS.get(cause, "correct it")

    def where(self, table: PathOrFrame, row: int) -> str:
        """A row's values of the attribute, for messages."""
        return f"{table}, row {row}, {' and '.join(self.names)}"

    def _judge(self, columns: Mapping[str, pa.Array]) -> NDArray[np.bool_]:
        """Which rows are wrong: where a number may be missing, an empty cell is not."""
        outside = self._outside(self._read(columns))
        return outside & ~array_of(columns["missing"]) if self.may_be_empty else outside

    def _causes(self, rows: "WrongRows") -> NDArray[np.object_]:
        from sordino.tables.wrong_rows import choices_cause, index_cause, label_cause, number_cause

        match self.domain:
            case Interval():
                return number_cause(rows, BEYOND)
            case Grid() if len(self.names) == 2:
                return number_cause(rows, "outside the map")
            case Choices() as choices:
                return choices_cause(rows, choices)
            case domain if isinstance(domain, Grid) or isinstance(domain.labels, range):
                return index_cause(rows, domain.k)
            case domain:
                return label_cause(rows, domain.labels)


def mistakes(table: PathOrFrame, asked: Sequence[AttributeColumns], found: AttributeColumns, row: int) -> SordinoError:
    """All that is wrong with the values of a table, once something is; of a pipe, which is gone, this alone.

    Args:
        table: that was read.
        asked: the attributes that are read of it.
        found: the one of which a value is wrong.
        row: where.
    """
    if not can_be_read_again(table):
        rule = f"{found.where(table, row)}: a value must be given, and one of the survey's"
        return SordinoError(rule, found="a missing or a wrong one, in a pipe", step=f"{TO_FILE}; {found.after}")
    from sordino.tables.wrong_rows import examine

    looked = zip(asked, examine(table, [own.look for own in asked]), strict=True)
    errors = [own.mistake(table, wrong) for own, wrong in looked if wrong.first]
    if not errors:
        return change_error(table)
    return errors[0] if len(errors) == 1 else SordinoErrors(str(table), errors)


def require_columns_of(asked: Iterable[AttributeColumns], table: PathOrFrame) -> None:
    """Refuse a table that lacks columns, or has other things than numbers and texts where numbers are read.

    Args:
        asked: the attributes.
        table: that is read.

    Raises:
        SordinoError: columns that are missing, or dates or truth values in one.
    """
    asked = list(asked)
    columns = list(dict.fromkeys(name for own in asked for name in own.names))
    with expecting_kind(table, "table"):
        require_columns(table, columns, "name them in its first line, or set `column` in the survey")
    kinds = dict(header(table))
    numeric = {name: own.attribute.is_date for own in asked if own.numeric for name in own.names}
    wrong = [name for name, is_date in numeric.items() if not _is_read(kinds.get(name, TEXT), is_date=is_date)]
    if wrong:
        step = "write numbers there, or name another column in the survey"
        if any(kinds[name] in DATES for name in wrong):
            step = f"{step}, or declare two dates as the ends of the number"
        elif any(numeric[name] for name in wrong):
            step = "write dates there, without a time zone, or name another column in the survey"
        what = "numbers or dates" if any(numeric.values()) else "numbers"
        found = ", ".join(f"{name} of type {kinds[name]}" for name in wrong)
        raise SordinoError(f"{table} must have {what} in {', '.join(numeric)}", found=found, step=step)


def _is_read(kind: str, *, is_date: bool) -> bool:
    return numeric_type(kind) or (is_date and kind in DATES)


def numeric_type(kind: str) -> bool:
    """Whether numbers are read from a column of this type: numbers or texts, not dates or truth values.

    A frame's column without any value has a type of its own: whether all are missing is no reason to refuse it.
    """
    return kind in WHOLE or kind in (TEXT, EMPTY, "FLOAT", "DOUBLE") or kind.startswith("DECIMAL")


def values_of_lists(lists: pa.Array, choices: Choices) -> NDArray[np.intp]:
    """The value of each list, shape (n,); -1 for what is none: other names, one of them twice, or too many.

    Args:
        lists: of texts, in whatever order.
        choices: the categories.

    Example:
        >>> values_of_lists(pa.array([["b"], [], ["b", "a"], ["a", "a"], None]), Choices(("a", "b", "c"), 2)).tolist()
        [2, 0, 3, -1, -1]
    """
    # A library that few attributes need.
    import pyarrow.compute as pc

    labels, alone = len(choices.labels), {choices.none: 0}
    alone |= {} if choices.not_asked is None else {choices.not_asked: choices.unasked_value}
    names = pa.array([*choices.labels, *alone], type=pa.string())
    sizes = array_of(pc.fill_null(pc.list_value_length(lists), -1)).astype(np.intp)
    found = array_of(pc.fill_null(pc.index_in(pc.list_flatten(lists).cast(pa.string()), value_set=names), -1))
    person = np.repeat(np.arange(len(lists)), np.maximum(sizes, 0))
    is_category = (found >= 0) & (found < labels)
    values = np.zeros(len(lists), dtype=np.int64)
    np.bitwise_or.at(values, person[is_category], np.left_shift(np.int64(1), found[is_category].astype(np.int64)))
    # As many bits as names: each is a category, and none stands twice.
    bits = (values[:, np.newaxis] >> np.arange(labels) & 1).sum(axis=1)
    fits = (bits == sizes) & (sizes <= choices.most)
    first = np.full(len(lists), -1)
    first[person[::-1]] = found[::-1]
    is_word = (sizes == 1) & (first >= labels)
    words = np.array([*alone.values()], dtype=np.int64)
    known: NDArray[np.intp] = np.where(fits, values, np.where(is_word, words.take(first - labels, mode="clip"), -1))
    return known


def period_index(column: str, series: Series) -> str:
    """The place of each row's period; -1 of what is no day of the series.

    Numbers are no periods: people count them from 1, and programs from 0.

    Args:
        column: of dates, times, or texts.
        series: whose periods these are.
    """
    text = f"CAST({quote(column)} AS {TEXT})"
    day = f"TRY_CAST({text}[:10] AS DATE)"
    start, end = series.starts(0), series.ends(series.periods - 1)
    if series.every in DAYS:
        since = f"date_diff('day', DATE '{start}', {day}) // {DAYS[series.every]}"
    else:
        months = f"12 * (year({day}) - {start.year}) + month({day}) - {start.month}"
        # Of a period that has begun the last month counts once its day has come.
        since = f"({months} - CAST(day({day}) < {start.day} AS INTEGER)) // {MONTHS[series.every]}"
    is_day = f"regexp_full_match({text}, {literal(A_DAY)}) AND {day} BETWEEN DATE '{start}' AND DATE '{end}'"
    return f"coalesce(CAST(CASE WHEN {is_day} THEN {since} ELSE -1 END AS INTEGER), -1)"
