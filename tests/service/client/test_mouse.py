"""The form under a mouse, whose button goes down and up: what is pressed is pressed, whatever was said before."""

import pytest

from collectors import collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "home": {"grid": {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 4, "columns": 6}},
        "age": {"number": {"low": 18, "high": 90}},
        "habit": {"categories": ["zebrafish", "quokka", "narwhal"]},
    },
    "ask": [{"histogram": "home"}, {"mean": "age"}, {"histogram": "habit"}],
}


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


@pytest.fixture(params=[400, 1400])
def form(request, chromium, tmp_path, plan):
    """A page with a form, and the uploads that it sent."""
    context = chromium.new_context(viewport={"width": request.param, "height": 2600})
    page, sent = context.new_page(), []
    page.set_default_timeout(60_000)
    page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    with collecting(plan, tmp_path / "reports.sqlite") as (address, _):
        page.goto(f"{address}/form")
        yield page, sent
        context.close()


def press(page, place):
    """Press a mouse on the middle of what is there, hold it for as long as people do, and let it go."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(120)
    page.mouse.up()


def button(page):
    return page.get_by_role("button", name="Send my report")


def write(page, label, text):
    """Write as a keyboard does, so that the field keeps the focus and has not changed yet."""
    page.get_by_label(label).focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def refused(page, sent, latitude, age, habit="quokka"):
    """Answers of which some are wrong: nothing is sent, and something is said."""
    write(page, "Latitude", latitude)
    write(page, "Longitude", "-117.4375")
    write(page, "Your answer", age)
    if habit:
        page.get_by_label(habit).check()
    press(page, button(page))
    page.get_by_role("status").filter(has_text="Nothing was sent").wait_for()
    assert sent == []


def arrived(page, sent):
    page.get_by_role("status").filter(has_text="is counted once").wait_for()
    assert len(sent) == 1


def test_one_press_sends_what_was_just_mended(form):
    page, sent = form
    refused(page, sent, "4236", "47")
    write(page, "Latitude", "42.36")
    press(page, button(page))
    arrived(page, sent)


def test_one_press_sends_when_the_last_of_several_is_mended(form):
    page, sent = form
    refused(page, sent, "4236", "470")
    write(page, "Latitude", "42.36")
    write(page, "Your answer", "47")
    press(page, button(page))
    arrived(page, sent)


def test_one_press_chooses_after_an_answer_was_mended(form):
    page, sent = form
    refused(page, sent, "4236", "470", habit=None)
    write(page, "Latitude", "42.36")
    write(page, "Your answer", "47")
    press(page, page.get_by_text("narwhal"))
    assert page.get_by_label("narwhal").is_checked()
    press(page, button(page))
    arrived(page, sent)


def test_nothing_moves_until_the_next_press(form):
    page, sent = form
    refused(page, sent, "4236", "470")
    before = button(page).bounding_box()["y"] + page.evaluate("scrollY")
    for label, text in (("Latitude", "42.36"), ("Your answer", "47"), ("Your answer", "4700"), ("Latitude", "x")):
        write(page, label, text)
        page.keyboard.press("Tab")
        assert abs(button(page).bounding_box()["y"] + page.evaluate("scrollY") - before) < 0.5
    errors = page.locator(".error").all_inner_texts()
    assert errors == ["", "", ""]
    press(page, button(page))
    page.get_by_role("status").filter(has_text="2 answers need a change").wait_for()
    assert sent == []
