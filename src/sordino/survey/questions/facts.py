"""What a question has of its plan, and what it says of itself in several numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sordino.domain.attribute import Attribute
from sordino.domain.interval import Interval
from sordino.domain.ranges import Ranges
from sordino.exact.nats import Nats
from sordino.query.sampled import Sampled
from sordino.survey.frozen.parts import ProtectPart

if TYPE_CHECKING:
    from sordino.estimation.mean_readings import MeanReadings


class PlanFacts(NamedTuple):
    """What a question has of its plan.

    Attributes:
        attributes: by name.
        protects: what is promised about the values of each, in the document's words; None where nothing is.
        places: the names in the order in which statistics name them.
        epsilon: the most that a report may tell about the whole record; None where attributes have no deltas.
        least: the smallest delta; None where attributes have none.
    """

    attributes: Mapping[str, Attribute]
    protects: Mapping[str, ProtectPart | None]
    places: tuple[str, ...]
    epsilon: Nats | None
    least: Nats | None


class MeanReading(NamedTuple):
    """How a question's reports tell the mean of a number that everybody has.

    Attributes:
        query: that is answered.
        place: of the number among those of the query.
        ranges: of its numbers.
        ends: of this one.
        known: what the plan expects to be read of the people; None where nothing is known.
    """

    query: Sampled
    place: int
    ranges: Ranges
    ends: Interval
    known: "MeanReadings | None"


class ForgedWeight(NamedTuple):
    """How much one forged report can weigh.

    Attributes:
        people: as many as these; infinite where reports do not depend on the values.
        within: in what, as words.
    """

    people: float
    within: str
