"""The page of a large survey: small, by the survey's sections, searched by one script, whole without it."""

import re
from base64 import b64encode
from hashlib import sha256

import pyarrow as pa
import pytest

import sordino

COUNT = 40
EVIL = "<script>alert(1)</script> & \"x\" 'y'"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    names = [f"q{place}" for place in range(COUNT)]
    attributes = {name: {"categories": ["a", "b", "c"], "text": f"What about {name}?"} for name in names}
    attributes["q0"]["labels"] = {"a": EVIL}
    attributes["number"] = {"number": {"low": 0, "high": 10}, "text": "How many?", "unit": "pieces"}
    sections = [
        {"title": "First part", "attributes": names[:30]},
        {"title": EVIL, "attributes": [*names[30:], "number"]},
    ]
    asked = {"version": 1, "epsilon": "4", "about": {"title": "Large"}, "section": sections, "attribute": attributes}
    plan = sordino.plan({**asked, "ask": [*({"histogram": name} for name in names), {"mean": "number"}]}, people=8000)
    people = {name: ["a", "b", "b", "c"] * 2000 for name in names} | {"number": [2.0, 4.0, 6.0, 8.0] * 2000}
    found = sordino.estimate(plan, sordino.aggregate(plan, sordino.privatize(plan, pa.table(people))))
    path = tmp_path_factory.mktemp("page") / "page.html"
    found.page(path)
    return found, path.read_text()


def test_a_question_takes_few_bytes_and_no_picture(page):
    found, text = page
    assert "<svg" not in text
    assert "data:image" not in text
    # A form of 439 questions has 600 kB: what all pages have, and less than 1.3 kB for each question.
    assert len(text.encode()) < 20_000 + 1_300 * len(found.results)


def test_it_goes_by_the_sections_of_the_survey(page):
    _, text = page
    titles = re.findall(r"<h2 id=\"section-\d+\">(.*?)</h2>", text)
    assert titles[:2] == ["What was found", "First part"]
    assert titles[2].startswith("&lt;script&gt;")
    first, second = (part.count("<tbody><tr>") for part in text.split('<section aria-labelledby="section-')[2:4])
    assert (first, second) == (30, 11)
    lead = text.split('<section aria-labelledby="section-2">')[0]
    assert "“What about q0?”: " in lead
    assert "“What about q30?”: " in lead


def test_each_number_stands_with_its_interval_in_per_cent_and_bars_in_bounds(page):
    found, text = page
    rows = re.findall(r"<tr><th scope=row>(.*?)</th><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", text)
    assert len(rows) == 3 * COUNT + 1
    for label, estimate, interval, bar in rows:
        if label == "“How many?” (pieces)":
            # A bar goes from 0 to 100 %, a mean has a scale of its own.
            assert bar == ""
            assert "%" not in estimate + interval
            continue
        assert re.fullmatch(r"-?[\d.]+ %", estimate)
        assert re.fullmatch(r"[\d.]+ to [\d.]+ %", interval)
        at, low, width = (float(number) for number in re.findall(r"--[xlw]:([\d.e-]+)", bar))
        assert 0 <= low <= at <= 100.5
        assert low + width <= 100.5
    values = found.results[0].numbers
    assert [float(estimate.removesuffix(" %")) for _, estimate, _, _ in rows[:3]] == pytest.approx(
        (100 * values["estimate"]).tolist(), abs=0.06
    )


def test_one_script_searches_and_nothing_comes_from_elsewhere(page):
    _, text = page
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        in text.replace("&#39;", "'")
    )
    assert not re.findall(r"https?://|src=|connect-src|fetch|innerHTML|eval|localStorage", text)
    # Without the script nothing is hidden but the search itself.
    assert re.findall(r"<[^>]* hidden>", text) == ['<form class="search" id="search" role="search" hidden>']
