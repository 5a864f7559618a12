"""A survey in four languages in Chromium: each way of answering by keyboard alone, consent, languages, and axe-core."""

from io import BytesIO
from itertools import product
from pathlib import Path

import pytest
from matplotlib.image import imread

from axe import violations
from collectors import asked, collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

SURVEY = Path(__file__).parents[3] / "examples" / "travel" / "survey.toml"
LANGUAGES = ("en", "de", "fr", "es")
TITLES = {"en": "How we travel", "de": "Wie wir unterwegs sind"}
WIDTHS = (320, 400, 1400)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    plan = Plan.of(Survey.load(SURVEY), 1000)
    with collecting(plan, tmp_path_factory.mktemp("collector") / "reports.sqlite") as (address, _):
        yield address


@pytest.fixture
def opened(chromium):
    """Opens an address in a window of its own, in a language, at a width; nothing goes wrong there."""
    contexts, wrong = [], []

    def open_page(address, width=400, scheme="light", locale="en-US", **more):
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, locale=locale, **more
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: wrong.append(error))  # noqa: PLW0108 - Playwright takes no built-in function
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def status(page):
    return page.locator("#status")


def count(address):
    return int(asked(f"{address}/progress").split(b'"reports":')[1].split(b",")[0].strip(b"}"))


def focused(page, what):
    return page.evaluate(f"document.activeElement.{what}")


