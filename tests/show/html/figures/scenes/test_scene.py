"""What a scene draws stands where it is put, on pages and in files, and is drawn without measuring a text."""

from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.image import imread
from matplotlib.text import Text as LibraryText

from sordino.audit.region import allowed_errors
from sordino.show.html.figures.axes import LETTERS, WIDE
from sordino.show.html.figures.bars import Shares, bars, columns
from sordino.show.html.figures.colours import BAR, GROUND, MARK
from sordino.show.html.figures.density import curve, density
from sordino.show.html.figures.drawing import DPI, inline, png, svg
from sordino.show.html.figures.error_region import error_region
from sordino.show.html.figures.intervals import Sides, changes, points
from sordino.show.html.figures.scenes.legend import Mark
from sordino.show.html.figures.scenes.plane import Plane, ticks, with_room
from sordino.show.html.figures.scenes.scene import Circle, Outline, Scene, Text

VALUES = np.linspace(0.05, 0.3, 6)
THREE = VALUES, VALUES - 0.02, VALUES + 0.02
EDGES, WITHIN = np.linspace(0, 6, 7), np.concatenate([[0], VALUES.cumsum()]) / VALUES.sum()
FIGURES = {
    "bars": lambda: bars([*"abcdef"], Shares(*THREE, VALUES, VALUES)),
    "columns": lambda: columns(Shares(*THREE, VALUES), "x"),
    "points": lambda: points([*"abcdef"], THREE, "unit", zero=True),
    "changes": lambda: changes(
        [*"abcdef"], ["1"] * 6, Sides(THREE, THREE, THREE, THREE[1:], VALUES > 0.1), ("x", "y"), zero=True
    ),
    "errors": lambda: error_region(allowed_errors("1", "1"), allowed_errors("1/2", "1/2"), "yes", "no"),
    "density": lambda: density(EDGES, VALUES, "x"),
    "curve": lambda: curve(EDGES, WITHIN, (WITHIN, WITHIN), [(0.5, 3, 2, 4)], "x"),
}
"""Those that a page has for each of its questions."""


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_measured_for_a_page(name, monkeypatch):
    """A page of two hundred tables has four hundred figures: no library lays out their texts."""

    def fail(*_, **__):
        raise AssertionError

    for part in (Drawing, LibraryText):
        monkeypatch.setattr(part, "__init__", fail)
    root = ET.fromstring(inline(FIGURES[name](), "words", "a"))
    assert len(list(root.iter("text"))) >= 8


@pytest.mark.parametrize("name", FIGURES)
def test_no_place_is_beside_the_drawing(name, read):
    found = read(FIGURES[name]())
    for node in found.all("path"):
        for across, down in found.corners(node):
            assert 0 <= across <= found.width
            assert 0 <= down <= found.height
    for text in found.all("text"):
        assert 0 <= float(text.get("x")) <= found.width
        # Letters reach a fifth of their size below their base.
        assert float(text.get("y")) + 0.21 * float(text.get("font-size")) <= found.height
    assert min(found.letters) >= 10


@pytest.mark.parametrize("name", FIGURES)
def test_a_page_and_a_file_have_the_same_texts(name):
    scene = FIGURES[name]()
    texts = [text.text for text in ET.fromstring(inline(scene, "words", "a")).iter("text")]
    assert [text.text for text in ET.fromstring(svg(scene)).iter("{http://www.w3.org/2000/svg}text")] == texts


def test_shapes_have_their_colours_by_role_and_texts_are_escaped():
    scene = Scene(100, 50)
    scene.rectangle(10, 20, 30, 5.125, BAR)
    scene.add(
        Outline([[(0, 0), (10, 10)], [(5, 0), (5, 10)]], MARK, 1.5, dash=(4, 2), opacity=0.5),
        Circle(20, 30, 3, MARK, GROUND, 1),
        Text(50, 40, "a < b & \x1b", 12, "end"),
        Text(50, 40, "", 12),
    )
    assert inline(scene, 'say "yes"', "a") == (
        '<svg viewBox="0 0 100 50" role="img" aria-label="say &quot;yes&quot;">'
        '<path d="M 10 20 L 40 20 L 40 25.12 L 10 25.12 Z" style="fill: var(--bar)"/>'
        '<path d="M 0 0 L 10 10 M 5 0 L 5 10" style="fill: none; stroke: var(--mark); stroke-width: 1.5; '
        'stroke-dasharray: 4 2; opacity: 0.5"/>'
        '<circle cx="20" cy="30" r="3" style="fill: var(--mark); stroke: var(--ground); stroke-width: 1"/>'
        '<text x="50" y="40" font-size="12" style="text-anchor: end; fill: var(--ink)">a &lt; b &amp; \\x1b</text>'
        "</svg>"
    )


