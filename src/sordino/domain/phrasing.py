"""How an attribute is said to people in one language: its question, its values' labels, and its unit.

Stable names stand in files and in what programs read; what people read goes through here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Phrasing:
    """The words of one attribute, as far as the survey has them.

    Attributes:
        text: the question; empty where the attribute's name stands for it.
        labels: of values, by their names.
        unit: of a number; empty without one.

    Example:
        >>> said = Phrasing("How do you travel?", {"car": "By car"})
        >>> said.title("way"), said.value("car"), said.value("bus"), Phrasing().title("way")
        ('“How do you travel?”', 'By car', 'bus', 'way')
    """

    text: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""

    def title(self, name: str) -> str:
        """The question in quotation marks, or the attribute's name."""
        return f"\N{LEFT DOUBLE QUOTATION MARK}{self.text}\N{RIGHT DOUBLE QUOTATION MARK}" if self.text else name

    def value(self, name: str) -> str:
        """The label of a value."""
        return self.labels.get(name, name)

    def with_unit(self, text: str) -> str:
        """What a number is of, with its unit in brackets."""
        return f"{text} ({self.unit})" if self.unit else text