def tab_to(page, what, value):
    """Press Tab until something of the focused element is so."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if focused(page, what) == value:
            return
    pytest.fail(f"no {what} {value}")


def slide(page):
    """A slider, which is no answer where it stands first, and its number."""
    keys, number, slider = page.keyboard, page.get_by_label("Number (years)"), page.get_by_role("slider")
    slider.focus()
    assert number.input_value() == ""
    assert slider.get_attribute("aria-valuetext") == "not answered yet"
    keys.press("ArrowRight")
    assert number.input_value() == "59"
    assert slider.get_attribute("aria-valuetext") == "59 years"
    keys.press("Tab")
    keys.press("Control+A")
    keys.insert_text("44")
    assert slider.input_value() == "44"


def date(page):
    """A date, and the box that takes its place."""
    page.keyboard.press("Tab")
    page.keyboard.type("02282001")
    own = page.locator("input[type=date]")
    assert own.input_value() == "2001-02-28"
    tab_to(page, "type", "checkbox")
    page.keyboard.press("Space")
    assert own.input_value() == ""


def search(page):
    """A list that is searched."""
    keys, box = page.keyboard, page.get_by_role("combobox")
    keys.type("TRAM")
    assert page.get_by_role("option").all_inner_texts() == ["tram A", "tram B", "tram C"]
    for key, active in (("ArrowDown", "tram A"), ("End", "tram C"), ("Home", "tram A"), ("ArrowUp", "tram C")):
        keys.press(key)
        own = focused(page, "getAttribute('aria-activedescendant')")
        assert page.locator(f"#{own}").inner_text() == active
        assert page.locator(".options .active").inner_text() == active
    keys.press("Enter")
    assert (box.input_value(), box.get_attribute("aria-expanded")) == ("tram C", "false")
    keys.press("ArrowDown")
    assert page.locator(".options .active").inner_text() == "tram C"
    keys.press("Escape")
    keys.press("Escape")
    assert box.input_value() == ""
    keys.type("2")
    keys.press("ArrowDown")
    keys.press("Enter")
    assert box.input_value() == "bus 2"


def test_every_kind_of_question_is_answered_by_keyboard_alone(collector, opened):
    page = opened(f"{collector}/form")
    keys, sent = page.keyboard, []
    page.on("request", lambda one: sent.append(one.post_data_buffer) if one.method == "POST" else None)
    tab_to(page, "id", "field-0")
    for key in ("Space", "Tab", "Space"):
        keys.press(key)
    slide(page)
    date(page)
    # The map and its buttons stand before the degrees.
    tab_to(page, "id", "field-4")
    keys.insert_text("41.5")
    keys.press("Tab")
    keys.insert_text("-100,5")
    assert page.locator("#page").inner_text() == "Page 1 of 2"
    keys.press("Tab")
    keys.press("Enter")
    assert (focused(page, "id"), page.locator("#page").inner_text()) == ("page", "Page 2 of 2")
    # Three of four, after which the fourth is out of reach; then those are taken back for "none of these".
    for key in ("Tab", "Space", "Tab", "Space", "Tab", "Space"):
        keys.press(key)
    assert page.get_by_label("A train").is_disabled()
    tab_to(page, "id", "field-5-none")
    keys.press("Space")
    assert not page.get_by_label("A bicycle").is_checked()
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowDown")
    assert page.get_by_label("By bus or tram").is_checked()
    keys.press("Tab")
    search(page)
    assert sent == []
    keys.press("Tab")
    keys.press("Space")
    keys.press("Tab")
    keys.insert_text("25,5")
    # The cards on the way have links and summaries.
    tab_to(page, "id", "consent")
    keys.press("Space")
    keys.press("Tab")
    before = count(collector)
    keys.press("Enter")
    status(page).filter(has_text="is counted once").wait_for()
    assert count(collector) == before + 1
    assert len(sent) == 1


def turn(page):
    """Answer the first page in whatever language, and go to the second."""
    for name in ("#field-0", "#field-1", "#field-3-none"):
        page.locator(name).check()
    page.locator("#field-2").fill("44")
    for place, degrees in enumerate(("41.5", "-100.5")):
        page.locator("fieldset:has(#field-4) input").nth(place).fill(degrees)
    page.locator(".next").click()
    page.locator(".send").wait_for()


def answer(page):
    page.get_by_label("In the middle").check()
    page.get_by_label("Yes, in a town").check()
    page.get_by_label("Number (years)").fill("44")
    page.locator("#field-3-none").check()
    page.get_by_label("Latitude").fill("41.5")
    page.get_by_label("Longitude").fill("-100.5")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("None of these").check()
    page.get_by_label("On foot").check()
    page.get_by_role("combobox").fill("NONE")
    page.get_by_label("No", exact=True).check()


def press(page, place):
    """Press a mouse on the middle of what is there, hold it for as long as people do, and let it go."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(120)
    page.mouse.up()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_drawn_without_consent_and_one_press_sends_after_it(collector, opened, width):
    page = opened(f"{collector}/form", width)
    sent = []
    page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    answer(page)
    before, button = count(collector), page.get_by_role("button", name="Send my report")
    press(page, button)
    status(page).filter(has_text="Your consent is needed. Nothing was sent.").wait_for()
    assert page.evaluate("document.activeElement.id") == "consent"
    names = page.evaluate("async () => (await indexedDB.databases()).map(({ name }) => name)")
    if names:
        assert page.evaluate(KEPT) == 0
    press(page, page.get_by_text("I agree"))
    assert page.locator("#consent").is_checked()
    press(page, button)
    status(page).filter(has_text="is counted once").wait_for()
    assert count(collector) == before + 1
    assert len(sent) == 1


KEPT = """() => new Promise((resolve) => {
  indexedDB.open("sordino", 1).onsuccess = ({ target }) => {
    const store = target.result.transaction("reports").objectStore("reports");
    store.count().onsuccess = (event) => resolve(event.target.result);
  };
})"""


def test_an_untouched_slider_is_no_answer(collector, opened):
    page = opened(f"{collector}/form")
    answer(page)
    page.get_by_role("button", name="Back").click()
    page.get_by_label("Number (years)").fill("")
    page.get_by_role("button", name="Next").click()
    status(page).filter(has_text="One answer needs a change: “How old are you?”. Nothing was sent.").wait_for()
    assert page.locator("#field-2-error").inner_text() == "Please move the slider, or write the number."
    assert page.evaluate("document.activeElement.type") == "range"


