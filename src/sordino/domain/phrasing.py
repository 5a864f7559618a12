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
        is_shared: whether another attribute of the survey has the same text.

    Example:
        >>> said = Phrasing("How do you travel?", {"car": "By car"})
        >>> said.title("way"), said.value("car"), said.value("bus"), Phrasing().title("way")
        ('“How do you travel?”', 'By car', 'bus', 'way')
        >>> Phrasing("How do you travel?", is_shared=True).title("way")
        '“How do you travel?” (way)'
    """

    text: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    is_shared: bool = False

    def title(self, name: str) -> str:
        """The question in quotation marks, with the name where the question alone is not enough; or the name."""
        if not self.text:
            return name
        quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{self.text}\N{RIGHT DOUBLE QUOTATION MARK}"
        return f"{quoted} ({name})" if self.is_shared else quoted

    def quoted_title(self, name: str) -> str:
        """The title within a sentence, where a name stands in quotation marks too."""
        return self.title(name) if self.text else repr(name)

    def value(self, name: str) -> str:
        """The label of a value."""
        return self.labels.get(name, name)

    def with_unit(self, text: str) -> str:
        """What a number is of, with its unit in brackets."""
        return f"{text} ({self.unit})" if self.unit else text


NO_WORDS = Phrasing()
"""Of what the survey has no words for."""
