"""A notebook's cell: names stay texts, nothing of it reaches the notebook, and each theme has its colours."""

import re

import numpy as np

import sordino
from sordino import KeyedSource, Plan, Survey
from sordino.show.html.figures.colours import variables

EVIL = "</style></div><script>alert(1)</script> {{ 7 * 7 }} \x1b[2J"
PEOPLE = 2000


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
