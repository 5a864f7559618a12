"""The page that moves (examples/gallery/map): its fit under Node against the package's, and its sliders in Chromium."""

import json
import os
import re
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import monotonic

import numpy as np
import pytest

from axe import violations
from commands import PATIENCE
from sordino import Plan, aggregate, estimate
from sordino.estimation.share_estimate import nearest_method
from sordino.papers.simulation import SimulationSource

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "examples" / "gallery" / "map"
DATA = json.loads((PAGE / "plans.json").read_text(encoding="utf-8"))
PEOPLE = np.array(DATA["people"])
TRUTH = PEOPLE / PEOPLE.sum()


def plan_at(block, epsilon):
    """Of a position of the sliders; uniform without a block."""
    text = DATA["plans"]["uniform"][epsilon] if block is None else DATA["plans"]["blocks"][f"{block} {epsilon}"]
    return Plan.of_text(text, "the page's plan")


def distance(plan, seed):
    """Total variation of what the package estimates from a collection of its own."""
    cells = np.repeat(np.arange(len(PEOPLE)), PEOPLE)
    codes = plan.sampled.privatize([cells], SimulationSource(seed))
    mechanism = plan.questions[0].mechanism
    found = estimate(mechanism, aggregate(mechanism, codes), method=nearest_method(mechanism))
    return np.abs(found.by_method - TRUTH).sum() / 2


COLLECT = """
import {{ readFileSync }} from "node:fs";
const {{ collect }} = await import({module!r});
const texts = JSON.parse(readFileSync(0, "utf8"));
const found = [];
for (const text of texts) found.push(await collect(text, {people}));
console.log(JSON.stringify(found));
"""

POSITIONS = [(None, "1"), (2, "1/4"), (4, "1"), (4, "3"), (6, "1/2"), (12, "2")]


def test_what_it_fits_is_what_the_package_fits_of_the_same_tally(tmp_path):
    """Masks, runs and translates, in blocks and on the whole map: every kind of tally that the page counts."""
    plans = [plan_at(*position) for position in POSITIONS]
    script = COLLECT.format(module=str(PAGE / "collect.js"), people=PEOPLE.tolist())
    command = ["node", "--input-type=module", "--eval", script]
    texts = json.dumps([plan.bytes.decode() for plan in plans])
    done = subprocess.run(command, input=texts, capture_output=True, text=True, timeout=PATIENCE, check=True)
    for plan, found in zip(plans, json.loads(done.stdout), strict=True):
        tally = tmp_path / f"{plan.hash[7:]}.json"
        document = {"format": "sordino aggregate", "version": 1, "plan": plan.hash, "counts": found["counts"]}
        tally.write_text(json.dumps(document), encoding="utf-8")
        method = nearest_method(plan.questions[0].mechanism)
        rows = estimate(plan, aggregate(plan, tally), method=method).to_arrow()
        assert rows.column("estimate").to_pylist() == pytest.approx(found["shares"], abs=1e-9)
        assert rows.column("fitted").to_pylist() == pytest.approx(found["fitted"], abs=1e-9)
        assert sum(found["fitted"]) == pytest.approx(1)


