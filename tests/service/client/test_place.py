"""A place on the form: marked on a map by mouse, finger or keyboard, written, or the device's own position."""

import re

import pytest

from collectors import collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

GRID = {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 25, "columns": 70}
DENVER = {"latitude": 39.74, "longitude": -104.99}
WIDTHS = [320, 1400]


@pytest.fixture(scope="module")
def plan():
    asked = {"version": 1, "epsilon": "2", "attribute": {"home": {"grid": GRID}}, "ask": [{"histogram": "home"}]}
    return Plan.of(Survey.read(asked), 1000)


@pytest.fixture(scope="module")
def address(plan, tmp_path_factory):
    with collecting(plan, tmp_path_factory.mktemp("place") / "reports.sqlite") as (found, _):
        yield found


@pytest.fixture(params=WIDTHS)
def form(request, chromium, address):
    context = chromium.new_context(viewport={"width": request.param, "height": 1400}, geolocation=DENVER)
    page, hosts = context.new_page(), []
    page.set_default_timeout(60_000)
    page.on("request", lambda one: hosts.append(one.url.split("/")[2]))
    page.goto(f"{address}/form")
    page.locator(".map .land[d]").wait_for(state="attached")
    yield page
    # Nobody else is asked for land.
    assert set(hosts) == {address.split("/")[2]}
    context.close()


def at(page, latitude, longitude):
    """Where on the screen a place lies, while the whole map is shown."""
    box = page.locator(".map").bounding_box()
    across = (longitude - GRID["west"]) / (GRID["east"] - GRID["west"])
    along = (GRID["north"] - latitude) / (GRID["north"] - GRID["south"])
    return box["x"] + across * box["width"], box["y"] + along * box["height"]


def written(page):
    return [float(page.get_by_label(name).input_value() or "nan") for name in ("Latitude", "Longitude")]


def test_a_press_marks_the_place_under_it(form):
    form.mouse.click(*at(form, 39.74, -104.99))
    assert written(form) == pytest.approx([39.74, -104.99], abs=0.25)
    assert "Marked: latitude 39" in form.locator(".map").get_attribute("aria-description")
    cell = form.locator(".map .cell").bounding_box()
    x, y = at(form, 39.5, -104.5)
    assert [cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2] == pytest.approx([x, y], abs=2)


def test_what_is_marked_closer_is_where_it_seems(form):
    form.mouse.click(*at(form, 39.74, -104.99))
    for _ in range(3):
        form.get_by_role("button", name="Closer").click()
    cell = form.locator(".map .cell").bounding_box()
    form.mouse.click(cell["x"] + cell["width"] * 0.9, cell["y"] + cell["height"] * 0.1)
    latitude, longitude = written(form)
    assert (latitude, longitude) == pytest.approx((39.9, -104.1), abs=0.06)


def test_dragging_moves_the_map_and_marks_nothing(form):
    form.mouse.click(*at(form, 39.74, -104.99))
    form.get_by_role("button", name="Closer").click()
    before, box = written(form), form.locator(".map").get_attribute("viewBox")
    x, y = at(form, 37, -95)
    form.mouse.move(x, y)
    form.mouse.down()
    form.mouse.move(x - 60, y - 20, steps=5)
    form.mouse.up()
    assert written(form) == before
    assert form.locator(".map").get_attribute("viewBox") != box


def test_the_keyboard_marks_moves_and_comes_closer(form):
    form.locator(".map").focus()
    form.keyboard.press("ArrowUp")
    assert written(form) == [37.5, -95]
    form.keyboard.press("ArrowUp")
    form.keyboard.press("ArrowLeft")
    assert written(form) == [38.5, -96]
    form.keyboard.press("+")
    assert not form.locator(".map").get_attribute("viewBox").startswith("0.00 0.00")
    for _ in range(20):
        form.keyboard.press("ArrowUp")
    assert written(form) == [50, -96]


def test_what_is_written_is_marked_and_what_lies_outside_is_not(form):
    form.get_by_label("Latitude").fill("47.6")
    form.get_by_label("Longitude").fill("-122.3")
    assert form.locator(".map .cross").is_visible()
    form.get_by_label("Latitude").fill("4.6")
    assert not form.locator(".map .cross").is_visible()
    assert form.locator(".map").get_attribute("aria-description") == "No place is marked yet."


def test_the_own_position_is_marked_where_it_may_be_known(form):
    form.context.grant_permissions(["geolocation"])
    form.get_by_role("button", name="Use my position").click()
    form.get_by_text("Your position is marked").wait_for()
    assert written(form) == pytest.approx(list(DENVER.values()), abs=0.001)
    form.context.set_geolocation({"latitude": 60, "longitude": 10})
    form.get_by_role("button", name="Use my position").click()
    form.get_by_text("outside this map").wait_for()
    assert written(form) == pytest.approx(list(DENVER.values()), abs=0.001)


def test_a_marked_place_is_sent_as_one_report(form):
    form.mouse.click(*at(form, 39.74, -104.99))
    with form.expect_request(lambda one: one.method == "POST") as sent:
        form.get_by_role("button", name="Send my report").click()
    form.get_by_role("status").filter(has_text="is counted once").wait_for()
    assert len(sent.value.post_data_buffer) < 64
    assert not re.search(rb"39\.|104", sent.value.post_data_buffer)
