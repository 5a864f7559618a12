"""What every view of results must keep, for those of Sordino and for a new one.

A view is made of reports of a few people by several small surveys: with tables and public groups, over time, and of one
question; with intervals of each kind. Where it applies, each output must have it; where it does not, it must say why.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from datetime import date
from functools import cache, partial
from math import isinf, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sordino.errors import SordinoError
from sordino.exact.messages import checked, shown
from sordino.show.html.block_sections import sections_of
from sordino.show.html.notebook import cell_html
from sordino.show.html.page import render
from sordino.show.terminal import PrintedTable, terminal_parts
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.survey_file import Survey
from sordino.survey.results.result import results
from sordino.testing.kind_check import KindMistake, attempt, people_of, raise_mistakes, release_fixed
from sordino.verbs.collect import aggregate
from sordino.verbs.plan_results import PlanEstimate
from sordino.views import VIEWS
from sordino.views.view import View, ViewRequest, Views, ViewSource

PEOPLE = 4000

REGIONS = ("north", "south")

OWN = {"questions", "rows", "plan", "n", "confidence"}
"""Names of a document that are the estimate's own."""

NUMBERS = ("estimate", "stderr", "low", "high", "fitted", "statistic", "p")
"""Of a row; a number that cannot be told is None or NaN."""

SMOKER = {"categories": ["yes", "no"]}
AGE = {"categories": ["young", "middle", "old"]}
PAY = {"number": {"low": 0, "high": 100, "bins": 4}}

WHOLE: Mapping[str, Any] = {
    "attribute": {"smoker": SMOKER, "age": AGE, "pay": PAY, "rent": {"number": {"low": 0, "high": 50}}},
    "public": {"region": {"categories": list(REGIONS), "totals": {"north": 50_000, "south": 20_000}}},
    "ask": [
        {"table": ["smoker", "age"]},
        {"histogram": "smoker"},
        {"mean": ["pay"]},
        {"covariance": ["pay", "rent"]},
        {"distribution": "pay"},
    ],
}
"""Tables, numbers that two questions estimate, and public groups whose totals are known."""

OVER_TIME: Mapping[str, Any] = {
    "attribute": {"smoker": SMOKER},
    "series": {"periods": 8, "every": "week", "start": date(2026, 1, 5)},
    "ask": [{"histogram": "smoker"}],
}

JOINED: Mapping[str, Any] = {
    "together": True,
    "attribute": {"smoker": SMOKER, "vegan": SMOKER, "tenant": SMOKER},
    "ask": [{"histogram": "smoker"}, {"histogram": "vegan"}, {"histogram": "tenant"}],
}

SINGLE: Mapping[str, Any] = {"attribute": {"smoker": SMOKER}, "ask": [{"histogram": "smoker"}]}

EVERYTHING = ViewRequest(
    by=["region"],
    margins={"age": {"young": 0.3, "middle": 0.4, "old": 0.3}},
    differences=[("smoker", "yes", "no")],
)


class ViewTrial(NamedTuple):
    """Estimates that views are made of.

    Attributes:
        way: what they are, in words.
        survey: that is asked.
        coverage: what intervals hold against.
        request: what is asked of views.
        is_compared: whether to an earlier collection, which is the same.
    """

    way: str
    survey: Mapping[str, Any]
    coverage: Coverage = Coverage()
    request: ViewRequest = ViewRequest()
    is_compared: bool = False


TRIALS = (
    ViewTrial("of a whole survey", WHOLE, request=EVERYTHING),
    ViewTrial("all together", WHOLE, Coverage(simultaneous=True), EVERYTHING),
    ViewTrial("watched", WHOLE, Coverage(watched=True), replace(EVERYTHING, smoothed=True)),
    ViewTrial("of people drawn in groups", WHOLE, Coverage(clusters="region"), ViewRequest(by=["region"])),
    ViewTrial("against forged reports", WHOLE, Coverage(forged=2)),
    ViewTrial("over time", OVER_TIME, is_compared=True),
    ViewTrial("over time, watched", OVER_TIME, Coverage(watched=True), ViewRequest(smoothed=True)),
    ViewTrial("of questions asked together", JOINED),
    ViewTrial("of questions asked together, all at once", JOINED, Coverage(simultaneous=True)),
    ViewTrial("of questions asked together, against forged reports", JOINED, Coverage(forged=2)),
    ViewTrial("of one question", SINGLE),
)


@checked
def check_view(view: type[View]) -> None:
    """Check a view in all that shows it.

    Args:
        view: the class, which stands in `VIEWS`.

    Raises:
        SordinoError: it does not stand there.
        SordinoErrors: all that does not hold.

    Example:
        >>> from sordino.views.share_differences import ShareDifferences
        >>> check_view(ShareDifferences)
    """
    if view not in VIEWS:
        known = ", ".join(one.__name__ for one in VIEWS)
        raise SordinoError("a view must stand in VIEWS", found=shown(view.__name__), step=f"there are {known}")
    raise_mistakes(f"the view {view.__name__}", list(_mistakes(view)))