class QuietHandler(SimpleHTTPRequestHandler):
    """As `python -m http.server`, without its lines."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=ROOT)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/examples/gallery/map/"
        server.shutdown()


@pytest.fixture
def opened(chromium, address):
    """A function of a width and a scheme to the page; nothing goes wrong on it, and nobody else is asked."""
    contexts, wrong, heard = [], [], []

    def open_page(width, scheme="light"):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: wrong.append(error))  # noqa: PLW0108 - Playwright takes no built-in function
        page.on("request", lambda request: heard.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert {url.split("/examples/")[0].split("/src/")[0] for url in heard if not url.startswith("data:")} == {
        address.split("/examples/")[0]
    }


def picture(page, place):
    return page.locator("canvas").nth(place).evaluate("canvas => canvas.toDataURL()")


def printed(page, epsilon, block):
    """The distances of uniform protection and of Sordino, once the page has drawn both."""
    page.get_by_role("status").filter(has_text=f"At epsilon {epsilon}:").filter(
        has_text=f"{block} x {block}"
    ).wait_for()
    notes = [page.locator("figcaption .hint").nth(place).inner_text() for place in (1, 2)]
    return [float(re.fullmatch(r"total variation ([\d.]+)", note)[1]) for note in notes]


def test_sliders_change_the_pictures_and_print_what_python_estimates(opened):
    page = opened(1400)
    first, before = printed(page, 1, 4), [picture(page, place) for place in range(3)]
    # Of single collections the standard deviations are .022 and .012.
    for found, plan, far in zip(first, (plan_at(None, "1"), plan_at(4, "1")), (0.1, 0.06), strict=True):
        assert found == pytest.approx(np.mean([distance(plan, seed) for seed in range(4)]), abs=far)
    assert first[1] < first[0]
    # What people would read, by the plan's integers: 1 / (1 + 9 / e) is 23.2 %.
    assert page.get_by_text("give it at most 24%").count() == 2
    assert page.get_by_text("shows for certain which group your answer is in").count() == 1
    # By keyboard alone: larger blocks move Sordino's map only, a larger epsilon both.
    page.get_by_label("Size of a public block").focus()
    page.keyboard.press("ArrowRight")
    second, larger = printed(page, 1, 6), [picture(page, place) for place in range(3)]
    assert (second[0], larger[:2]) == (first[0], before[:2])
    assert second[1] > first[1]
    assert larger[2] != before[2]
    page.get_by_label("Epsilon").focus()
    page.keyboard.press("End")
    third = printed(page, 3, 6)
    assert all(now < then for now, then in zip(third, second, strict=True))
    # What was drawn is shown again as it was, until it is drawn anew.
    page.get_by_label("Epsilon").fill("2")
    assert printed(page, 1, 6) == second
    assert picture(page, 2) == larger[2]
    page.get_by_role("button", name="Draw anew").press("Enter")
    page.get_by_role("status").filter(has_text="Drawing").wait_for()
    printed(page, 1, 6)
    assert picture(page, 2) != larger[2]
    assert picture(page, 0) == before[0]


def move_often(page):
    for epsilon, block in ((5, 3), (0, 0), (3, 2), (1, 0), (4, 1)):
        page.get_by_label("Epsilon").fill(str(epsilon))
        page.get_by_label("Size of a public block").fill(str(block))


def test_collections_that_nobody_waits_for_any_more_are_ended(opened):
    page = opened(1000)
    printed(page, 1, 4)
    # Workers that never answer: whoever is gone was ended by the page.
    idle = {"content_type": "text/javascript", "body": "setInterval(() => {}, 1000);"}
    page.route("**/worker.js", lambda route: route.fulfill(**idle))
    started = []
    page.on("worker", lambda worker: started.append(worker))  # noqa: PLW0108 - Playwright takes no built-in function
    move_often(page)
    # The browser tells of beginnings and ends a moment after them, so that a number counts once it stays.
    deadline, stays = monotonic() + 60, 0
    while stays < 20 and monotonic() < deadline:
        page.wait_for_timeout(50)
        stays = stays + 1 if len(started) > 2 and len(page.workers) == 2 else 0
    assert len(started) > 2
    assert len(page.workers) == 2


def test_the_last_of_many_moves_is_what_it_shows(opened):
    page = opened(1000)
    move_often(page)
    found = printed(page, 2, 4)
    assert page.locator("figure[aria-busy=true]").count() == 0
    assert found == printed(page, 2, 4)
    assert found[1] == pytest.approx(distance(plan_at(4, "2"), 3), abs=0.06)


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark"), (320, "light")])
def test_it_fits_its_screen_and_breaks_no_rule_of_axe(opened, width, scheme):
    page = opened(width, scheme)
    printed(page, 1, 4)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    violations(page)
    if folder := os.environ.get("SORDINO_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/gallery-map-{width}.png", full_page=True)


def test_a_plan_that_was_changed_is_not_drawn(opened):
    """Its integers are checked before anything is drawn; the page says so, and goes on with another position."""

    def answer(route):
        held = json.loads((PAGE / "plans.json").read_text(encoding="utf-8"))
        text = held["plans"]["blocks"]["4 1"]
        held["plans"]["blocks"]["4 1"] = text.replace('"threshold":"8', '"threshold":"9')
        assert text != held["plans"]["blocks"]["4 1"]
        route.fulfill(json=held)

    page = opened(800)
    printed(page, 1, 4)
    page.route("**/plans.json", answer)
    page.reload()
    page.get_by_role("status").filter(has_text="could not be drawn").wait_for()
    page.get_by_label("Epsilon").press("End")
    assert printed(page, 3, 4)[1] < 0.2
