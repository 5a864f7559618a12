"""A person's own values, from a file on their device. No error ever holds one of them, nor a word of the file.

version = 1
[record]
age = 44
smoker = "no"
visits = 3
born = 1980-05-31
home = { latitude = 42.36, longitude = -71.06 }

A value is a number, or a date where its ends are dates; a category by its name, or a whole number where categories are
numbered; a position on a map, or the number of its cell.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from sordino.document.checked_tables import VersionField, read_tables
from sordino.document.files import read_toml
from sordino.document.kinds import explain_kind
from sordino.document.schema.strict_table import StrictTable
from sordino.domain.attribute import Attribute
from sordino.domain.calendar import EPOCH, date_of, iso_date
from sordino.domain.categories import Categories
from sordino.domain.choices import Choices
from sordino.domain.condition import are_asked, contradiction, missing_value, settle, with_conditions
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors

POSITION = {"latitude", "longitude"}
"""What a position on a map is told by, in degrees."""


class RecordTable(StrictTable):
    """The file of a record.

    Attributes:
        version: of the format, 1.
        record: a value for each attribute.
    """

    version: VersionField
    record: dict[Any, Any]


def load_tables(path: Path | str) -> dict[str, Any]:
    """The tables of the file of a record.

    Raises:
        SordinoError: unreadable, or another file; never with a word of it.
    """
    # The parser's words could quote the file.
    with explain_kind(Path(path), "record"):
        return read_toml(Path(path), private=True)


def read_values(
    tables: dict[str, Any], attributes: Mapping[str, Attribute], whose: str, needed: Collection[str] | None = None
) -> dict[str, float | int]:
    """The values of a record: the place of a category or a cell, or a number in the data's unit.

    Args:
        tables: of the record's file.
        attributes: by name; no others may stand in it.
        whose: attributes they are, for messages: the ledger's, the plan's.
        needed: the names that must have a value; all by default. A name that is left out counts as the category that
            its attribute has for what is missing, if it has one; of a number that may be missing as NaN.

    Raises:
        SordinoErrors: all mistakes: another version, a missing, foreign or unfit value; never with a value, nor with a
            name that is none of these attributes'.
    """
    record = read_tables(RecordTable, tables, "the record", private=True).record
    mistakes, values = [], {}
    wanted = with_conditions(attributes if needed is None else needed, attributes)
    must = [name for name in wanted if attributes[name].missing is None and not attributes[name].only_if]
    missing = [repr(name) for name in must if name not in record]
    if missing:
        found = f"none for {', '.join(missing)}"
        mistakes.append(
            SordinoError("a record must have a value for each attribute", found=found, step="write one under [record]")
        )
    foreign = len(record.keys() - attributes.keys())
    if foreign:
        mistakes.append(
            SordinoError(
                f"a record must have {whose} attributes only",
                found=f"{foreign} more",
                step="take out the others",
            )
        )
    for name, attribute in attributes.items():
        try:
            if name in record:
                values[name] = _value(record[name], attribute)
            elif (counted := missing_value(attribute)) is not None:
                values[name] = counted
        except SordinoError as error:
            mistakes.append(error)
    if not mistakes:
        mistakes += _settle_conditions(values, record, attributes, wanted)
    if mistakes:
        raise SordinoErrors("the record", mistakes)
    return values


def _settle_conditions(
    values: dict[str, float | int], record: Mapping[Any, Any], attributes: Mapping[str, Attribute], wanted: list[str]
) -> Iterator[SordinoError]:
    for name in with_conditions([*wanted, *(name for name in record if attributes[name].only_if)], attributes):
        attribute = attributes[name]
        conditions = [other for other, _ in attribute.only_if]
        if not conditions:
            continue
        if any(other not in values for other in conditions):
            rule = "a record must have the answers that decide whether others are asked"
            yield SordinoError(rule, found=f"none for {conditions[0]!r}", step="write it under [record]")
            return
        known = {other: np.array([values[other]], dtype=np.intp) for other in conditions}
        asked, given = are_asked(attribute, attributes, known), np.array([name in record])
        kind = np.float64 if isinstance(attribute.domain, Interval) else np.intp
        read = np.array([values.get(name, 0)], dtype=kind)
        own, contradicts, lacks = settle(attribute, read, given, asked)
        if contradicts[0]:
            yield contradiction(attribute, f"the record's {name!r}")
        elif lacks[0]:
            rule = "a record must have a value for each attribute that is asked"
            yield SordinoError(rule, found=f"none for {name!r}", step="write one under [record]")
        values[name] = own[0].item()


def _value(value: Any, attribute: Attribute) -> float | int:
    match attribute.domain:
        case Interval() as ends:
            return _number(value, attribute, ends)
        case Grid() as grid:
            return _cell(value, attribute, grid)
        case Choices() as choices:
            return _combination(value, attribute, choices)
        case Categories(labels=range() as numbers):
            return _whole(value, attribute, len(numbers))
        case _:
            return _category(value, attribute)


def _category(value: Any, attribute: Attribute) -> int:
    labels = getattr(attribute.domain, "labels", ())
    if not isinstance(value, str) or value not in labels:
        raise no_category(attribute.name)
    return int(labels.index(value))


def _combination(value: Any, attribute: Attribute, choices: Choices) -> int:
    if value == choices.none:
        return 0
    if choices.not_asked is not None and value == choices.not_asked:
        return choices.unasked_value
    chosen = choices.value_of(value) if isinstance(value, list) else -1
    if chosen < 0:
        rule = f"the record's {attribute.name!r} must be a list of up to {choices.most} of its categories, each once"
        raise SordinoError(rule, found="another value", step="write them as the categories are named, [] for none")
    return chosen


def _whole(value: Any, attribute: Attribute, k: int) -> int:
    if type(value) is not int or not 0 <= value < k:
        rule = f"the record's {attribute.name!r} must be a whole number from 0 to {k - 1}"
        raise SordinoError(rule, found="a different value")
    return value


def _cell(value: Any, attribute: Attribute, grid: Grid) -> int:
    cell = -1
    if type(value) is int and 0 <= value < grid.k:
        cell = value
    elif isinstance(value, Mapping) and value.keys() == POSITION and all(map(_is_number, value.values())):
        degrees = (np.array([_float(value[name])]) for name in ("latitude", "longitude"))
        cell = int(grid.locate(*degrees)[0])
    if cell < 0:
        rule = f"the record's {attribute.name!r} must be a position on its map, or the number of a cell"
        step = "write { latitude = ..., longitude = ... }, in degrees"
        raise SordinoError(rule, found="a value that is neither", step=step)
    return cell


def _number(value: Any, attribute: Attribute, ends: Interval) -> float:
    """A number between the ends; one beyond them counts as the nearer end where the attribute has it so."""
    if attribute.is_date:
        value = _days(value)
    if not _is_number(value):
        raise no_number(attribute.name, is_date=attribute.is_date)
    number = _float(value) + 0.0  # no negative zero
    if attribute.clip and math.isfinite(number):
        return min(max(number, ends.low), ends.high)
    require_within(number, attribute.name, ends, is_date=attribute.is_date)
    return number


def _days(value: Any) -> Any:
    """The days since 1970-01-01 of a date, or of the text of one; whatever else it is as it is."""
    day = date_of(value) if isinstance(value, str) else value
    return day.toordinal() - EPOCH if isinstance(day, date) and not isinstance(day, datetime) else value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def no_category(name: str) -> SordinoError:
    """The refusal of what is none of an attribute's categories."""
    return SordinoError(
        f"the record's {name!r} must be one of its categories",
        found="an unknown category",
        step="write it as the categories are named",
    )


def no_number(name: str, *, is_date: bool = False) -> SordinoError:
    """The refusal of what is no number, or no date where one is asked for."""
    if is_date:
        rule = f"the record's {name!r} must be a date"
        return SordinoError(rule, found="a value of a different type", step="write it as 1980-05-31")
    return SordinoError(
        f"the record's {name!r} must be a number",
        found="a value of a different type",
        step="write it without quotes, in its unit",
    )


def require_within(number: float, name: str, ends: Interval, *, is_date: bool = False) -> None:
    """Refuse a number that is not between the ends.

    Raises:
        SordinoError: without the number.
    """
    if not ends.low <= number <= ends.high:
        low, high = map(iso_date if is_date else "{:g}".format, (ends.low, ends.high))
        rule = f"the record's {name!r} must lie between {low} and {high}"
        raise SordinoError(rule, found="a date out of range" if is_date else "a number out of range")
