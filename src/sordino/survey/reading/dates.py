"""Dates as the ends of a number: days since 1970-01-01.

[attribute.moved]
number = { low = 1990-01-01, high = 2026-12-31 }
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from sordino.domain.answers.days import EPOCH
from sordino.errors import SordinoError

ENDS = ("low", "high")


def with_days(tables: Mapping[str, Any]) -> tuple[dict[str, Any], list[SordinoError]]:
    """A survey's tables with days in place of dates, given by a date where nothing else is said; and their mistakes."""
    attributes, mistakes = tables.get("attribute"), list[SordinoError]()
    if not isinstance(attributes, dict):
        return dict(tables), mistakes
    changed = dict(attributes)
    for name, attribute in attributes.items():
        number = attribute.get("number") if isinstance(attribute, dict) else None
        if not isinstance(number, dict):
            continue
        dates = [end for end in ENDS if isinstance(number.get(end), date)]
        if not dates:
            continue
        wrong = len(dates) < len(ENDS) or any(isinstance(number[end], datetime) for end in dates)
        if wrong:
            rule = f"attribute.{name}.number must have two dates as its ends, or two numbers"
            step = "write low = 1990-01-01, high = 2026-12-31"
            mistakes.append(SordinoError(rule, found=" and ".join(str(number.get(end)) for end in ENDS), step=step))
            # Nothing more is said about ends that were none.
            days = {end: float(i) for i, end in enumerate(ENDS)}
        else:
            days = {end: float(number[end].toordinal() - EPOCH) for end in ENDS}
        changed[name] = {"input": "date", **attribute, "number": {**number, **days}}
    return {**tables, "attribute": changed}, mistakes
