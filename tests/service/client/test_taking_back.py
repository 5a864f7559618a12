"""An answer that is taken back in Chromium: by keyboard, in four languages, later, and while nothing arrives."""

import pytest

from axe import violations
from served import Collecting
from sordino import Plan, Survey
from sordino.document.invitation_list import InvitationList

pytestmark = pytest.mark.live

LETS_AXE_IN = True

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "about": {"title": {"en": "Habits", "de": "Gewohnheiten", "fr": "Habitudes", "es": "Costumbres"}},
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


LINK = "0123456789abcdef" * 2


@pytest.fixture
def inviting(tmp_path):
    """A collector that takes one report, by a link."""
    plan = Plan.of(Survey.read(SURVEY), 1000)
    InvitationList.of(plan.hash, [LINK]).save(tmp_path / "list.json")
    found = Collecting(tmp_path, plan, "--invitations", tmp_path / "list.json")
    yield found
    found.stop()


def opened(page, address):
    page.goto("about:blank")
    page.goto(address)


def test_a_report_that_arrived_by_a_link_is_taken_back_without_it(inviting, page):
    by_link = f"{inviting.address}/form#invitation={LINK}"
    opened(page, by_link)
    page.get_by_label("quokka").check()
    page.get_by_role("button", name="Send my report").click()
    told(page, "Your link counts one report")
    assert inviting.count == 1
    opened(page, f"{inviting.address}/form")
    told(page, "has answered this survey")
    page.get_by_role("button", name="Take my answer back").click()
    told(page, "Your answer is taken back")
    assert inviting.count == 0


def test_a_report_that_may_still_come_by_a_link_is_taken_back_by_it_alone(inviting, page):
    """Without the link the collector would know nothing of what is on its way, and count it later."""
    held, by_link = [], f"{inviting.address}/form#invitation={LINK}"
    page.route("**/reports", lambda route: (held.append(route.request), route.abort()))
    page.route("**/erase", lambda route: route.abort())
    opened(page, by_link)
    page.get_by_label("quokka").check()
    page.get_by_role("button", name="Send my report").click()
    told(page, "could not be reached")
    page.get_by_role("button", name="Take my answer back").click()
    told(page, "Not taken back yet")
    page.unroute("**/erase")
    erasures = []
    page.on("request", lambda one: erasures.append(one.url) if one.url.endswith("/erase") else None)
    opened(page, f"{inviting.address}/form")
    told(page, "Open the whole link that you were sent, and take it back there")
    page.get_by_role("button", name="Try again").click()
    told(page, "Open the whole link that you were sent, and take it back there")
    assert erasures == []
    opened(page, by_link)
    told(page, "Your answer is taken back")
    # What was on its way comes after all, and is not counted.
    page.unroute("**/reports")
    late = page.request.post(held[0].url, data=held[0].post_data_buffer, headers=held[0].all_headers())
    assert late.ok
    assert inviting.count == 0
