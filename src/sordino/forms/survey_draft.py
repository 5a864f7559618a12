"""A first survey, as the text of its file: from answers at a prompt, or from the columns of a table of people.

Nothing is promised but an epsilon, which protects all values alike, and perhaps that some of them are sensitive.

A survey is public, and a table is not. So of a table's values only those are proposed that at least `FEWEST` rows hold,
never free text. Ends of numbers that as many rows hold are rounded outward to one digit of their distance, of dates to
decades: each is still that of one row, so that all is shown before it is written.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.domain.calendar import EPOCH
from sordino.errors import SordinoError
from sordino.forms.form import LeftOut
from sordino.forms.survey_format import SCHEMA_MARK
from sordino.forms.toml_text import comment, toml, toml_key
from sordino.survey.reading.survey_file import Survey

# Tables are read by libraries that are large: only a draft of columns needs them.
if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "survey-1.json"
"""The JSON Schema of survey files, by which editors complete and check them."""

UNANSWERED = "not answered"
"""The category of who skips a question that may be skipped."""

OTHER = "other"

FEWEST = 20
"""Rows that hold a value that is written, or numbers whose ends are; and rows of a table at all."""

MOST_CATEGORIES = 60

LONGEST_NAME = 60
"""Characters of a category: what is longer is free text."""

LEAST_PART = 0.8
"""Of the rows that hold frequent values; of fewer the others are free text."""

MOST_VALUES = 10_000
"""Of a column that are counted: a category is none of so many."""

IDENTIFIES = re.compile(
    r"(.*[_ -])?(?i:id|uuid|key|user|login|ip|ssn|iban|passport"
    r"|e?-?mail|phone|tel|telephone|mobile|surname|(first|last)?name|address)"
    r"|[a-z]+(Id|ID|Name)"
)

ASKS = {"several": "several", "number": "mean", "categories": "histogram"}
"""What is asked by the first setting that an attribute has."""

COMMENTS = {
    "histogram": "the share of each answer",
    "several": "the share of people to whom each answer applies",
    "mean": "or: distribution",
}


@dataclass(frozen=True)
class DraftAttribute:
    """One attribute of a draft.

    Attributes:
        settings: as a survey has them.
    """

    name: str
    settings: Mapping[str, Any]

    @property
    def ask(self) -> str:
        """What is asked about it."""
        return next(ask for setting, ask in ASKS.items() if setting in self.settings)

    def require_readable(self) -> None:
        """Refuse what no survey takes.

        Raises:
            SordinoErrors: what is wrong with it.
        """
        SurveyDraft((self,)).survey()


@dataclass(frozen=True)
class SurveyDraft:
    """A survey that is being written.

    Attributes:
        about: its title and who asks, each perhaps.
        epsilon: of each report.
    """

    attributes: Sequence[DraftAttribute]
    about: Mapping[str, str] = field(default_factory=dict)
    epsilon: str = "1"

    def survey(self, epsilon: str | None = None) -> Survey:
        """The survey, with another epsilon if one is given.

        Raises:
            SordinoErrors: all its mistakes.
        """
        tables = tomllib.loads(self.text("survey.toml"))
        return Survey.read(tables if epsilon is None else {**tables, "epsilon": epsilon})

    @property
    def _promise(self) -> str:
        """What the epsilon promises, in a comment."""
        if any("protect" in one.settings for one in self.attributes):
            return "a promise: no report changes the odds of a protected answer by more than e^epsilon; others may show"
        return "a promise: no report changes anybody's odds by more than e^epsilon"

    def text(self, name: str) -> str:
        """The text of its file, which is called so."""
        lines = [
            f"{SCHEMA_MARK} {SCHEMA}",
            *comment(f"A survey is public: whoever answers can read it. Next: sordino plan {name} --people N"),
            "version = 1",
            f"epsilon = {toml(self.epsilon)}  # {self._promise}",
            "",
        ]
        if self.about:
            lines += ["[about]", *(f"{key} = {toml(text)}" for key, text in self.about.items()), ""]
        for one in self.attributes:
            lines += [f"[attribute.{toml_key(one.name)}]", *self._settings(one), ""]
        lines += comment("Each person answers one of these, drawn at random, whatever their answers are.")
        for one in self.attributes:
            lines += ["[[ask]]", f"{one.ask} = {toml(one.name)}  # {COMMENTS[one.ask]}"]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _settings(one: DraftAttribute) -> Iterator[str]:
        for setting, value in one.settings.items():
            yield f"{setting} = {toml(value)}"
        if "protect" not in one.settings and "categories" in one.settings and "several" not in one.settings:
            yield "# All answers are protected alike."


NUMBER = r"[+-]?[0-9]+(\.[0-9]+)?"

CODE = "^[+-]?0[0-9]"
"""Begins a code that looks like a number, as a postcode or a telephone number."""

OTHERWISE_WRITTEN = {
    r"[+-]?[0-9.]*,[0-9]+": "numbers with a decimal comma: write them with a point",
    r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}": "dates in another form: write them as 2026-12-31",
}
"""Texts that are no free text, each with what to do."""


@dataclass
class _ColumnSummary:
    """What is known of a column of a table, batch by batch.

    Attributes:
        has_codes: whether some of its numbers begin with a zero.
        values: how many rows hold each text; None once there are too many.
        ends: the least and the largest number.
        days: the same of dates.
    """

    rows: int = 0
    missing: int = 0
    numbers: int = 0
    dates: int = 0
    whole: int = 0
    has_codes: bool = False
    values: Counter[str] | None = field(default_factory=Counter)
    ends: tuple[float, float] = (inf, -inf)
    days: tuple[float, float] = (inf, -inf)

    def add(self, texts: "pa.Array", numbers: "pa.Array", days: "pa.Array") -> None:
        """Count the rows of a batch."""
        import numpy as np
        import pyarrow.compute as pc

        from sordino.tables.frame import array_of

        self.rows += len(texts)
        self.missing += texts.null_count
        found, dated = array_of(numbers), array_of(days)
        finite, is_day = found[np.isfinite(found)], dated[np.isfinite(dated)]
        self.numbers += len(finite)
        self.dates += len(is_day)
        self.has_codes |= bool(pc.any(pc.match_substring_regex(texts, CODE)).as_py())
        self.whole += int(np.count_nonzero(finite == np.floor(finite)))
        self.ends = (
            min(self.ends[0], float(finite.min(initial=inf))),
            max(self.ends[1], float(finite.max(initial=-inf))),
        )
        self.days = (
            min(self.days[0], float(is_day.min(initial=inf))),
            max(self.days[1], float(is_day.max(initial=-inf))),
        )
        if self.values is not None:
            self.values.update(
                {pair["values"]: pair["counts"] for pair in texts.drop_null().value_counts().to_pylist()}
            )
            if len(self.values) > MOST_VALUES:
                self.values = None

    @property
    def present(self) -> int:
        """How many rows hold something."""
        return self.rows - self.missing

    def is_number_like(self, name: str) -> bool:
        """Whether its name is a number or a date, as its values are."""
        from sordino.tables.duckdb import A_DAY

        if self.dates == self.present:
            return re.fullmatch(A_DAY, name) is not None
        if self.numbers < self.present or not re.fullmatch(NUMBER, name):
            return False
        first, last = self.ends
        # Names of years, say, are far from what is counted in them.
        return 2 * first - last <= float(name) <= 2 * last - first

    def holds(self, name: str) -> bool:
        """Whether its name is one of its values, of several."""
        return self.values is not None and len(self.values) > 1 and name in self.values

    @property
    def counts_rows(self) -> bool:
        """Whether it holds a number for each row, one after the other."""
        first, last = self.ends
        different = self.values is None or len(self.values) == self.rows
        return self.whole == self.rows >= FEWEST and last - first + 1 == self.rows and different


def draft_of_table(table: Path) -> tuple[list[DraftAttribute], list[LeftOut], int]:
    """The attributes that a table's columns could be, what is left out and why, and how many rows there are.

    Raises:
        SordinoError: an unreadable table, or no rows.
    """
    from sordino.tables.duckdb import (
        A_DAY,
        OTHER_SEPARATORS,
        TEXT,
        days,
        header,
        literal,
        number,
        opened_table,
        quote,
        read_batches,
    )

    with opened_table(table) as whole:
        kinds = dict(header(whole))
        names = [name for name, kind in kinds.items() if name.strip() and _is_plain(kind)]
        select: dict[str, str] = {}
        for j, name in enumerate(names):
            text = f"CAST({quote(name)} AS {TEXT})"
            is_day = f"regexp_full_match({text}, {literal(A_DAY)})"
            select |= {f"text {j}": text, f"day {j}": f"CASE WHEN {is_day} THEN {days(name)} END"}
            select |= {f"number {j}": "CAST(NULL AS DOUBLE)" if kinds[name] == "BOOLEAN" else number(name)}
        found = {name: _ColumnSummary() for name in names}
        for batch in read_batches(whole, select, names) if names else ():
            for j, own in enumerate(found.values()):
                own.add(*(batch.column(f"{part} {j}") for part in ("text", "number", "day")))
    rows = max((own.rows for own in found.values()), default=0)
    if not rows:
        step = "give a table with a row for each person"
        raise SordinoError(f"{table} must hold data", found="no rows of numbers, texts or dates", step=step)
    if rows < FEWEST:
        rule = (
            f"{table} must have at least {FEWEST} rows: a survey is public, and would show what single people answered"
        )
        step = "give a larger table, or run `sordino new` without --from, which asks"
        raise SordinoError(rule, found=f"{rows} row{'' if rows == 1 else 's'}", step=step)
    if _has_no_names(found):
        rule, step = f"{table} must have names of columns", "write them in its first line, as age,smoker"
        raise SordinoError(rule, found="values in their place", step=step)
    if len(kinds) == 1 and OTHER_SEPARATORS & {*"".join(kinds)}:
        rule = f"{table} must have its columns between commas"
        raise SordinoError(rule, found="one column with other signs in its name", step="write a comma between columns")
    left_out = [
        LeftOut(name, f"its type is {kind}") if name.strip() else LeftOut(f"column {i}", "it has no name")
        for i, (name, kind) in enumerate(kinds.items(), 1)
        if name not in found
    ]
    proposed = {name: _settings_of(name, own) for name, own in found.items()}
    left_out += [LeftOut(name, why) for name, why in proposed.items() if isinstance(why, str)]
    attributes = [DraftAttribute(name, own) for name, own in proposed.items() if not isinstance(own, str)]
    readable, refused = _readable(attributes)
    for one in readable:
        values = found[one.name].values
        if OTHER in one.settings.get("categories", ()) and values is not None and not values[OTHER]:
            why = f"values that fewer than {FEWEST} rows hold: write {OTHER!r} in their place in the data"
            left_out.append(LeftOut(one.name, why))
    return readable, [*left_out, *refused], rows


def _has_no_names(columns: Mapping[str, _ColumnSummary]) -> bool:
    """Whether values seem to stand in the place of names: all are like their columns, or half with texts."""
    held = [name for name, own in columns.items() if own.holds(name)]
    like = {*held, *(name for name, own in columns.items() if own.is_number_like(name))}
    has_texts = any(columns[name].numbers < columns[name].present for name in held)
    return len(like) == len(columns) or (has_texts and 2 * len(like) >= len(columns))


def _readable(attributes: list[DraftAttribute]) -> tuple[list[DraftAttribute], list[LeftOut]]:
    """Those that a survey takes together, and why it does not take the others."""
    taken: list[DraftAttribute] = []
    refused = []
    for one in attributes if attributes and not _is_survey(attributes) else ():
        try:
            SurveyDraft((*taken, one)).survey()
            taken.append(one)
        except SordinoError as error:
            refused.append(LeftOut(one.name, f"no survey takes it: {error}"))
    return (taken if refused else attributes), refused


def _is_survey(attributes: Sequence[DraftAttribute]) -> bool:
    try:
        SurveyDraft(attributes).survey()
    except SordinoError:
        return False
    return True


def _is_plain(kind: str) -> bool:
    from sordino.tables.columns import DATES, numeric_type

    return (numeric_type(kind) and kind != '"NULL"') or kind in DATES or kind == "BOOLEAN" or kind.startswith("ENUM")


def _settings_of(name: str, own: _ColumnSummary) -> dict[str, Any] | str:
    """What a column could be, or why it is left out."""
    if not own.present:
        return "it is empty"
    if IDENTIFIES.fullmatch(name) or own.counts_rows:
        return "it seems to identify people: no answer, and no use in a report"
    if own.present < FEWEST:
        return f"fewer than {FEWEST} rows hold a value"
    if own.dates == own.present:
        return _dates(own)
    if own.numbers == own.present and not own.has_codes:
        return _number(own)
    return _categories(own)


def _dates(own: _ColumnSummary) -> dict[str, Any] | str:
    first, last = (date.fromordinal(int(day) + EPOCH).year // 10 * 10 for day in own.days)
    return {"number": {"low": date(max(first, 1), 1, 1), "high": date(last + 9, 12, 31)}, **_share(own)}


def _number(own: _ColumnSummary) -> dict[str, Any] | str:
    low, high = own.ends
    if low == high:
        return "all rows hold the same number"
    unit = _leading_unit(Decimal(str(high)) - Decimal(str(low)))
    return {
        "number": {"low": _round_to(low, unit, ROUND_FLOOR), "high": _round_to(high, unit, ROUND_CEILING)},
        **_share(own),
    }


def _leading_unit(number: Decimal) -> Decimal:
    """The power of ten of a number's first digit."""
    return Decimal(1).scaleb(number.adjusted())


