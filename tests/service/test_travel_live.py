"""From a survey in four languages to an analyst's files: links, forms by keyboard on a telephone, estimates by region.

It is the way that `make demo-live` goes, with its survey and its simulated people; some people answer in Chromium.
"""

import csv
import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from collectors import asked
from sordino import Plan, Survey
from sordino.once.agent.collector_address import CollectorAddress

pytestmark = pytest.mark.live

PATH = Path(__file__).parents[2] / "scripts" / "demo_live.py"
SPEC = importlib.util.spec_from_file_location("demo_live", PATH)
demo = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(demo)

DEVICES, WIDTH = 2000, 390
ARRIVED = {
    "en": "Your link counts one report.",
    "de": "Ihr Link zählt für eine Meldung.",
    "fr": "Votre lien compte pour un seul rapport.",
    "es": "Su enlace cuenta para un solo informe.",
}
REGIONS = {"en": "In the north", "de": "Im Norden", "fr": "Dans le nord", "es": "En el norte"}
GROUPS = {"north", "middle", "south"}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """A collector that runs, links that nobody has used, and the truth of the people whose devices have answered."""
    folder = tmp_path_factory.mktemp("travel")
    survey = Survey.load(demo.SURVEY)
    demo.sordino(folder, "plan", str(demo.SURVEY), "--people", str(DEVICES), "-o", "plan.json")
    plan, port = Plan.load(folder / "plan.json"), demo.free_port()
    url = f"http://127.0.0.1:{port}/plans/{plan.hash}"
    count = str(DEVICES + len(ARRIVED))
    demo.sordino(
        folder, "invite", "plan.json", "--count", count, "--url", url, "-o", "links.csv", "--hashes", "hashes.json"
    )
    links = [row["link"] for row in csv.DictReader((folder / "links.csv").read_text().splitlines())]
    people = list(demo.records(survey, DEVICES))
    with demo.collector(folder, port) as (address, token):
        demo.answer_all(folder, plan, [CollectorAddress.of(link) for link in links[len(ARRIVED) :]], iter(people))
        yield folder, address, token, links[: len(ARRIVED)], [one["record"] for one in people]


@pytest.fixture
def phone(chromium):
    """A telephone in a language; nothing goes wrong there, and nobody but the collector is asked."""
    contexts, wrong, hosts = [], [], set()

    def open_page(link, language):
        context = chromium.new_context(viewport={"width": WIDTH, "height": 844}, locale=language, has_touch=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: wrong.append(error))  # noqa: PLW0108 - Playwright takes no built-in function
        page.on("request", lambda one: hosts.add(one.url.split("/")[2]))
        page.goto(link)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert len(hosts) == 1


