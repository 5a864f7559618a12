"""Places of a survey file that `sordino import` leaves to whoever asks: what is promised, and what a form does not say.

epsilon = "CHOOSE"
[attribute.age]
number = { low = 18, high = "CHOOSE" }

Nothing is planned before all of them are set: a promise is made by people, never by a default that nobody looked at.
"""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from sordino.errors import SordinoError

CHOOSE = "CHOOSE"
"""What stands at such a place."""

READ = frozenset({"about", "section"})
READ_OF_ATTRIBUTE = frozenset({"text", "help", "unit", "labels"})
"""Settings that hold what people read, which may be any word."""

ENDS = "declare what people can answer, never what the data happen to hold"
SIDES = "take the place that people answer from, in degrees"
SIZE = "the smaller the cells, the more people each needs"

STEPS = {
    "epsilon": 'no report changes anybody\'s odds by more than e^epsilon; common values are "0.5" to "4"',
    "protect": "take the line out to protect all values alike, or name those that are sensitive",
    "delta": "what a report may reveal about this attribute, at most epsilon; take the line out for epsilon itself",
    "several": "say how many apply to one person at most, as several = 3",
    "missing": 'write the part of the people that is expected to skip it, as "0.1"; take the line out if nobody may',
    **dict.fromkeys(("low", "high"), ENDS),
    **dict.fromkeys(("south", "north", "west", "east"), SIDES),
    **dict.fromkeys(("rows", "columns"), SIZE),
}
"""What to do at a place, by the name of its setting."""


def open_choices(tables: Mapping[str, Any]) -> Iterator[SordinoError]:
    """What is left to be chosen in a survey's tables, whatever else is wrong with them."""
    attributes = tables.get("attribute")
    yield from _open_within(tables, "", READ | {"attribute"})
    for name, attribute in attributes.items() if isinstance(attributes, dict) else ():
        if isinstance(attribute, dict):
            yield from _open_within(attribute, f"attribute.{name}.", READ_OF_ATTRIBUTE)


def _open_within(table: Mapping[str, Any], within: str, texts: Container[str] = ()) -> Iterator[SordinoError]:
    for name, found in table.items():
        if name in texts:
            continue
        if found == CHOOSE:
            step = STEPS.get(name, "write what the survey should say there")
            yield SordinoError(f"{within}{name} must be chosen", found=f"{CHOOSE!r}, as an import leaves it", step=step)
        elif isinstance(found, dict):
            yield from _open_within(found, f"{within}{name}.")