def test_words_that_are_no_choice_are_none(collector, opened):
    page = opened(f"{collector}/form")
    answer(page)
    page.get_by_role("combobox").fill("bus")
    page.locator("#consent").check()
    page.get_by_role("button", name="Send my report").click()
    status(page).filter(has_text="Which line do you use most?").wait_for()
    assert page.locator("#field-7-error").inner_text() == "Please choose one of the answers in the list."
    page.get_by_role("combobox").fill("bus 1")
    page.keyboard.press("Tab")
    assert page.locator("#field-7-error").inner_text() == ""


def test_a_mouse_opens_the_list_and_chooses(collector, opened):
    page = opened(f"{collector}/form", 1400)
    turn(page)
    press(page, page.get_by_label("Show all answers"))
    assert page.get_by_role("option").count() == 15
    press(page, page.get_by_role("option", name="the ferry"))
    assert page.get_by_role("combobox").input_value() == "the ferry"
    assert page.locator(".options").is_hidden()
    # The same choice stands there in another language.
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_role("heading", name=TITLES["de"], level=1).wait_for()
    assert page.get_by_role("combobox").input_value() == "die Fähre"


def test_a_language_is_the_persons_and_can_be_changed_without_losing_answers(collector, opened):
    page = opened(f"{collector}/form", locale="de-AT")
    page.get_by_role("heading", name=TITLES["de"], level=1).wait_for()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["de", "ltr"]
    assert page.title() == TITLES["de"]
    assert "31. Dezember 2030" in page.locator("dl").inner_text()
    turn(page)
    page.get_by_label("Zu Fuß").check()
    page.locator("#consent").check()
    page.get_by_role("button", name="English").click()
    page.get_by_role("heading", name=TITLES["en"], level=1).wait_for()
    assert page.title() == TITLES["en"]
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.evaluate("document.activeElement.textContent") == "English"
    assert page.get_by_label("On foot").is_checked()
    assert page.locator("#consent").is_checked()
    page.get_by_role("button", name="Back").click()
    assert page.get_by_label("Number (years)").input_value() == "44"
    assert page.get_by_role("slider").input_value() == "44"
    assert page.locator("#field-3-none").is_checked()
    # The address keeps it.
    page.reload()
    page.get_by_role("heading", name=TITLES["en"], level=1).wait_for()
    # Another one that the survey does not have: its first.
    other = opened(f"{collector}/form", locale="ja-JP")
    other.get_by_role("heading", name=TITLES["en"], level=1).wait_for()


def test_what_became_of_a_report_is_said_in_another_language_too(collector, opened):
    page = opened(f"{collector}/form?lang=en")
    answer(page)
    page.locator("#consent").check()
    page.route("**/reports", lambda route: route.abort())
    page.get_by_role("button", name="Send my report").click()
    status(page).filter(has_text="could not be reached").wait_for()
    page.get_by_role("button", name="Français").click()
    status(page).filter(has_text="Le serveur de collecte est injoignable.").wait_for()
    page.unroute("**/reports")
    page.get_by_role("button", name="Envoyer de nouveau").click()
    status(page).filter(has_text="compte une seule fois").wait_for()
    page.reload()
    status(page).filter(has_text="a déjà répondu").wait_for()


RIGHT_TO_LEFT = {
    "version": 1,
    "epsilon": "1",
    "about": {"title": {"ar": "كيف نتنقل", "en": "How we travel"}},
    "attribute": {"a": {"categories": ["yes", "no"], "text": "Q?", "labels": {"yes": {"ar": "نعم", "en": "Yes"}}}},
    "ask": [{"histogram": "a"}],
}


def test_texts_from_right_to_left_stand_among_the_forms_own(opened, tmp_path):
    with collecting(Plan.of(Survey.read(RIGHT_TO_LEFT), 100), tmp_path / "r.sqlite") as (address, _):
        page = opened(f"{address}/form?lang=ar")
        page.get_by_label("نعم").wait_for()
        assert page.evaluate("document.documentElement.lang") == "en"
        title = page.get_by_role("heading", level=1)
        assert (title.get_attribute("lang"), title.get_attribute("dir")) == ("ar", "rtl")
        verify = opened(f"{address}/verify", locale="ar-EG")
        verify.get_by_text("كيف نتنقل").wait_for()


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_its_screen_in_every_language(collector, opened, width):
    for language in LANGUAGES:
        page = opened(f"{collector}/form?lang={language}", width)
        page.locator(".next").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        turn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # What can reveal is shown in per cent above the button, and all else folded.
        card = page.locator("section.card")
        assert "%" in card.inner_text()
        assert card.get_by_role("img").get_attribute("aria-label").count("%") == 2
        assert card.locator("ul").is_hidden()


