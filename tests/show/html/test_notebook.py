"""A notebook's cell: names stay texts, nothing of it reaches the notebook, and each theme has its colours."""

import re
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import KeyedSource, Plan, SordinoError, Survey
from sordino.blocks.arrow_rows import ArrowRows
from sordino.errors import UnavailableError
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.show.html.figures.colours import variables

EVIL = "</style></div><script>alert(1)</script> {{ 7 * 7 }} \x1b[2J"
PEOPLE = 2000
DRAWN = {"estimate", "change", "shares", "many shares", "certificate", "plan certificate"}


def cell(name, people=PEOPLE):
    tables = {"version": 1, "epsilon": "1", "attribute": {name: {"categories": [name, "no"]}}}
    plan = Plan.of(Survey.read({**tables, "ask": [{"histogram": name}]}), people)
    source = KeyedSource(bytes(32), "cell").for_records(np.arange(people))
    return sordino.estimate(plan, plan.sampled.tally(plan.sampled.privatize([np.zeros(people, int)], source)))


def test_names_stay_texts_in_a_cell():
    html = cell(EVIL)._repr_html_()
    assert "<script" not in html
    assert "7 * 7" in html
    assert "\x1b" not in html
    assert html.count("</style>") == 1
    assert html.count("<div") == html.count("</div>")


def test_the_style_is_of_the_cell_alone():
    html = cell("smoker")._repr_html_()
    name = re.search(r'<div class="sordino" id="(s[0-9a-f]{12})">', html)[1]
    style = html.partition("<style>")[2].partition("</style>")[0]
    # All rules but those of colours stand within the one of the cell's own name.
    before, _, own = style.partition(f"#{name} {{")
    assert re.findall(r"^ *([^{}@\n]+) {", before, re.MULTILINE) == [
        ".sordino",
        ".sordino",
        '[data-jp-theme-light="true"] .sordino, .vscode-light .sordino',
        '[data-jp-theme-light="false"] .sordino, .vscode-dark .sordino',
    ]
    assert own.count("{") + 1 == own.count("}")
    assert before.count(variables(dark=True)) == before.count(variables(dark=False)) == 2


def test_parts_of_other_estimates_have_other_names():
    named = [set(re.findall(r'id="([^"]+)"', cell("smoker", people)._repr_html_())) for people in (PEOPLE, PEOPLE + 1)]
    assert all(named)
    assert not named[0] & named[1]


@pytest.fixture(scope="module")
def nouns():
    plan = sordino.plan(
        {
            "version": 1,
            "epsilon": "2",
            "attribute": {
                EVIL: {"categories": [EVIL, "no"], "delta": "1"},
                "age": {"number": {"low": 0, "high": 9}, "delta": "1"},
            },
            "ask": [{"histogram": EVIL}, {"mean": "age"}],
        },
        people=PEOPLE,
    )
    few = sordino.RandomizedResponse(3, "1")
    many = sordino.HadamardResponse(200, "1")
    people = pa.table({EVIL: [EVIL, "no"] * 1000, "age": [1.0, 2.0] * 1000})
    reports = sordino.privatize(plan, people)
    return {
        "plan": plan,
        "forecast": sordino.forecast(plan, people=10),
        "plan certificate": sordino.certify(plan),
        "estimate": sordino.estimate(plan, reports),
        "change": sordino.change(plan, reports, plan, reports),
        "certificate": sordino.certify(few, sordino.LDP("1")),
        "shares": sordino.estimate(few, few.tally([0, 1, 2, 2])),
        "many shares": sordino.estimate(many, many.tally(many.privatize(np.arange(200)))),
        "numbers": NormalEstimate(np.eye(9), np.full((9, 9), 0.1), 50),
        "number": NormalEstimate(np.array(1.0), np.array(0.1), 50),
        "mechanism": few,
        "large mechanism": many,
    }


def test_all_nouns_show_themselves_and_their_rows(nouns):
    for name, noun in nouns.items():
        html = noun._repr_html_()
        assert html.startswith('<div class="sordino"'), name
        assert "<script" not in html, name
        assert "7 * 7" in html or EVIL not in repr(noun), name
        assert html.count("<div") == html.count("</div>"), name
        assert not re.search(r'(?:src|href)="(?!#|data:)', html), name
        assert ("<svg" in html) == (name in DRAWN), name
        assert len(repr(noun).split("\n")) <= 14, name
        if isinstance(noun, ArrowRows):
            assert pa.table(noun).equals(noun.to_arrow()), name
            assert noun.to_polars().height == noun.to_arrow().num_rows > 0, name
    assert len({noun._repr_html_().partition('id="')[2][:13] for noun in nouns.values()}) == len(nouns)
    assert "<td" in nouns["mechanism"]._repr_html_()


def test_without_the_libraries_of_pages_a_notebook_shows_the_text(monkeypatch):
    found = cell("smoker")
    monkeypatch.delitem(sys.modules, "sordino.show.html.notebook", raising=False)
    for name in [name for name in sys.modules if name.startswith("sordino.show.html")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert found._repr_html_() is None
    with pytest.raises(UnavailableError, match="this needs the extra 'pages'; found no jinja2"):
        found.figure()


def test_a_figure_is_of_a_question_and_saved(nouns, tmp_path):
    found = nouns["estimate"]
    names = [question.name for question in found.plan.questions]
    assert found.figure(names[0]).words.startswith("Bars of 2 shares.")
    assert found.figure(number=1).words == found.figure(names[0]).words
    for ending, start in ((".svg", b"<?xml"), (".png", b"\x89PNG")):
        path = tmp_path / f"a{ending}"
        found.figure(names[0]).save(path)
        assert path.read_bytes().startswith(start)
        with pytest.raises(SordinoError, match=r"overwrit|exist"):
            found.figure(names[0]).save(path)
        found.figure(names[0]).save(path, overwrite=True)
    ET.fromstring(found.figure(names[0])._repr_svg_())
    for wrong in (
        {"question": "x"},
        {"question": names[0], "number": 2},
        {"number": 0},
        {"number": -1},
        {"number": "a"},
    ):
        with pytest.raises(SordinoError):
            found.figure(**wrong)
    with pytest.raises(SordinoError, match=r"must end in \.png or \.svg"):
        found.figure().save(tmp_path / "a.gif")