def _mistakes(view: type[View]) -> Iterator[KindMistake]:
    if not view.name.isidentifier() or sum(one.name == view.name for one in VIEWS) > 1:
        yield KindMistake("a view must have a name of its own", shown(view.name))
    if unknown := view.settings - {one.name for one in fields(ViewRequest)}:
        yield KindMistake("settings of a view must be fields of ViewRequest", shown(sorted(unknown)))
    applies = False
    for trial in TRIALS:
        made: list[Views] = []
        yield from attempt(f"it must be made, {trial.way}", partial(_make, view, trial, made))
        for views in made:
            applies = applies or view.name in views
            yield from _shown_mistakes(view, trial.way, views)
    if not applies:
        found = "none of a whole survey, a series, questions asked together and one question"
        yield KindMistake("it must apply to some estimates", found)


def _make(view: type[View], trial: ViewTrial, made: list[Views]) -> None:
    source = _source(TRIALS.index(trial))
    request = replace(trial.request, before=source) if trial.is_compared else trial.request
    made.append(Views(replace(source, request=request), [view]))


@cache
def _source(trial: int) -> ViewSource:
    """What the views of a trial are made of, the same for all."""
    survey, coverage = TRIALS[trial].survey, TRIALS[trial].coverage
    plan = Plan.of(Survey.read({"version": 1, "epsilon": "8", **survey}), PEOPLE)
    people, rng = people_of(plan.attributes, PEOPLE), np.random.default_rng(3)
    for name, labels in zip(plan.cells.names, (part.labels for part in plan.cells.parts), strict=True):
        people = people.append_column(name, pa.array(rng.choice(labels, PEOPLE)))
    tally = aggregate(plan, release_fixed(plan, people))
    return ViewSource(plan, tally, results(plan, tally, None, coverage), coverage)


def _shown_mistakes(view: type[View], way: str, views: Views) -> Iterator[KindMistake]:
    """What a view must keep, of one trial."""
    if view.name not in views:
        if not views.absent[view.name].strip():
            yield KindMistake(f"a view that does not apply must say why, {way}", "nothing")
        return
    one: View = views[view.name]
    found, without = (
        PlanEstimate(views.source.plan, views.source.results, views.source.coverage, some)
        for some in (views, Views(views.source, []))
    )
    for rule, work in (
        ("its rows must be finite, in order, and hold their estimates", partial(_require_rows, one)),
        ("frames and files must have its rows", partial(_require_files, one, found, without)),
        ("JSON must have its document", partial(_require_json, one)),
        ("a terminal must show its blocks", partial(_require_terminal, one)),
        ("a page and a notebook must show its blocks", partial(_require_page, one, found, without)),
        ("its findings must be sentences", partial(_require_findings, one)),
    ):
        yield from attempt(f"{rule}, {way}", work)


def _require_rows(view: View) -> None:
    rows, fewer = list(view.rows()), list(view.rows(derived=False))
    if any(row not in rows for row in fewer):
        raise AssertionError("a row that stands only among those that others do not determine")
    for row in rows:
        texts = [row.get(name) for name in ("attribute", "value", "kind", "question")]
        if not all(isinstance(text, str) and text for text in texts):
            raise AssertionError(f"a row that is about {texts}")
        known = {name: row[name] for name in NUMBERS if row.get(name) is not None and not isnan(row[name])}
        if any(isinf(number) for number in known.values()):
            raise AssertionError(f"a row of {known}")
        if {"low", "high"} <= known.keys() and not known["low"] <= known.get("estimate", known["low"]) <= known["high"]:
            raise AssertionError(f"{known['estimate']} between {known['low']} and {known['high']}")


def _require_files(view: View, found: PlanEstimate, without: PlanEstimate) -> None:
    if view.places.rows is None:
        return
    own = len(list(view.rows())) + sum(table.count for table in view.tables())
    if found.to_arrow(derived=True).num_rows != without.to_arrow(derived=True).num_rows + own:
        raise AssertionError(f"a table without {own} rows of it")
    with tempfile.TemporaryDirectory() as folder:
        found.save(Path(folder) / "estimates.csv")


def _require_json(view: View) -> None:
    for document in (view.json(), view.live_json()):
        if not json.loads(json.dumps(document)) or document.keys() & OWN:
            raise AssertionError(f"a document of {sorted(document)}")


def _require_terminal(view: View) -> None:
    for part in view.parts():
        for printed in terminal_parts(part.blocks):
            if isinstance(printed, PrintedTable) and any(len(row) != len(printed.header) for row in printed.rows):
                raise AssertionError("rows that their header does not fit")


def _require_page(view: View, found: PlanEstimate, without: PlanEstimate) -> None:
    if not render("A view", "Its blocks.", sections_of(view.blocks())):
        raise AssertionError("nothing")
    pages = [_page_of(one) for one in (found, without)]
    if view.places.page is not None and pages[0] == pages[1]:
        raise AssertionError("a page without it")
    if view.places.notebook is not None and len(found.notebook_cell().parts) == len(without.notebook_cell().parts):
        raise AssertionError("a notebook's cell without it")
    cell_html(found)


def _page_of(found: PlanEstimate) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        found.page(path)
        return path.read_text(encoding="utf-8")


def _require_findings(view: View) -> None:
    for finding in view.findings():
        if not finding.text.rstrip().endswith("."):
            raise AssertionError(f"a finding {finding!r}")
