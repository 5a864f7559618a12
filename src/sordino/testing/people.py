"""People for a survey's attributes, as a table of them: every value is there, and some lack what may be missing."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sordino.domain.answers.choices import NONE, Choices
from sordino.domain.answers.condition import with_conditions
from sordino.domain.attribute import Attribute
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.exact.keyed import KeyedSource
from sordino.survey.planning.plan import Plan
from sordino.verbs.collect import privatize

LACKING = 0.1
"""The part of the people who lack what may be missing."""


def people_of(attributes: Mapping[str, Attribute], count: int) -> pa.Table:
    """A row for each of some people, always the same ones.

    Args:
        attributes: by name; each is independent of the others, but for who is asked.
        count: of the people.
    """
    rng = np.random.default_rng(11)
    columns = {name: _columns(attribute, count, rng) for name, attribute in attributes.items()}
    for name in with_conditions(attributes, attributes):
        for other, labels in attributes[name].only_if:
            (given,), (decides,) = columns[name].values(), columns[other].values()
            given[:] = [value if label in labels else None for value, label in zip(given, decides, strict=True)]
    return pa.table({name: values for own in columns.values() for name, values in own.items()})


def record_of(people: pa.Table, attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    """The first of them as a record's tables."""
    row = people.slice(0, 1).to_pylist()[0]
    values = {name: [row[column] for column in one.columns] for name, one in attributes.items()}
    named = {name: own[0] for name, own in values.items() if len(own) == 1 and own[0] is not None}
    places = {name: {"latitude": own[0], "longitude": own[1]} for name, own in values.items() if len(own) == 2}
    return {"version": 1, "record": named | places}


def _columns(attribute: Attribute, count: int, rng: np.random.Generator) -> dict[str, list[Any]]:
    domain = attribute.domain
    if isinstance(domain, Grid):
        latitude, longitude = rng.uniform(size=(2, count))
        north = domain.south + latitude * (domain.north - domain.south)
        east = domain.west + longitude * (domain.east - domain.west)
        return dict(zip(attribute.columns, (north.tolist(), east.tolist()), strict=True))
    if isinstance(domain, Interval):
        numbers = domain.low + rng.beta(2, 3, count) * domain.width
        values = [None if lacks else number for number, lacks in _with_lacking(numbers.tolist(), attribute, rng)]
    elif isinstance(domain, Choices):
        sizes = rng.integers(domain.most + 1, size=count)
        lists = [rng.choice(domain.labels, size, replace=False).tolist() for size in sizes]
        values = [None if lacks else own for own, lacks in _with_lacking(lists, attribute, rng)]
    else:
        places: NDArray[np.intp] = rng.integers(domain.k - (attribute.not_asked is not None), size=count)
        labels = [domain.label(int(place)) for place in places]
        values = [None if lacks else label for label, lacks in _with_lacking(labels, attribute, rng)]
    return {attribute.columns[0]: values}


def _with_lacking(values: list[Any], attribute: Attribute, rng: np.random.Generator) -> list[tuple[Any, bool]]:
    """Each value, and whether somebody lacks it."""
    lacking = rng.random(len(values)) < (LACKING if attribute.missing is not None else 0.0)
    return list(zip(values, lacking.tolist(), strict=True))


def with_missing(table: Mapping[str, Any]) -> dict[str, Any]:
    """An attribute that some people lack."""
    if "number" in table:
        return {**table, "missing": 0.1}
    if "several" in table:
        return {**table, "missing": NONE}
    labels = table.get("categories")
    return {**table, "missing": labels[-1]} if isinstance(labels, list) else dict(table)


def release_fixed(plan: Plan, people: pa.Table) -> pa.Table:
    """The same reports of these people in every run."""
    named = people.append_column("person", pa.array(range(people.num_rows)))
    return privatize(plan, named, KeyedSource(bytes(32), "check"), id_column="person")


def texts_in(setting: object) -> set[str]:
    """All texts of a setting, however deep; of a table those of its values."""
    if isinstance(setting, str):
        return {setting}
    inner = setting.values() if isinstance(setting, dict) else setting if isinstance(setting, list | tuple) else ()
    return {text for each in inner for text in texts_in(each)}
