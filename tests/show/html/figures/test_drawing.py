"""Drawings as files and as elements of a page: the same bytes each time, texts as texts, nothing from elsewhere."""

import subprocess
import sys
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest

from commands import PATIENCE
from sordino import Grid
from sordino.show.html.figures.bars import Shares, bars
from sordino.show.html.figures.colours import GROUND, INK
from sordino.show.html.figures.drawing import area, inline, png, sheet, svg
from sordino.show.html.figures.maps import maps

EVIL = "<script>alert(\"1\")</script> & 'x' $y$"


def drawing(label="yes"):
    values = np.array([0.6, 0.4])
    return bars([label, "no"], Shares(values, values - 0.1, values + 0.1, values))


def test_an_svg_file_is_whole_and_names_nobody():
    content = svg(drawing(EVIL))
    root = ET.fromstring(content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert EVIL in [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert b"Matplotlib" not in content
    assert b"dc:date" not in content
    assert b"var(" not in content


def test_a_png_file_is_sharp():
    content = png(drawing())
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(content[16:20]) > 900


def test_files_have_what_a_light_page_has():
    (one,) = maps(Grid(0, 1, 0, 1, 1, 2), [np.array([0.5, 0.5])])
    assert len(ET.fromstring(inline(one, "words", "a")).findall(".//image")) == 4
    assert len(ET.fromstring(svg(one)).findall(".//{http://www.w3.org/2000/svg}image")) == 2


def test_the_same_drawing_is_the_same_bytes_in_another_process():
    program = (
        "import sys, numpy as np; from sordino.show.html.figures.bars import Shares, bars;"
        "from sordino.show.html.figures.drawing import *;"
        "v = np.array([0.6, 0.4]); d = lambda: bars(['yes', 'no'], Shares(v, v - 0.1, v + 0.1, v));"
        "sys.stdout.buffer.write(svg(d()) + inline(d(), 'w', 'n').encode());"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=PATIENCE).stdout
    assert found == svg(drawing()) + inline(drawing(), "w", "n").encode()


def test_nothing_global_is_touched():
    before = dict(mpl.rcParams)
    svg(drawing())
    png(drawing())
    assert dict(mpl.rcParams) == before


def test_elements_of_a_page_follow_its_colours_and_letters():
    text = inline(drawing(), "words", "a")
    assert "font-family" not in text
    assert GROUND not in text
    assert INK not in text
    assert "var(--ink)" in text
    assert "<style" not in text
    assert "<metadata" not in text
    assert ET.fromstring(text).attrib.keys() == {"viewBox", "role", "aria-label"}


def test_two_drawings_on_a_page_share_no_names():
    def ids(name):
        (one,) = maps(Grid(0, 1, 0, 1, 1, 2), [np.array([0.5, 0.5])])
        root = ET.fromstring(inline(one, "words", name))
        found = [node.get("id") for node in root.iter() if node.get("id")]
        assert len(set(found)) == len(found)
        uses = {node.get("href")[1:] for node in root.iter("use")}
        uses |= {node.get("clip-path")[5:-1] for node in root.iter() if node.get("clip-path")}
        assert uses <= set(found)
        return set(found)

    assert ids("a")
    assert not ids("a") & ids("b")


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(
    "label",
    [
        EVIL,
        "",
        "a\nb\tc\0\x1b[31m",
        "日本語の答え" * 9,
        "x" * 500,
        "\ud800",
        "\U0010ffff",
        "🙂",
        "العربية",
        "]]>",
        "&#0;",
    ],
)
def test_any_text_is_drawn_without_a_warning_and_escaped(label):
    root = ET.fromstring(inline(drawing(label), label, "a"))
    assert not root.findall(".//script")
    assert all(ord(letter) >= 32 for text in root.iter("text") for letter in text.text)
    svg(drawing(label))
    png(drawing(label))


def test_letters_stay_those_of_the_label_whatever_fonts_draw_here():
    text = inline(drawing("日本語 🙂 ಠ"), "日本語", "a")
    assert "日本語 🙂 ಠ" in text
    assert 'aria-label="日本語"' in text


def test_lengths_are_points():
    empty = sheet(440, 100)
    axes = area(empty, 20, 10, 400, 50)
    root = ET.fromstring(inline(empty, "words", "a"))
    assert root.get("viewBox") == "0 0 440 100"
    box = axes.get_window_extent()
    assert [box.x0, box.x1, 100 - box.y1, 100 - box.y0] == pytest.approx([20, 420, 10, 60])
