"""In Chromium: fields that follow earlier answers, and boxes of which several may be ticked."""

import pytest

from served import Collecting
from sordino import Plan, Survey

pytestmark = pytest.mark.live

SMOKER = {"categories": ["yes", "no"]}
CHOICES = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "smoker": SMOKER,
        "packs": {"categories": ["one", "two"], "only_if": {"smoker": "yes"}},
        "reasons": {"categories": ["fun", "stress", "friends"], "several": 2, "only_if": {"smoker": "yes"}},
        "symptoms": {"categories": ["cough", "fever", "pain", "rash"], "several": 2},
    },
    "ask": [{"histogram": "packs"}, {"several": "reasons"}, {"several": "symptoms"}],
}


@pytest.fixture(scope="module")
def choosing(tmp_path_factory):
    """A collector of answers of which several may apply, and which decide what else is asked."""
    found = Collecting(tmp_path_factory.mktemp("choosing"), Plan.of(Survey.read(CHOICES), 1000))
    yield found
    found.stop()


def shown_fields(page):
    return [one.inner_text() for one in page.locator("fieldset legend").all() if one.is_visible()]


def test_fields_follow_the_answers_and_boxes_what_may_be_ticked(choosing, page, traffic):
    before = choosing.count
    page.goto(f"{choosing.address}/form")
    page.locator("fieldset").first.wait_for()
    assert shown_fields(page) == ["smoker", "symptoms"]
    page.get_by_label("yes").check()
    assert shown_fields(page) == ["smoker", "packs", "reasons", "symptoms"]
    assert page.get_by_label("not asked").count() == 0
    symptoms = page.locator("fieldset", has_text="symptoms")
    symptoms.get_by_label("cough").check()
    symptoms.get_by_label("rash").check()
    assert symptoms.get_by_label("fever").is_disabled()
    symptoms.get_by_label("none of them").check()
    assert not symptoms.get_by_label("cough").is_checked()
    assert symptoms.get_by_label("fever").is_enabled()
    symptoms.get_by_label("fever").check()
    assert not symptoms.get_by_label("none of them").is_checked()
    page.get_by_role("button", name="Send my report").click()
    # Of what is asked now nothing was answered.
    page.get_by_role("status").filter(has_text="“packs”, “reasons”").wait_for()
    page.get_by_label("no", exact=True).check()
    assert shown_fields(page) == ["smoker", "symptoms"]
    revealed = page.locator("section", has_text="What your report can reveal").text_content()
    assert "Whoever is not asked answers “not asked”" in revealed
    assert traffic.uploads == []
    page.get_by_role("button", name="Send my report").click()
    page.get_by_role("status").filter(has_text="is counted once").wait_for()
    assert choosing.count == before + 1
    assert "fever" not in traffic.text


def test_boxes_are_ticked_by_keyboard(choosing, page):
    page.goto(f"{choosing.address}/form")
    page.locator("fieldset").first.wait_for()
    page.get_by_label("no", exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.get_by_label("cough").is_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.get_by_label("fever").is_checked()
