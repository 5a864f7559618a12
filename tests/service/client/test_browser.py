"""The browser client in Chromium against a collector that runs: what leaves the page, how often, and what is kept.

Fill-ins are unlike anything else that a browser sends, so that they would be seen in the traffic.
"""

import json
import re
from contextlib import contextmanager

import pytest

from served import Collecting
from sordino import Plan, Survey
from sordino.document.invitation_list import InvitationList
from sordino.service.uploads import code_bytes

pytestmark = pytest.mark.live

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "habit": {"categories": ["zebrafish", "quokka", "narwhal"]},
        "age": {"number": {"low": 18, "high": 90}},
        "home": {"grid": {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 4, "columns": 6}},
    },
    "ask": [{"histogram": "habit"}, {"mean": "age"}, {"histogram": "home"}],
}
ANSWERS = ("quokka", "47.125", "31.6875", "-117.4375")


@pytest.fixture(scope="module")
def plan():
    return Plan.of(Survey.read(SURVEY), 1000)


@pytest.fixture(scope="module")
def collector(tmp_path_factory, plan):
    found = Collecting(tmp_path_factory.mktemp("collector"), plan)
    yield found
    found.stop()


@contextmanager
def fresh_page(chromium):
    """A page of a browser that has kept nothing."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def fill(page):
    page.get_by_label("quokka").check()
    page.get_by_label("Your answer").fill("47.125")
    page.get_by_label("Latitude").fill("31.6875")
    page.get_by_label("Longitude").fill("-117.4375")


def send(page):
    page.get_by_role("button", name="Send my report").click()


def told(page, words):
    page.get_by_role("status").filter(has_text=words).wait_for()
    return page.get_by_role("status").inner_text()


def test_answers_never_leave_the_page_and_its_code_counts_once(collector, page, traffic, plan):
    before = collector.count
    page.goto(f"{collector.address}/form")
    fill(page)
    revealed = page.locator("section", has_text="What your report can reveal")
    # In per cent; factors are in what is folded.
    assert "could afterwards give it at most 46%" in revealed.inner_text()
    assert "7.39" not in revealed.inner_text()
    assert "7.39" in revealed.text_content()
    assert traffic.uploads == []
    send(page)
    told(page, "is counted once")
    assert collector.count == before + 1
    (body,) = traffic.uploads
    assert len(body) == 16 + code_bytes(plan)
    assert int.from_bytes(body[16:], "big") < plan.sampled.outputs
    assert body.hex() in page.locator("section").first.inner_text()
    page.reload()
    told(page, "has answered this survey")
    assert len(traffic.uploads) == 1
    home = collector.address.partition("/plans/")[0]
    assert all(one.url.startswith((home, "data:")) for one in traffic.requests)
    for answer in ANSWERS:
        assert answer not in traffic.text
    assert "quokka" not in json.dumps(page.context.storage_state(indexed_db=True))


def test_what_may_not_have_arrived_is_sent_again_as_it_is(collector, page, traffic):
    before, reports = collector.count, f"{collector.address}/reports"
    page.route(reports, lambda route: route.abort())
    page.goto(f"{collector.address}/form")
    fill(page)
    send(page)
    told(page, "could not be reached")
    # It arrives, and its receipt is lost.
    page.unroute(reports)
    page.route(reports, lambda route: (route.fetch(), route.abort()))
    page.get_by_role("button", name="Send again").click()
    page.locator("#place .send").wait_for()
    told(page, "could not be reached")
    page.unroute(reports)
    refused = {"status": 503, "content_type": "application/problem+json", "body": '{"detail": "the disk is full"}'}
    page.route(reports, lambda route: route.fulfill(**refused))
    page.reload()
    told(page, "answered with status 503")
    assert "the disk is full" in page.locator("#place").text_content()
    page.unroute(reports)
    page.reload()
    told(page, "is counted once")
    assert collector.count == before + 1
    assert len(traffic.uploads) >= 4
    assert len(set(traffic.uploads)) == 1


def test_wrong_answers_are_told_beside_their_fields_by_keyboard(collector, page, traffic):
    page.goto(f"{collector.address}/form")
    page.get_by_label("Your answer").fill("seventeen")
    page.get_by_label("Latitude").fill("70")
    page.get_by_label("Longitude").fill("-100")
    page.get_by_label("Your answer").press("Enter")
    assert "3 answers need a change" in told(page, "Nothing was sent")
    assert page.evaluate("document.activeElement.type") == "radio"
    errors = page.locator(".error").all_inner_texts()
    assert errors == [
        "Please choose an answer.",
        "Please write the number in digits.",
        "Please give a place from 25 to 50 degrees north and from -130 to -60 degrees east.",
    ]
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.insert_text("47,125")
    for answer in ("", "31.6875", "-117.4375"):
        if answer:
            page.keyboard.press("Control+A")
            page.keyboard.insert_text(answer)
        page.keyboard.press("Tab")
    assert traffic.uploads == []


def test_a_number_that_may_be_missing_has_a_box_that_says_so(page, tmp_path):
    income = {"number": {"low": 0, "high": 9000}, "missing": "0.1"}
    survey = {"version": 1, "epsilon": "1", "attribute": {"income": income}, "ask": [{"mean": "income"}]}
    found = Collecting(tmp_path, Plan.of(Survey.read(survey), 1000))
    try:
        page.goto(f"{found.address}/form")
        number, none = page.get_by_label("Your answer"), page.get_by_label("I have none")
        send(page)
        assert "Please give a number." in page.locator("fieldset").inner_text()
        # One and a half thousand, or one and a half: nothing is guessed.
        number.fill("1,500")
        send(page)
        assert "it could mean thousands or decimals" in page.locator("fieldset").inner_text()
        assert found.count == 0
        none.check()
        assert number.input_value() == ""
        number.fill("7")
        assert not none.is_checked()
        none.check()
        send(page)
        told(page, "is counted once")
        assert found.count == 1
    finally:
        found.stop()


def test_what_is_sent_in_clear_is_said_so_and_nothing_else_is(page, traffic, tmp_path):
    public = {"region": {"categories": ["north", "south"]}, "wave": {"categories": ["1", "2", "3"], "missing": "3"}}
    own = {name: SURVEY["attribute"][name] for name in ("habit",)}
    plan = Plan.of(Survey.read({**SURVEY, "attribute": own, "public": public, "ask": [{"histogram": "habit"}]}), 1000)
    served = Collecting(tmp_path, plan)
    try:
        page.goto(f"{served.address}/form")
        page.get_by_text("This answer is sent as it is, beside the report.").first.wait_for()
        revealed = page.locator("section", has_text="What your report can reveal").text_content()
        assert "those to “region” and “wave”: they are sent as they are, beside the report" in revealed
        page.get_by_label("quokka").check()
        send(page)
        assert "“region”" in told(page, "Nothing was sent")
        page.get_by_label("south").check()
        page.get_by_label("Prefer not to say (counts as “3”)").check()
        send(page)
        told(page, "is counted once")
        (body,) = traffic.uploads
        assert (len(body), body[-1]) == (16 + 1 + 1, 1 * 3 + 2)
        assert body[16] < plan.sampled.outputs
        assert served.told("/progress")["groups"]["region"] == {"north": None, "south": None}
        assert "quokka" not in traffic.text
    finally:
        served.stop()


def test_a_plan_that_is_not_the_addresss_is_not_answered(collector, page, plan):
    changed = plan.bytes.decode().replace("quokka", "quolls")
    page.route(re.compile("/plans/[^/]*$"), lambda route: route.fulfill(status=200, body=changed))
    page.goto(f"{collector.address}/form")
    told(page, "its plan was not found to be right. Nothing was sent")
    assert "must be unchanged" in page.locator("#place").text_content()
    assert page.get_by_role("button").count() == 0


def test_a_plan_must_be_signed_by_the_key_of_the_address(collector, page, traffic):
    key = collector.told("/signature")["key"]
    page.goto(f"{collector.address}/verify#key={key}")
    told(page, "The plan keeps its promises")
    assert page.get_by_text("signed by the key of the address").count() == 1
    page.get_by_role("link", name="Answer this plan").click()
    page.get_by_role("button", name="Send my report").wait_for()
    other = key[::-1]
    page.goto(f"{collector.address}/form#key={other}")
    page.reload()
    told(page, "its plan was not found to be right. Nothing was sent")
    assert "must be signed by the key of the address" in page.locator("#place").text_content()
    assert not any(part in traffic.text for part in (key, other))


def test_an_invitation_counts_one_report_and_goes_with_it_alone(chromium, page, traffic, tmp_path, plan):
    first, second = "0123456789abcdef" * 2, "fedcba9876543210" * 2
    InvitationList.of(plan.hash, [first, second]).save(tmp_path / "list.json")
    found = Collecting(tmp_path, plan, "--invitations", tmp_path / "list.json")
    try:
        for part in ("", "#invitation=0123", f"#invitation={'x' * 32}"):
            page.goto("about:blank")
            page.goto(f"{found.address}/form{part}")
            told(page, "taken by invitation only")
            assert page.locator("#place button").count() == 0
        page.goto("about:blank")
        key = found.told("/signature")["key"]
        page.goto(f"{found.address}/form#key={key}&invitation={first}")
        fill(page)
        page.get_by_text("How this was checked").click()
        assert page.get_by_role("link", name="Check every part").get_attribute("href") == f"verify#key={key}"
        send(page)
        told(page, "Your link counts one report.")
        (upload,) = [one for one in traffic.requests if one.method == "POST"]
        assert upload.all_headers()["sordino-invitation"] == first
        others = [(one.url.partition("#")[0], one.all_headers()) for one in traffic.requests if one != upload]
        assert first not in upload.url + repr(upload.post_data_buffer) + repr(others)
        page.reload()
        told(page, "has answered this survey")
        # On another device the form cannot know: its code is acknowledged, and not counted.
        with fresh_page(chromium) as other:
            other.goto(f"{found.address}/form#invitation={first}")
            fill(other)
            send(other)
            told(other, "Your link counts one report.")
            assert found.count == 1
        # What was drawn by a link that is not known is sent by the one that is.
        with fresh_page(chromium) as other:
            other.goto(f"{found.address}/form#invitation={'0' * 32}")
            fill(other)
            send(other)
            told(other, "taken by invitation only")
            assert "an invitation that is not known here" in other.locator("#place details").text_content()
            assert found.count == 1
            other.goto("about:blank")
            other.goto(f"{found.address}/form#invitation={second}")
            told(other, "Your link counts one report.")
            assert found.count == 2
    finally:
        found.stop()


REFUSALS = {
    "no IndexedDB": "Object.defineProperty(globalThis, 'indexedDB', { value: undefined });",
    "one that is closed": "IDBFactory.prototype.open = () => { throw new DOMException('private', 'SecurityError'); };",
    "no room": "IDBObjectStore.prototype.put = () => { throw new DOMException('no room', 'QuotaExceededError'); };",
    "a disk that fails at last": """
        const own = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function put(...given) {
          const request = own.apply(this, given);
          request.addEventListener("success", () => request.transaction.abort());
          return request;
        };""",
    "no word of the disk": "Object.defineProperty(IDBTransaction.prototype, 'durability', { value: undefined });",
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_browser_that_keeps_nothing_sends_nothing(collector, page, traffic, refusal):
    page.add_init_script(refusal)
    page.goto(f"{collector.address}/form")
    button = page.get_by_role("button", name="Send my report")
    button.or_(page.get_by_role("status").filter(has_text="Nothing was sent")).first.wait_for()
    if button.count():
        fill(page)
        send(page)
        told(page, "Nothing was sent")
        assert page.get_by_label("quokka").is_checked()
    assert "must be on this device's disk before it is sent" in told(page, "Nothing was sent")
    assert traffic.uploads == []


def test_another_window_sends_the_code_that_was_drawn_first(collector, page, traffic):
    other = page.context.new_page()
    for window in (page, other):
        window.goto(f"{collector.address}/form")
        fill(window)
    before = collector.count
    send(other)
    told(other, "is counted once")
    send(page)
    assert "the answers of this window were not used" in told(page, "is counted once")
    assert (collector.count, traffic.uploads) == (before + 1, [])


def test_a_stranger_checks_a_plan(collector, page):
    page.goto(f"{collector.address}/verify")
    told(page, "The plan keeps its promises")
    assert page.get_by_role("row").count() == 4
    assert page.get_by_text("Kept.").count() == 3


def test_a_survey_without_words_speaks_the_language_of_the_browser_alone(collector, chromium):
    for locale, send_name in (("fr-CA", "Envoyer"), ("ja", "Send my report")):
        context = chromium.new_context(locale=locale)
        page = context.new_page()
        page.goto(f"{collector.address}/form")
        page.get_by_role("button", name=send_name).wait_for()
        assert page.locator(".languages").count() == 0
        context.close()


def test_a_reload_loses_no_answer_and_a_report_leaves_none_behind(collector, page, traffic):
    page.goto(f"{collector.address}/form")
    fill(page)
    assert page.evaluate("sessionStorage.length") == 0
    page.get_by_label("for at most an hour").check()
    page.reload()
    page.locator("#place form").wait_for()
    assert page.get_by_label("quokka").is_checked()
    written = [page.get_by_label(name).input_value() for name in ("Your answer", "Latitude", "Longitude")]
    assert written == [*ANSWERS[1:]]
    kept = "JSON.stringify({...sessionStorage})"
    assert "47.125" in page.evaluate(kept)
    send(page)
    told(page, "is counted once")
    assert page.evaluate(kept) == "{}"
    for answer in ANSWERS:
        assert answer not in traffic.text


def test_what_was_answered_is_forgotten_after_an_hour_and_where_it_cannot_be_read(collector, page):
    page.clock.install()
    page.goto(f"{collector.address}/form")
    page.get_by_label("for at most an hour").check()
    page.get_by_label("quokka").check()
    page.clock.fast_forward("59:00")
    page.reload()
    page.locator("#place form").wait_for()
    assert page.get_by_label("quokka").is_checked()
    page.clock.fast_forward("01:02:00")
    assert page.evaluate("sessionStorage.length") == 0
    page.get_by_label("narwhal").check()
    page.evaluate("sessionStorage.setItem(sessionStorage.key(0), '{\"at\": 0')")
    page.reload()
    page.locator("#place form").wait_for()
    assert page.locator("#place form input:checked").count() == 0


def test_nothing_is_kept_where_a_value_is_sensitive(page, tmp_path):
    habit = {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}}
    survey = {"version": 1, "epsilon": "1", "attribute": {"habit": habit}, "ask": [{"histogram": "habit"}]}
    found = Collecting(tmp_path, Plan.of(Survey.read(survey), 1000))
    try:
        page.goto(f"{found.address}/form")
        page.get_by_label("yes").check()
        assert "hour" not in page.locator("#place form").inner_text()
        assert page.evaluate("sessionStorage.length") == 0
        page.reload()
        page.locator("#place form").wait_for()
        assert not page.get_by_label("yes").is_checked()
    finally:
        found.stop()