def tab_to(page, name):
    """Press Tab until an element has the focus, as who has no mouse does."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == name:
            return
    pytest.fail(f"no way to {name}")


def answer(page):
    """Answer every kind of question by keyboard alone, and agree."""
    keys = page.keyboard

    def press(*names):
        for name in names:
            keys.press(name)

    tab_to(page, "field-0")
    press("Space", "Tab", "Space", "ArrowDown")
    # A slider, and a date in whose place a box is ticked.
    keys.press("Tab")
    press("ArrowRight", "ArrowRight")
    tab_to(page, "field-3-none")
    keys.press("Space")
    tab_to(page, "field-4-map")
    press("ArrowUp", "+", "ArrowLeft", "ArrowLeft")
    # The next page.
    page.locator(".next").focus()
    keys.press("Enter")
    # Two of several; then a choice, a list that is searched, and a question that is asked because of an answer.
    tab_to(page, "field-5")
    press("Space", "Tab", "Space")
    tab_to(page, "field-6")
    press("Space", "ArrowDown", "Tab")
    keys.type("tram")
    press("ArrowDown", "Enter")
    assert page.locator("fieldset:has(#field-9)").is_hidden()
    tab_to(page, "field-8")
    press("Space", "Tab")
    assert page.evaluate("document.activeElement.id") == "field-9"
    keys.insert_text("25")
    tab_to(page, "consent")
    press("Space", "Tab")
    assert page.evaluate("document.activeElement.type") == "submit"


def progress(address):
    return json.loads(asked(f"{address}/progress"))


@pytest.mark.parametrize("language", ARRIVED)
def test_a_telephone_answers_by_keyboard_and_its_link_counts_once(collection, phone, language):
    _, address, _, links, _ = collection
    link = links[list(ARRIVED).index(language)]
    page = phone(link, language)
    page.get_by_label(REGIONS[language]).wait_for()
    assert page.evaluate("document.documentElement.lang") == language
    # What is sent as it is stands in the person's language among what a report can reveal.
    assert Survey.load(demo.SURVEY).public["region"].text[language] in page.locator("section.card").text_content()
    sent = []
    page.on("request", lambda one: sent.append(one.post_data_buffer) if one.method == "POST" else None)
    answer(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert sent == []
    before = progress(address)
    page.keyboard.press("Enter")
    page.locator("#status").filter(has_text=ARRIVED[language]).wait_for()
    assert len(sent) == 1
    after = progress(address)
    assert after["reports"] == before["reports"] + 1
    assert after["groups"]["region"]["north"] == before["groups"]["region"]["north"] + 1
    assert after["invitations_used"] == before["invitations_used"] + 1
    # The same link elsewhere is acknowledged, and counts nothing.
    again = phone(link, language)
    again.get_by_label(REGIONS[language]).wait_for()
    answer(again)
    again.keyboard.press("Enter")
    again.locator("#status").filter(has_text=ARRIVED[language]).wait_for()
    assert progress(address) == after


def test_the_dashboard_counts_invitations(collection, phone):
    _, address, *_ = collection
    page = phone(f"{address}/dashboard", "en")
    found = progress(address)
    used, given = (f"{found[name]:,}" for name in ("invitations_used", "invitations"))
    page.get_by_text(f"{used} of {given} invitations used").wait_for()
    assert found["invitations_used"] == found["reports"]


@pytest.fixture(scope="module")
def found(collection):
    """What `sordino estimate` says by region, and the files that it writes."""
    folder, address, token, _, _ = collection
    demo.analyse(folder, address, token)
    again = ["estimate", "plan.json", "tally.json", "--by", "region", "--json"]
    return json.loads(demo.sordino(folder, *again))


def test_every_quantity_is_estimated_by_region(found):
    assert {group["group"] for group in found["groups"] if group["estimated"]} == GROUPS
    of_region = {group: set() for group in GROUPS}
    for row in found["group_rows"]:
        of_region[row["group"]].add(row.get("attribute") or tuple(row["attributes"]))
    assert len(set(map(frozenset, of_region.values()))) == 1
    assert {row["minus"] for row in found["group_differences"]} == {"rest"}


def test_what_is_weighted_is_true_of_the_population(collection, found):
    """The totals are raked: of each region and settlement so many people, whoever sent reports."""
    people, survey = collection[4], Survey.load(demo.SURVEY)
    weights = np.ones(len(people))
    for _ in range(50):
        for name, column in survey.public.items():
            for label, total in column.totals.items():
                own = np.array([one[name] == label for one in people])
                weights[own] *= total / weights[own].sum()
    weights /= weights.sum()
    cells = [row for row in found["weighted"] if row.get("attributes") == ["way", "works"]]
    assert len(cells) == 10
    for row in cells:
        truth = weights[[[one["way"], one["works"]] == row["value"] for one in people]].sum()
        assert abs(row["estimate"] - truth) < 5 * row["stderr"]
    assert {(row["columns"], row["label"]) for row in found["response"]} >= {
        ("region", "north"),
        ("settlement", "town"),
    }


def test_what_goes_together_is_found_and_equal_regions_are_tested(found):
    (association,) = found["associations"]
    assert association["attributes"] == ["way", "works"]
    # Devices draw by the system's random words: how clear it is differs from run to run.
    assert 0 <= association["p"] <= 1
    tested = {test["tested"]: test["p_value"] for test in found["group_tests"]}
    # Homes differ from region to region: that is what regions are.
    assert tested["shares of home"] < 0.01
    assert len(tested) > 7


def test_files_for_other_tools_have_all_of_it(collection, found):
    folder = collection[0]
    rows = list(csv.DictReader((folder / "travel.csv").read_text().splitlines()))
    assert {row["group"] for row in rows} == {"", *GROUPS}
    assert {"cell", "mean", "share", "weighted", "group difference", "association"} <= {row["kind"] for row in rows}
    weighted = [row for row in rows if row["kind"] == "weighted" and row["question"] == "way, works"]
    told = [row["estimate"] for row in found["weighted"] if row.get("attributes") == ["way", "works"]]
    assert [float(row["estimate"]) for row in weighted] == pytest.approx(told, rel=1e-9)
    homes = json.loads((folder / "homes.geojson").read_text())
    assert len(homes["features"]) == 35
    page = (folder / "travel.html").read_text(encoding="utf-8")
    assert "How we travel" in page
    assert "Weighted by region and settlement" in page


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed (scripts/live.sh)")
def test_r_reads_the_file_with_nothing_else_installed(collection, found):
    folder = collection[0]
    run = [shutil.which("Rscript"), demo.TRAVEL / "travel.R", "travel.csv", "again.pdf"]
    said = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True).stdout
    for row in found["weighted"]:
        if row.get("attributes") == ["way", "works"]:
            own = re.escape(", ".join(row["value"])) + rf"\s+{100 * row['estimate']:.1f}\s"
            assert re.search(own, said), said
    assert (folder / "again.pdf").read_bytes().startswith(b"%PDF")
