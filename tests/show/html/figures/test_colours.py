"""What has to be seen can be seen, on light and on dark screens: contrasts recomputed from the style and the images."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from sordino import Grid
from sordino.show.html.figures.colours import ROLES, scale
from sordino.show.html.figures.maps import maps
from sordino.show.html.figures.matrices import correlations
from sordino.show.html.page import render

SEEN, READ = 3, 4.5
"""WCAG 2.2: 1.4.11 for graphics, 1.4.3 for texts."""


def luminance(red, green, blue):
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one, other):
    high, low = sorted((luminance(*one), luminance(*other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def parsed(colour):
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


@pytest.fixture(params=["light", "dark"])
def screen(request):
    return request.param


@pytest.fixture
def role(screen):
    """The colours of a page by their names, as its style sheet has them."""
    page = render("", "", [])
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6});", found)) for found in re.findall(r":root \{(.*)\}", page))
    return {name: parsed(colour) for name, colour in (light if screen == "light" else dark).items()}


def test_each_role_has_one_colour_that_no_other_has():
    for column in zip(*ROLES.values(), strict=True):
        assert len(set(column)) == len(ROLES)
        assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in column)


@pytest.mark.parametrize("name", ["bar", "mark", "truth", "accent"])
def test_signs_are_seen_on_the_page(role, name):
    assert contrast(role[name], role["ground"]) >= SEEN


def test_intervals_are_seen_on_bars(role):
    assert contrast(role["mark"], role["bar"]) >= SEEN


@pytest.mark.parametrize("name", ["ink", "quiet", "accent"])
def test_texts_are_read(role, name):
    assert contrast(role[name], role["ground"]) >= READ


@pytest.mark.parametrize("count", range(1, 10))
def test_every_class_of_a_map_is_seen_on_its_sea(role, screen, count):
    colours = [tuple(map(int, colour[:3])) for colour in scale(count, screen)]
    against = [contrast(colour, role["sea"]) for colour in colours]
    assert min(against) >= SEEN
    assert against == sorted(against)
    assert len(set(colours)) == count


def test_the_cells_of_a_map_have_these_colours(role, screen, read):
    (drawing,) = maps(Grid(0, 10, 0, 20, 1, 5), [np.array([0, 1e-4, 1e-3, 1e-2, 0.9])])
    images = [node for node in read(drawing).all("image") if node.get("class") == screen]
    cells = imread(BytesIO(b64decode(images[0].get("href").partition(",")[2]))) * 255
    assert cells[0, 0, 3] == 0
    assert (cells[0, 1:, 3] == 255).all()
    against = [contrast(tuple(cell[:3]), role["sea"]) for cell in cells[0, 1:]]
    assert min(against) >= SEEN
    assert against == sorted(against)
    assert len(set(against)) == 4


def test_numbers_on_the_cells_of_correlations_are_read(read):
    for value in (-1, -0.75, -0.6, -0.3, 0, 0.3, 0.45, 0.6, 0.75):
        elements = read(correlations(["a", "b"], np.array([[1, value], [value, 1]])))
        cells = imread(BytesIO(b64decode(elements.all("image")[0].get("href").partition(",")[2]))) * 255
        inks = [re.search("#[0-9a-f]{6}", text.get("style") + "#000000")[0] for text in elements.all("text")[4:8]]
        for cell, ink in zip(cells.reshape(4, 4), inks, strict=True):
            assert contrast(tuple(cell[:3]), parsed(ink)) >= READ
