"""What a form costs on a slow telephone: requests, bytes and seconds to its first question, and again at a reload.

pytest -s prints them.
"""

import sys
from pathlib import Path
from time import monotonic

import pytest

from served import Collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

TRAVEL = Path(__file__).parents[3] / "examples" / "travel" / "survey.toml"
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Milliseconds, and bytes a second."""

MOST_REQUESTS, MOST_BYTES = 4, 90_000
MOST_SECONDS = 9.0
"""On a machine that does other things too; alone 3."""


class Loading:
    """A page that is opened slowly, and what it asks for: address, status (None if kept), bytes, who asks."""

    def __init__(self, page):
        self.page, self.answers = page, {}
        self.session = page.context.new_cdp_session(page)
        self.session.send("Network.enable")
        self.session.send("Network.emulateNetworkConditions", SLOW)
        self.session.on("Network.requestWillBeSent", self._ask)
        self.session.on("Network.responseReceivedExtraInfo", self._answer)
        self.session.on("Network.loadingFinished", self._finish)

    def _ask(self, event):
        if not event["request"]["url"].startswith("data:"):
            by = event["initiator"]
            asked = by.get("url") or (by.get("stack", {}).get("callFrames") or [{}])[0].get("url", "")
            self.answers[event["requestId"]] = [event["request"]["url"], None, 0, asked]

    def _answer(self, event):
        if event["requestId"] in self.answers:
            self.answers[event["requestId"]][1] = event["statusCode"]

    def _finish(self, event):
        if event["requestId"] in self.answers:
            self.answers[event["requestId"]][2] = event["encodedDataLength"]

    def to_question(self, go):
        """Seconds to a word about loading, and to the first question."""
        self.answers.clear()
        begun = monotonic()
        go()
        self.page.locator("#status:not(:empty)").wait_for()
        word = monotonic() - begun
        self.page.locator("#place form").wait_for()
        return word, monotonic() - begun


def show(summary, asked):
    sys.stdout.write("\n".join([summary, *map(str, asked), ""]))


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    found = Collecting(tmp_path_factory.mktemp("weight"), Plan.of(Survey.load(TRAVEL), 2000))
    yield found
    found.stop()


def test_a_slow_telephone_has_the_first_question_in_four_requests_of_90_kb(collector, chromium):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, locale="de-AT", has_touch=True)
    loading = Loading(context.new_page())
    said = []
    loading.page.on("console", lambda line: said.append(line.text))
    word, seconds = loading.to_question(lambda: loading.page.goto(f"{collector.address}/form", wait_until="commit"))
    # What a map draws is asked for by its question.
    asked = [one for one in loading.answers.values() if not one[0].endswith("outline.json")]
    sent = sum(size for _, _, size, _ in asked)
    show(f"{len(asked)} requests, {sent:,} bytes, a word in {word:.2f} s, a question in {seconds:.2f} s", asked)
    assert len(asked) <= MOST_REQUESTS
    assert sent <= MOST_BYTES
    assert {by for *_, by in asked} <= {"", f"{collector.address}/form"}, "one after another"
    assert loading.page.evaluate("document.documentElement.lang") == "de"
    assert word < seconds < MOST_SECONDS
    assert said == []
    loading.page.locator("path.land[d]").first.wait_for(state="attached")
    word, seconds = loading.to_question(lambda: loading.page.reload(wait_until="commit"))
    again = list(loading.answers.values())
    show(f"again: a word in {word:.2f} s, a question in {seconds:.2f} s", again)
    assert {status for _, status, *_ in again} <= {304, None}
    context.close()


def test_another_language_is_asked_for_when_it_is_wanted(collector, page, traffic):
    page.goto(f"{collector.address}/form?lang=en")
    page.locator("#place form").wait_for()
    assert not [one.url for one in traffic.requests if "catalogue" in one.url]
    page.get_by_role("button", name="Français").click()
    page.get_by_role("button", name="Suivant").wait_for()
    assert [one.url.rpartition("/")[2] for one in traffic.requests if "catalogue" in one.url] == ["fr.js"]