def test_a_file_of_pixels_has_what_the_scene_has():
    scene = Scene(100, 50)
    scene.rectangle(0, 0, 50, 50, BAR)
    scene.add(Circle(75, 25, 10, MARK))
    pixels = (imread(BytesIO(png(scene)))[..., :3] * 255).round().astype(int)

    def extent(colour):
        """Left, right, upper and lower end of what has a colour, in points from the upper left of the rectangle."""
        down, across = np.nonzero((pixels == [int(colour[at : at + 2], 16) for at in (1, 3, 5)]).all(axis=-1))
        # A margin of a tenth of an inch is around the drawing.
        return [72 * place / DPI - 7.2 for place in (across.min(), across.max(), down.min(), down.max())]

    assert extent(BAR) == pytest.approx([0, 50, 0, 50], abs=1)
    assert extent(MARK) == pytest.approx([65, 85, 15, 35], abs=1)


def test_numbers_beyond_a_plane_are_drawn_at_its_edge():
    plane = Plane(Scene(100, 100), 10, 20, 50, 40, (0, 1), (-1, 1))
    assert plane.x([-np.inf, 0, 0.5, 1, 7]).tolist() == [10, 10, 35, 60, 60]
    assert plane.y([-2, -1, 0, 1, np.inf]).tolist() == [60, 60, 40, 20, 20]
    # What is not a number has no place.
    Mark("dot", 7, MARK).draw(plane.scene, plane.x([np.nan, 0.5]), plane.y([0, 0]))
    assert len(plane.scene.parts) == 1
    assert Outline([[(0, 0), (np.nan, 1)], [], [(0, 0), (1, 1)]]).drawable_lines[0].tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e150, 1e-320])
def test_whatever_number_comes_the_others_are_drawn(number, read):
    low, high = THREE[1].copy(), THREE[2].copy()
    low[2], high[3] = number, number
    three = VALUES, low, high
    numbers = Sides(three, three, three, (low, high), VALUES > 0.1)
    for scene in (
        bars([*"abcdef"], Shares(*three, VALUES)),
        columns(Shares(*three), "x"),
        points([*"abcdef"], three, "unit", zero=True),
        changes([*"abcdef"], ["1"] * 6, numbers, ("x", "y"), zero=True),
    ):
        found = read(scene)
        assert len(found.all("circle")) >= 6
        assert "nan" not in found.text
        assert "inf" not in found.text


@pytest.mark.parametrize(
    ("numbers", "base", "ends"),
    [
        ([1, 3], None, (0.8, 3.2)),
        ([1, 3], 0, (0, 3.3)),
        ([-1, 1], 0, (-1.2, 1.2)),
        ([np.nan, np.inf, 2], None, (1, 3)),
        ([0], 0, (0, 1)),
        ([np.nan], None, (-0.1, 1.1)),
        ([5e9], None, (5e9 - 5e3, 5e9 + 5e3)),
    ],
)
def test_an_axis_holds_all_numbers_that_are_finite(numbers, base, ends):
    assert with_room([np.array(numbers, dtype=float)], 0.1, base=base) == pytest.approx(ends)


def test_ticks_are_round_and_within():
    assert ticks((0, 1), 5) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert ticks((-0.7, 12.3), 10, integer=True) == [0, 2, 4, 6, 8, 10, 12]


@pytest.mark.parametrize("first", [0, 1_950, 1_000_000, -123_456_789])
def test_numbers_of_many_digits_have_room_beside_each_other(first, read):
    found = read(columns(Shares(*THREE, VALUES), "x", first + np.arange(0, 60, 10.0)))
    (base, *_) = [float(text.get("y")) for text in found.all("text") if text.text.lstrip("\N{MINUS SIGN}").isdigit()]
    across = sorted(
        (float(text.get("x")), len(text.text)) for text in found.all("text") if float(text.get("y")) == base
    )
    assert len(across) >= 2
    size = LETTERS * WIDE
    for (left, letters), (right, more) in pairwise(across):
        assert right - left > (letters + more) / 2 * 0.62 * size
