"""A survey as a kind of question sees it: its attributes and what is promised of them, without its questions."""

from collections.abc import Mapping
from typing import Protocol

from sordino.domain.attribute import Attribute
from sordino.exact.nats import Nats
from sordino.survey.attributes.attribute import AttributeTable


class AskedSurvey(Protocol):
    """The attributes of a survey."""

    @property
    def epsilon(self) -> Nats | None:
        """The loss that a report may cost."""

    @property
    def attribute(self) -> Mapping[str, AttributeTable]:
        """The attributes' tables by name."""

    @property
    def places(self) -> tuple[str, ...]:
        """The names in the order in which statistics name them."""

    def attribute_named(self, name: str) -> Attribute:
        """An attribute; with its delta where each is promised one of its own."""

    def delta(self, name: str) -> Nats:
        """The most that a report may tell about an attribute."""
