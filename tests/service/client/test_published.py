"""What a stranger sees of a tally that a collector publishes, in Chromium."""

import json
from functools import partial

import pytest

from collectors import asked, collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "habit": {"categories": ["zebrafish", "quokka", "narwhal"]},
        "smoker": {"categories": ["yes", "no"]},
        "age": {"number": {"low": 18, "high": 90}},
    },
    "ask": [{"table": ["habit", "smoker"]}, {"mean": "age"}],
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


def reports(plan, first, last):
    codes = ((7 * n) % plan.sampled.outputs for n in range(first, last))
    return json.dumps({"reports": [{"id": f"{first + n:032x}", "code": str(code)} for n, code in enumerate(codes)]})


def answered(document, route):
    route.fulfill(status=200, json=document)


def told(page, address):
    page.goto(f"{address}/verify")
    page.locator("#published").wait_for()
    return page.locator("#published").inner_text()


def test_estimates_are_worked_out_and_held_against_the_collectors(tmp_path, plan, page):
    with collecting(plan, tmp_path / "reports.sqlite", 20, published=True) as (address, _):
        asked(f"{address}/reports", "POST", body=reports(plan, 0, 10))
        assert "estimates must be of 20 reports or more; found 10" in told(page, address)
        asked(f"{address}/reports", "POST", body=reports(plan, 10, 400))
        said = told(page, address)
        assert "from 400 reports" in said
        assert "The collector's estimates are the same." in said
        assert page.locator("#published tbody tr").count() == 7
        rows = {one.locator("th").inner_text(): one.locator("td") for one in page.locator("#published tbody tr").all()}
        known = json.loads(asked(f"{address}/estimates"))["rows"]
        for row in known:
            label = ", ".join(row["value"]) if isinstance(row["value"], list) else row["value"]
            value, _, stderr = rows[label].first.inner_text().partition(" ±\u00a0")
            assert float(value) == pytest.approx(row["estimate"], abs=row["stderr"] / 10)
            assert float(stderr) == pytest.approx(row["stderr"], rel=0.06)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        # Another number from the collector is seen.
        known[0]["estimate"] += 0.01
        told_rows = {"status": 200, "json": {"n": 400, "rows": known}}
        page.route(f"{address}/estimates", lambda route: route.fulfill(**told_rows))
        assert "The collector's estimates differ" in told(page, address)
        assert page.locator("#published").get_by_text("the same").count() == 6


MADE_OF_BINS = ("mean", "standard deviation")

NUMBERS = {
    "version": 1,
    "epsilon": "6",
    "attribute": {
        "age": {"number": {"low": 18, "high": 90}},
        "pay": {"number": {"low": 0, "high": 64, "bins": 4}},
        "rent": {"number": {"low": 0, "high": 9}, "missing": "0.3"},
    },
    "ask": [
        {"mean": "age"},
        {"mean": "rent"},
        {"distribution": "pay", "ranges": [[16, 64]], "quantiles": ["0.5"]},
        {"regression": {"target": "pay", "features": ["age"]}},
    ],
}


def test_each_kind_of_question_about_numbers_is_held_against_its_own_rows(tmp_path, page):
    plan = Plan.of(Survey.read(NUMBERS), 1000)
    with collecting(plan, tmp_path / "reports.sqlite", 20, published=True) as (address, _):
        asked(f"{address}/reports", "POST", body=reports(plan, 0, 900))
        said = told(page, address)
        assert "The collector's estimates are the same." in said
        rows = json.loads(asked(f"{address}/estimates"))["rows"]
        assert said.count("the same") == 1 + sum(
            "stderr" in row and row.get("value") not in MADE_OF_BINS for row in rows
        )
        [median] = [row for row in rows if "quantile" in row]
        assert f"{median['estimate']:.6g}, from {median['low']:g} to {median['high']:g}" in said
        # A quantile beyond what reports leave open, and a row under another one's name, are seen.
        for row, name, other in [(median, "high", median["low"]), (rows[0], "value", "rent")]:
            changed = [one | ({name: other} if one is row else {}) for one in rows]
            answer = partial(answered, {"n": 900, "rows": changed})
            page.route(f"{address}/estimates", answer)
            assert "The collector's estimates differ" in told(page, address)
            page.unroute(f"{address}/estimates", answer)


def test_what_is_not_published_is_said(tmp_path, plan, page):
    with collecting(plan, tmp_path / "reports.sqlite") as (address, _):
        asked(f"{address}/reports", "POST", body=reports(plan, 0, 10))
        assert "Only the analyst can see this tally" in told(page, address)
        assert page.get_by_text("The plan keeps its promises.").count() == 1