def _round_to(number: float, unit: Decimal, rounding: str) -> int | float:
    rounded = (Decimal(str(number)) / unit).to_integral_value(rounding) * unit
    return int(rounded) if rounded == rounded.to_integral_value() and abs(rounded) < 10**15 else float(rounded)


def _share(own: _ColumnSummary) -> dict[str, str]:
    """The part of the people who are expected to lack a number, rounded up to one digit."""
    if not own.missing:
        return {}
    exact = Decimal(own.missing) / own.rows
    share = Decimal(str(_round_to(float(exact), _leading_unit(exact), ROUND_CEILING)))
    return {"missing": f"{min(share, Decimal('0.9')):f}"}


def _categories(own: _ColumnSummary) -> dict[str, Any] | str:
    frequent = {value: n for value, n in (own.values or {}).items() if n >= FEWEST and value.strip()}
    is_free = not frequent or sum(frequent.values()) < LEAST_PART * own.present
    for pattern, why in OTHERWISE_WRITTEN.items():
        if own.values and all(re.fullmatch(pattern, value) for value in own.values):
            return why
    if is_free or len(frequent) > MOST_CATEGORIES or max(map(len, frequent)) > LONGEST_NAME:
        return f"free text, or values of which too few are held by {FEWEST} rows"
    names = sorted(frequent)
    if sum(frequent.values()) < own.present and OTHER not in names:
        names.append(OTHER)
    missing = {}
    if own.missing:
        names += [] if UNANSWERED in names else [UNANSWERED]
        missing = {"missing": UNANSWERED}
    return {"categories": names, **missing} if len(names) > 1 else "all rows hold the same value"
