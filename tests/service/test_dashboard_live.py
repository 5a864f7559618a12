"""The dashboard in Chromium while reports come in; `make screenshots` keeps its pictures for the README."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from collectors import asked, collecting
from sordino import Plan, Survey
from sordino.papers.simulation import SimulationSource
from waits import line_of, stop

pytestmark = pytest.mark.live

SURVEY = {
    "version": 1,
    "epsilon": "3",
    "attribute": {
        "home": {
            "grid": {"south": 40, "north": 48, "west": 0, "east": 12, "rows": 8, "columns": 12},
            "protect": {"blocks": [4, 4]},
        },
        "way to work": {"categories": ["bicycle", "bus", "car", "on foot"]},
    },
    "ask": [{"histogram": "home"}, {"histogram": "way to work"}],
}
PEOPLE, FIRST = 20_000, 12_000
DEMO = Path(__file__).parents[2] / "scripts" / "demo_live.py"


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), PEOPLE)


@pytest.fixture(scope="module")
def uploads(plan):
    """The reports of simulated people, the same in every run, as two uploads."""
    draw = np.random.default_rng(4)
    row, column = np.divmod(np.arange(96), 12)
    near = np.exp(-((row - 5) ** 2 + (column - 3) ** 2) / 6) + 0.5 * np.exp(-((row - 2) ** 2 + (column - 9) ** 2) / 3)
    homes, ways = draw.choice(96, PEOPLE, p=near / near.sum()), draw.choice(4, PEOPLE, p=(0.1, 0.25, 0.5, 0.15))
    codes = plan.sampled.privatize([homes, ways], SimulationSource(9))
    reports = [{"id": f"{place:032x}", "code": str(code)} for place, code in enumerate(codes)]
    return [json.dumps({"reports": part}) for part in (reports[:FIRST], reports[FIRST:])]


@pytest.fixture
def collector(tmp_path, plan, uploads):
    with collecting(plan, tmp_path / "reports.sqlite", 100) as (address, token):
        asked(f"{address}/reports", "POST", body=uploads[0])
        yield address, token


@pytest.fixture
def opened(chromium, collector):
    """A function of a width and a scheme to the dashboard; nothing is asked of anybody else, and nothing goes wrong."""
    contexts, wrong, heard = [], [], []

    def open_page(width, scheme):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: wrong.append(error))  # noqa: PLW0108 - Playwright takes no built-in function
        page.on("request", lambda request: heard.append(request.url))
        page.goto(f"{collector[0]}/dashboard")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert {url.partition("?")[0].rpartition("/")[0] for url in heard if not url.startswith("data:")} == {collector[0]}
    assert not any(collector[1] in url for url in heard)


def sign_in(page, token):
    page.get_by_label("The analyst's token").fill(token)
    page.get_by_label("The analyst's token").press("Enter")


def test_estimates_are_watched_while_reports_come_in(opened, collector, uploads):
    address, token = collector
    page = opened(1280, "light")
    page.get_by_text("12,000 of 20,000 reports expected").wait_for()
    assert page.locator("main table").count() == 0
    page.get_by_role("heading", name="What one report can reveal").wait_for()
    sign_in(page, "another")
    page.get_by_role("status").filter(has_text="needs a token").wait_for()
    assert page.locator("main table").count() == 0
    assert page.evaluate("document.activeElement.id") == "token"
    sign_in(page, token)
    page.get_by_text("you may watch them while reports come in").first.wait_for()
    page.get_by_role("heading", name="Map of home").wait_for()
    assert page.get_by_label("The analyst's token").input_value() == ""
    # What is opened and focused stays so when others come in.
    page.get_by_text("All that it can reveal").press("Enter")
    asked(f"{address}/reports", "POST", body=uploads[1])
    page.locator("header").get_by_text("20,000 reports about").wait_for()
    assert page.locator("main details").first.evaluate("each => each.open")
    assert page.evaluate("document.activeElement.localName") == "summary"
    page.get_by_text("One forged report can weigh").or_(page.get_by_text("forged report")).first.wait_for()
    assert token not in json.dumps(page.context.storage_state())
    page.get_by_role("button", name="Forget the token").press("Enter")
    assert page.locator("main table").count() == 0
    page.reload()
    page.get_by_label("The analyst's token").wait_for()


@pytest.mark.parametrize(("name", "width", "scheme"), [("wide", 1280, "light"), ("phone", 390, "dark")])
def test_it_fits_its_screen(opened, collector, tmp_path, name, width, scheme):
    page = opened(width, scheme)
    for signed_in in (False, True):
        if signed_in:
            sign_in(page, collector[1])
            page.get_by_role("heading", name="Map of home").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground.removeprefix("rgb(").rstrip(")").split(","))) < 200) == (scheme == "dark")
    folder = Path(os.environ.get("SORDINO_SCREENSHOTS", tmp_path))
    picture = folder / f"dashboard-{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 10_000


def test_the_demo_runs_until_it_is_stopped():
    command = [sys.executable, DEMO, "--devices", "100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        try:
            said = []
            while not said or "Ctrl-C" not in said[-1]:
                said.append(line_of(demo))
                assert said[-1], said
            addresses = [line.split()[-1].partition("#")[0] for line in said if re.search(":  +http://", line)]
            assert any(re.search("/form#invitation=[0-9a-f]{32}$", line) for line in said)
            for address in addresses:
                assert b"<!DOCTYPE html>" in asked(address) or b"<!doctype html>" in asked(address)
            assert b'"reports":100' in asked(addresses[0].removesuffix("/form") + "/progress")
            assert "nothing of it is left" in stop(demo)[0]
        finally:
            demo.kill()
    assert demo.returncode == 0
