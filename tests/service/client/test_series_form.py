"""A series in Chromium: the form asks in the person's own period, and says when it is before and after."""

from datetime import UTC, datetime, time, timedelta

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
    "attribute": {"habit": {"categories": ["zebrafish", "quokka", "narwhal"]}},
    "ask": [{"histogram": "habit"}],
}
SECRETS = [f"{number:032x}" for number in range(12)]
SEND = {
    "en": "Send my report",
    "de": "Meine Meldung senden",
    "fr": "Envoyer mon rapport",
    "es": "Enviar mi informe",
}
LATER = {"en": "Your turn is", "de": "Sie sind an der Reihe", "fr": "Votre tour", "es": "Su turno"}
OVER = {"en": "Your turn was", "de": "Sie waren an der Reihe", "fr": "tait votre tour", "es": "Fue su turno"}


def today():
    return datetime.now(UTC).date()


@pytest.fixture(scope="module")
def plan():
    series = {"periods": 4, "every": "day", "start": today() - timedelta(days=1)}
    return Plan.of(Survey.read({**SURVEY, "series": series}), 1000)


@pytest.fixture(scope="module")
def collector(tmp_path_factory, plan):
    """Three links to each period."""
    folder = tmp_path_factory.mktemp("collector")
    InvitationList.of(plan.hash, SECRETS, [*plan.series.labels] * 3).save(folder / "list.json")
    found = Collecting(folder, plan, "--invitations", folder / "list.json")
    yield found
    found.stop()


def link(collector, plan, number, language="en", period=None):
    own = plan.series.label(number % 4 if period is None else period)
    return f"{collector.address}/form?lang={language}#invitation={SECRETS[number]}&period={own}"


def told(page, words):
    page.get_by_role("status").filter(has_text=words).wait_for()


@pytest.mark.parametrize("language", SEND)
def test_before_its_period_it_asks_and_sends_nothing(collector, plan, page, traffic, language):
    page.goto(link(collector, plan, 2, language))
    told(page, LATER[language])
    assert page.locator("form").count() == 0
    violations(page)
    assert traffic.uploads == []


@pytest.mark.parametrize("language", SEND)
def test_after_its_period_nothing_takes_its_place(collector, plan, page, traffic, language):
    page.goto(link(collector, plan, 0, language))
    told(page, OVER[language])
    assert page.locator("form").count() == 0
    violations(page)
    page.reload()
    told(page, OVER[language])
    # A link of the period that runs, or an address without one, is no way around.
    page.goto("about:blank")
    page.goto(link(collector, plan, 1, language))
    page.get_by_role("status").locator("xpath=self::*[@class='wrong']").wait_for()
    assert page.locator("form").count() == 0
    assert traffic.uploads == []


@pytest.mark.parametrize(("number", "language"), list(zip((1, 5, 9), SEND, strict=False)))
def test_in_its_period_it_asks_once_by_keyboard(collector, plan, page, traffic, number, language):
    before = collector.count
    page.goto(link(collector, plan, number, language))
    page.locator("form .turn").wait_for()
    assert "period" not in page.locator("fieldset").all_inner_texts()[0]
    assert page.locator("fieldset").count() == 1
    violations(page)
    page.get_by_label("quokka").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name=SEND[language]).focus()
    page.keyboard.press("Enter")
    page.locator("#take-back").wait_for()
    assert collector.count == before + 1
    # The id, a code, and the period.
    (upload,) = traffic.uploads
    assert upload[-1] == 1
    assert len(upload) == 18
    page.reload()
    page.locator("#take-back").wait_for()
    assert len(traffic.uploads) == 1


def test_a_page_that_stays_open_asks_when_the_period_begins(collector, plan, page, traffic):
    midnight = datetime.combine(today() + timedelta(days=1), time(), UTC)
    page.clock.install(time=midnight - timedelta(minutes=5))
    page.goto(link(collector, plan, 6))
    told(page, LATER["en"])
    page.clock.run_for(3 * 60_000)
    assert page.locator("form").count() == 0
    page.clock.run_for(4 * 60_000)
    page.locator("form .turn").wait_for()
    # The day passes while somebody thinks about it: what was not sent in time is not drawn.
    page.get_by_label("quokka").check()
    page.clock.run_for(24 * 60 * 60_000)
    page.get_by_role("button", name=SEND["en"]).click()
    told(page, OVER["en"])
    assert page.locator("form").count() == 0
    assert traffic.uploads == []


def test_a_device_with_another_day_is_refused_and_its_report_is_kept(collector, plan, page):
    before = collector.count
    page.clock.set_fixed_time(datetime.combine(today() + timedelta(days=2), time(12), UTC))
    page.goto(link(collector, plan, 7))
    page.get_by_label("quokka").check()
    page.get_by_role("button", name=SEND["en"]).click()
    told(page, "Not arrived yet")
    assert "a report must be of the period that runs" in page.locator("#place details").text_content()
    assert collector.count == before


@pytest.mark.parametrize("behind", ["", "&period=2020-01-01", "&period=none"])
def test_a_link_without_its_period_is_not_whole(collector, page, behind):
    page.goto(f"{collector.address}/form#invitation={SECRETS[3]}{behind}")
    told(page, "must name one of its periods")
    assert page.locator("form").count() == 0


def test_the_period_is_drawn_once_where_no_link_names_one(chromium, tmp_path):
    series = {"periods": 2, "every": "year", "start": today().replace(day=1)}
    found = Collecting(tmp_path, Plan.of(Survey.read({**SURVEY, "series": series}), 1000))
    try:
        states = set()
        for _ in range(12):
            context = chromium.new_context()
            page = context.new_page()
            seen = set()
            for _ in range(3):
                page.goto("about:blank")
                page.goto(f"{found.address}/form")
                page.locator("form .turn").or_(page.get_by_role("status").filter(has_text=LATER["en"])).wait_for()
                seen.add(page.locator("form").count())
            assert len(seen) == 1
            states |= seen
            context.close()
        assert states == {0, 1}  # chance 5e-4 of one alone
    finally:
        found.stop()
