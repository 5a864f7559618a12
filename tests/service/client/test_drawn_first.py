"""A form that draws its question first, in Chromium: what it asks, and that no reload or tab asks anything else."""

import pytest

from axe import violations
from served import Collecting
from sordino import Plan, Survey
from sordino.survey.answering.drawn_query import all_queries

pytestmark = pytest.mark.live

LETS_AXE_IN = True

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "about": {"ask": "drawn"},
    "attribute": {
        "drinks": {"categories": ["yes", "no"]},
        "glasses": {"categories": ["few", "many"], "only_if": {"drinks": ["yes"]}},
        "smoker": {"categories": ["yes", "no"]},
        "mood": {"categories": ["good", "bad"]},
    },
    "ask": [{"histogram": "glasses"}, {"histogram": "smoker"}, {"histogram": "mood"}],
}
NEEDED = [["drinks", "glasses"], ["smoker"], ["mood"]]
"""What each question asks, those that decide it first."""


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


@pytest.fixture(scope="module")
def collector(tmp_path_factory, plan):
    found = Collecting(tmp_path_factory.mktemp("collector"), plan)
    yield found
    found.stop()


def asked(page):
    """The names of the fields, hidden ones too."""
    page.locator("form").wait_for()
    return [text.split("\n")[0].strip() for text in page.locator("form fieldset > legend").all_text_contents()]


def test_it_asks_what_one_question_needs_and_nothing_draws_another(collector, plan, chromium):
    seen = set()
    for _ in range(40):
        context = chromium.new_context(viewport={"width": 390, "height": 844}, bypass_csp=True)
        page = context.new_page()
        page.goto(f"{collector.address}/form?lang=en")
        first = asked(page)
        question = NEEDED.index(first)
        seen.add(question)
        assert "draws one of 3 questions" in page.locator("main").inner_text()
        other = context.new_page()
        other.goto(f"{collector.address}/form?lang=en")
        for _ in range(3):
            page.reload()
            assert asked(page) == asked(other) == first
        uploads = []
        page.on("request", lambda own, to=uploads: to.append(own.post_data_buffer) if own.method == "POST" else None)
        violations(page)
        page.get_by_label("no" if question < 2 else "bad", exact=True).first.check()
        page.get_by_role("button", name="Send my report").click()
        page.locator("#take-back").wait_for()
        (upload,) = uploads
        assert len(upload) == 17
        first_codes = [query.first for query in all_queries(plan)]
        assert sum(code <= upload[-1] for code in first_codes) - 1 == question
        context.close()
        if len(seen) == len(NEEDED):
            break
    assert seen == {0, 1, 2}
