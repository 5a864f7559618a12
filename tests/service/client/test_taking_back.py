"""An answer that is taken back in Chromium: by keyboard, in four languages, later, and while nothing arrives."""

import pytest

from axe import violations
from served import Collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

LETS_AXE_IN = True

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {"habit": {"categories": ["zebrafish", "quokka", "narwhal"]}},
    "ask": [{"histogram": "habit"}],
}
BUTTONS = {
    "en": ("Send my report", "Take my answer back", "Your answer is taken back"),
    "de": ("Meine Meldung senden", "Meine Antwort zurückziehen", "Ihre Antwort ist zurückgezogen"),
    "fr": ("Envoyer mon rapport", "Retirer ma réponse", "Votre réponse est retirée"),
    "es": ("Enviar mi informe", "Retirar mi respuesta", "Su respuesta se ha retirado"),
}


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    found = Collecting(tmp_path_factory.mktemp("collector"), Plan.of(Survey.read(SURVEY), 1000))
    yield found
    found.stop()


def answer(page, address, language="en"):
    page.goto(f"{address}/form?lang={language}")
    page.get_by_label("quokka").check()
    page.get_by_role("button", name=BUTTONS[language][0]).click()
    page.locator("#take-back").wait_for()


def told(page, words):
    page.get_by_role("status").filter(has_text=words).wait_for()


@pytest.mark.parametrize("language", BUTTONS)
def test_an_answer_is_taken_back_by_keyboard_and_none_follows(collector, page, traffic, language):
    before = collector.count
    answer(page, collector.address, language)
    assert collector.count == before + 1
    violations(page)
    _, label, done = BUTTONS[language]
    button = page.get_by_role("button", name=label)
    # What it cannot undo is read beside it.
    assert button.get_attribute("aria-describedby") == "take-back-hint"
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "take-back":
            break
    page.keyboard.press("Enter")
    told(page, done)
    assert page.evaluate("document.activeElement.id") == "status"
    assert collector.count == before
    sent, erased = traffic.uploads
    assert erased.decode() == f'{{"id":"{sent[:16].hex()}"}}'
    violations(page)
    page.reload()
    told(page, done)
    assert page.locator("#place button").count() == 0
    assert len(traffic.uploads) == 2


def test_it_is_taken_back_on_another_day(collector, page):
    before = collector.count
    answer(page, collector.address)
    page.goto("about:blank")
    page.goto(f"{collector.address}/form")
    told(page, "has answered this survey")
    page.get_by_role("button", name="Take my answer back").click()
    told(page, "Your answer is taken back")
    assert collector.count == before


def test_what_has_not_arrived_is_sent_no_more_and_deleted_as_soon_as_may_be(collector, page, traffic):
    before = collector.count
    # It arrives, and its receipt is lost; then nothing arrives.
    page.route("**/reports", lambda route: (route.fetch(), route.abort()))
    page.route("**/erase", lambda route: route.abort())
    answer(page, collector.address)
    told(page, "could not be reached")
    page.get_by_role("button", name="Take my answer back").click()
    told(page, "Not taken back yet")
    uploads = len(traffic.uploads)
    page.get_by_role("button", name="Deutsch").click()
    told(page, "Noch nicht zurückgezogen")
    page.reload()
    told(page, "Noch nicht zurückgezogen")
    assert collector.count == before + 1
    page.unroute("**/erase")
    page.get_by_role("button", name="Noch einmal versuchen").click()
    told(page, "Ihre Antwort ist zurückgezogen")
    assert collector.count == before
    assert all(body.startswith(b"{") for body in traffic.uploads[uploads - 1 :])


def test_a_window_that_sends_what_another_took_back_says_so(collector, page):
    """The first one's report is on its way meanwhile."""
    before = collector.count
    other = page.context.new_page()
    waiting = []
    page.route("**/reports", lambda route: waiting.append(route))  # noqa: PLW0108 - Playwright takes no built-in function
    page.goto(f"{collector.address}/form")
    page.get_by_label("quokka").check()
    with page.expect_request("**/reports"):
        page.get_by_role("button", name="Send my report").click()
    other.goto(f"{collector.address}/form")
    told(other, "has arrived")
    other.get_by_role("button", name="Take my answer back").click()
    told(other, "Your answer is taken back")
    waiting[0].continue_()
    told(page, "Your answer is taken back")
    assert collector.count == before
