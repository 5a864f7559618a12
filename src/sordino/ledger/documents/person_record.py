"""A person's own values, from a file on their device. No error ever holds one of them, nor a word of the file.

version = 1
[record]
age = 44
sleep = 7.5

A value is a number, or a category by its name.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sordino.document.checked_tables import VersionField, read_tables
from sordino.document.files import read_toml
from sordino.document.kinds import expecting
from sordino.domain.attribute import Attribute
from sordino.domain.interval import Interval
from sordino.errors import SordinoError, SordinoErrors
from sordino.ledger.documents.ledger_terms import LedgerTerms
from sordino.survey.frozen.parts import Part


class RecordTable(Part):
    """The file of a record.

    Attributes:
        version: of the format, 1.
        record: a value for each attribute.
    """

    version: VersionField
    record: dict[Any, Any]


@dataclass(frozen=True, repr=False)
class PersonRecord:
    """The values of one person, checked.

    Attributes:
        values: in the order of the terms' attributes; of a category its place.
    """

    values: tuple[float | int, ...]

    @classmethod
    def load(cls, path: Path | str, terms: LedgerTerms) -> "PersonRecord":
        """Read the file of a record.

        Raises:
            SordinoError: unreadable, or not a record of these terms; never with a value.
        """
        # The parser's words could quote the file.
        with expecting(Path(path), "record"):
            return cls.read(read_toml(Path(path), private=True), terms)

    @classmethod
    def read(cls, tables: dict[str, Any], terms: LedgerTerms) -> "PersonRecord":
        """Check the tables of such a file.

        Raises:
            SordinoErrors: all mistakes: another version, a missing, foreign or unfit value; never with a value, nor
                with a name that is not the ledger's.
        """
        record = read_tables(RecordTable, tables, "the record", private=True).record
        mistakes, values = [], []
        missing = [repr(name) for name in terms.names if name not in record]
        if missing:
            found = f"none for {', '.join(missing)}"
            mistakes.append(SordinoError("a record must have a value for each attribute", found=found))
        foreign = len(record.keys() - set(terms.names))
        if foreign:
            mistakes.append(SordinoError("a record must have the ledger's attributes only", found=f"{foreign} more"))
        for name in terms.names:
            try:
                values += [_value(record[name], terms.attributes[name])] if name in record else []
            except SordinoError as error:
                mistakes.append(error)
        if mistakes:
            raise SordinoErrors("the record", mistakes)
        return cls(tuple(values))

    def require_of(self, terms: LedgerTerms) -> None:
        """Check that it is a record of these terms: the same for every query, and before any is looked at.

        Raises:
            SordinoError: other attributes or a value outside its range or categories; never with a value.
        """
        if len(self.values) != len(terms.names):
            raise SordinoError("a record must have a value for each attribute", found="another number of values")
        for value, (name, attribute) in zip(self.values, terms.attributes.items(), strict=True):
            if isinstance(attribute.domain, Interval):
                if type(value) not in {int, float}:
                    raise _no_number(name)
                _require_within(value, name, attribute.domain)
            elif type(value) is not int or not 0 <= value < attribute.domain.k:
                raise _no_category(name)

    @property
    def row(self) -> NDArray[Any]:
        """As channels take it, shape (1, d)."""
        return np.array([self.values])

    def digest(self, key: bytes) -> str:
        """A keyed hash that equal records share: whoever has the key can try values, so both stay in the ledger."""
        return hmac.new(key, " ".join(float(value).hex() for value in self.values).encode(), sha256).hexdigest()


def _value(value: Any, attribute: Attribute) -> float | int:
    name, domain = attribute.name, attribute.domain
    if not isinstance(domain, Interval):
        labels = [domain.label(index) for index in range(domain.k)]
        if not isinstance(value, str) or value not in labels:
            raise _no_category(name)
        return labels.index(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _no_number(name)
    try:
        number = float(value) + 0.0  # no negative zero
    except OverflowError:
        number = float("inf")
    _require_within(number, name, domain)
    return number


def _no_category(name: str) -> SordinoError:
    return SordinoError(f"the record's {name!r} must be one of its categories", found="another value")


def _no_number(name: str) -> SordinoError:
    return SordinoError(f"the record's {name!r} must be a number", found="something else")


def _require_within(number: float, name: str, attribute: Interval) -> None:
    if not attribute.low <= number <= attribute.high:
        raise SordinoError(
            f"the record's {name!r} must lie between {attribute.low:g} and {attribute.high:g}", found="another number"
        )
