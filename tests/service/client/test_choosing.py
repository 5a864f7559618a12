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


WEAKER = {
    "version": 1,
    "epsilon": "1/2",
    "about": {"title": {"en": "Habits", "de": "Gewohnheiten"}},
    "attribute": {
        "smoker": {
            **SMOKER,
            "protect": {"epsilon": "2"},
            "text": {"en": "Do you smoke?", "de": "Rauchen Sie?"},
        },
        "packs": {
            "categories": ["one", "two"],
            "only_if": {"smoker": "yes"},
            "text": {"en": "How many packs?", "de": "Wie viele?"},
        },
    },
    "ask": [{"histogram": "smoker"}, {"histogram": "packs"}],
}
"""What decides is asked by itself, with a larger epsilon than what it decides."""


def test_the_form_and_the_check_say_which_reports_reveal_more_of_who_was_asked(tmp_path, page):
    found = Collecting(tmp_path, Plan.of(Survey.read(WEAKER), 1000))
    try:
        page.goto(f"{found.address}/form")
        card = page.locator("section.card", has_text="What your report can reveal")
        odds = "changes the odds of whether you were asked “How many packs?” by a factor of up to 7.39"
        said = f"A report about “Do you smoke?” {odds}"
        own = card.get_by_text(f"{said}: someone who gave that a 10% chance could afterwards give it at most 46%.")
        own.wait_for()
        assert own.is_visible()
        listed = card.get_by_text(f"{said}, which is more than a report about “How many packs?” itself does: 1.65.")
        assert not listed.is_visible()
        page.get_by_text("All that it can reveal").click()
        assert listed.is_visible()
        page.get_by_role("button", name="Deutsch").click()
        page.get_by_text("ob Sie nach „Wie viele?“ gefragt wurden oder nicht, bis zum Faktor 7,39: Wer").wait_for()
        page.goto(f"{found.address}/verify")
        said = "changes the odds of whether you were asked “packs” by a factor of up to 7.39, which is more"
        page.get_by_text(f"A report about “smoker” {said}").wait_for()
    finally:
        found.stop()


def test_a_form_without_such_reports_has_no_line_more(choosing, page):
    page.goto(f"{choosing.address}/form")
    card = page.locator("section.card", has_text="What your report can reveal")
    card.wait_for()
    assert "whether you were asked" not in card.text_content()
    assert card.locator("> p").count() == 2
