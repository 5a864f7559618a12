"""Drawings read back as the elements of a page."""

import re
from xml.etree import ElementTree as ET

import pytest

from sordino.show.html.figures.drawing import inline

NARROW = 368
"""Pixels that a drawing has on a screen of 400."""


class Read:
    """The elements of a drawing."""

    def __init__(self, drawing):
        self.text = inline(drawing, "words", "name")
        self.root = ET.fromstring(self.text)
        self.width, self.height = map(float, self.root.get("viewBox").split()[2:])

    def all(self, tag):
        return list(self.root.iter(tag))

    @property
    def texts(self):
        return [text.text for text in self.all("text")]

    @property
    def letters(self):
        """Sizes of the letters in pixels where a screen has 400."""
        return [float(text.get("font-size")) * NARROW / self.width for text in self.all("text")]

    def style(self, role):
        """The elements that have the colour of a role."""
        return [node for node in self.root.iter() if f"var(--{role})" in node.get("style", "")]

    def corners(self, node):
        """The points of a path, each (across, down)."""
        return [tuple(map(float, pair)) for pair in re.findall(r"[ML] (\S+) (\S+)", node.get("d"))]


@pytest.fixture
def read():
    return Read


@pytest.fixture
def coarse(monkeypatch):
    """Files of fewer pixels, for tests that say nothing of how many there are."""
    monkeypatch.setattr("sordino.show.html.figures.drawing.DPI", 50)
