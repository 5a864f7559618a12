"""Pages of results in Chromium: axe-core finds no violation on any kind, opened to the last fold; none overflows."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from axe import violations
from sordino import aggregate, change, estimate, plan, privatize

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore::UserWarning")]

PEOPLE = 3000
YES_OR_NO = {"categories": ["yes", "no"]}
NUMBER = {"number": {"low": 0, "high": 100}}
DAYS = {"number": {"low": 0, "high": 20_000}, "input": "date"}
GRID = {"grid": {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 5, "columns": 14}}
ABOUT = {"title": "How we live"}

KINDS = {
    "histogram": ({"a": YES_OR_NO}, [{"histogram": "a"}]),
    "many": ({"a": {"categories": [f"kind {i}" for i in range(70)]}}, [{"histogram": "a"}]),
    "map": ({"home": GRID}, [{"histogram": "home"}]),
    "several": ({"a": {"categories": ["x", "y", "z"], "several": 2}}, [{"several": "a"}]),
    "table": ({"a": YES_OR_NO, "b": YES_OR_NO}, [{"table": ["a", "b"]}]),
    "tables": (dict.fromkeys("abcd", YES_OR_NO), [{"tables": {"of": [*"abcd"]}}]),
    "mean": ({"a": NUMBER, "b": DAYS}, [{"mean": ["a", "b"]}]),
    "covariance": ({"a": NUMBER, "b": NUMBER}, [{"covariance": ["a", "b"]}]),
    "regression": ({"a": NUMBER, "b": NUMBER}, [{"regression": {"target": "a", "features": ["b"]}}]),
    "distribution": ({"a": DAYS}, [{"distribution": "a", "quantiles": [0.5]}]),
}


def column(name, table):
    rng = np.random.default_rng(sum(name.encode()))
    if "grid" in table:
        return {"latitude": rng.uniform(26, 49, PEOPLE), "longitude": rng.uniform(-129, -61, PEOPLE)}
    if "number" in table:
        return {name: rng.uniform(0, 100, PEOPLE).round(2)}
    labels = table["categories"]
    chosen = [labels[at] for at in rng.integers(0, len(labels), PEOPLE)]
    return {name: [[label] for label in chosen] if "several" in table else chosen}


def collected(kind):
    """A plan and its reports; of a histogram by public groups."""
    attributes, ask = KINDS[kind]
    asked = {"version": 1, "epsilon": "8", "about": ABOUT, "attribute": attributes, "ask": ask}
    people = {}
    for name, table in attributes.items():
        people |= column(name, table)
    if kind == "histogram":
        asked["public"] = {"region": {"categories": ["north", "south"]}}
        people["region"] = ["north", "south"] * (PEOPLE // 2)
    frozen = plan(asked, people=PEOPLE)
    return frozen, privatize(frozen, pa.table(people))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for kind in KINDS:
        frozen, reports = collected(kind)
        by = ["region"] if kind == "histogram" else []
        estimate(frozen, aggregate(frozen, reports), by=by).page(folder / f"{kind}.html")
    change(*collected("table"), *collected("table")).page(folder / "change.html")
    return folder


@pytest.mark.parametrize("kind", [*KINDS, "change"])
@pytest.mark.parametrize(("width", "scheme"), list(product((320, 1400), ("light", "dark"))))
def test_axe_finds_no_violation_on_a_page_of_results(pages, chromium, kind, width, scheme):
    # The policy of the page lets no other script in.
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto((pages / f"{kind}.html").as_uri())
    assert ABOUT["title"] in page.get_by_role("heading", level=1).inner_text()
    for folded in page.locator("summary").all():
        folded.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    violations(page)
    context.close()


SHEET = 265
"""Millimetres of A4 between its margins."""


def test_no_figure_is_taller_than_a_printed_sheet(pages, chromium):
    context = chromium.new_context(viewport={"width": 673, "height": 1001})
    page = context.new_page()
    page.goto((pages / "many.html").as_uri())
    heights = "(all) => all.map((one) => one.getBoundingClientRect().height * 25.4 / 96)"
    assert max(page.locator("figure").evaluate_all(heights)) > SHEET
    page.emulate_media(media="print")
    assert max(page.locator("figure").evaluate_all(heights)) < SHEET
    context.close()