CASES = list(product(LANGUAGES, WIDTHS, ("light", "dark")))


@pytest.mark.parametrize(("language", "width", "scheme"), CASES)
def test_axe_finds_no_violation_on_the_form(collector, opened, language, width, scheme):
    # The policy of the page lets no other script in.
    page = opened(f"{collector}/form?lang={language}", width, scheme, bypass_csp=True)
    page.locator(".next").click()
    violations(page)
    turn(page)
    page.locator(".send").click()
    for folded in page.locator("summary").all():
        folded.click()
    page.get_by_role("combobox").press("ArrowDown")
    violations(page)


@pytest.mark.parametrize("name", ["verify", "dashboard"])
@pytest.mark.parametrize(("width", "scheme"), list(product((320, 1400), ("light", "dark"))))
def test_axe_finds_no_violation_beside_it(collector, opened, name, width, scheme):
    page = opened(f"{collector}/{name}", width, scheme, bypass_csp=True)
    page.get_by_text(TITLES["en"]).first.wait_for()
    violations(page)


def longest_row(picture):
    """The largest share of a row of pixels that differs from the corner's colour."""
    pixels = imread(BytesIO(picture))[..., :3]
    return (abs(pixels - pixels[0, 0]).max(axis=-1) > 0.4).mean(axis=1).max()


def test_a_button_and_a_slider_can_be_seen_where_the_system_chooses_the_colours(collector, opened):
    page = opened(f"{collector}/form", forced_colors="active")
    page.locator(".next").wait_for()
    border = page.locator(".send").evaluate(
        "(own) => [getComputedStyle(own).borderTopStyle, getComputedStyle(own).borderTopWidth]"
    )
    assert border == ["solid", "2px"]
    assert longest_row(page.get_by_role("slider").screenshot()) > 0.8


def test_what_is_asked_because_of_an_answer_is_asked_in_every_language_and_after_a_reload(collector, opened):
    page = opened(f"{collector}/form?lang=en")
    hidden = page.locator("#place fieldset[hidden]")
    page.locator("#place form").wait_for()
    page.get_by_label("for at most an hour").check()
    assert hidden.count() == 1
    turn(page)
    page.get_by_label("Yes", exact=True).check()
    assert hidden.count() == 0
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_role("button", name="Meine Meldung senden").wait_for()
    assert hidden.count() == 0
    page.reload()
    page.get_by_role("button", name="Weiter", exact=True).wait_for()
    assert hidden.count() == 0
    assert page.locator("#page").inner_text() == "Seite 1 von 2"


def test_a_page_is_turned_once_its_answers_are_right_and_the_last_one_sends(collector, opened):
    page = opened(f"{collector}/form")
    page.locator(".next").click()
    status(page).filter(has_text="5 answers need a change").wait_for()
    assert page.locator("#page").inner_text() == "Page 1 of 2"
    assert page.locator(".send").is_hidden()
    turn(page)
    assert status(page).inner_text() == ""
    assert page.evaluate("document.activeElement.id") == "page"
    assert page.locator(".next").is_hidden()
    assert page.locator("progress").evaluate("(own) => [own.value, own.max]") == [2, 2]
    page.get_by_role("button", name="Back").click()
    assert page.get_by_role("button", name="Back").is_hidden()
    # What is mended away on an earlier page is gone back to.
    page.locator("#field-2").fill("44")
    page.locator(".next").click()
    page.evaluate("document.getElementById('field-2').value = 'many'")
    page.locator(".send").click()
    status(page).filter(has_text="How old are you?").wait_for()
    assert page.locator("#page").inner_text() == "Page 1 of 2"
