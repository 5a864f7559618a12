"""<sordino-form> on a page of another origin: a report arrives, and the styles of both leave each other alone."""

import json
import re
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from axe import violations
from page_reader import ROOT
from served import Collecting
from sordino import Plan, Survey
from sordino.service.client_pages import TYPES, served_files
from waits import joined

pytestmark = pytest.mark.live

SURVEY = {
    "version": 1,
    "epsilon": "2",
    "about": {
        "title": {"en": "How we travel", "de": "Wie wir unterwegs sind"},
        "consent": {"text": {"en": "Yes?", "de": "Ja?"}},
    },
    "attribute": {
        "habit": {"categories": ["zebrafish", "quokka", "narwhal"]},
        "home": {"grid": {"south": 25, "north": 50, "west": -130, "east": -60, "rows": 4, "columns": 6}},
        "age": {"number": {"low": 18, "high": 90}, "input": "slider", "step": 1},
    },
    "ask": [{"histogram": "habit"}, {"histogram": "home"}, {"mean": "age"}],
}

PAGE = """<!DOCTYPE html>
<html lang="{lang}"><head><meta charset="utf-8"><title>An institute</title>
<meta name="viewport" content="width=device-width">
<style>
html {{ font-size: {root}px; }}
:root {{ --ink: #ff00ff; --accent: #ff00ff; color-scheme: {scheme}; }}
body {{ margin: 23px; color: #102030; background: {ground}; font: italic 30px/3 serif; text-transform: uppercase; }}
* {{ letter-spacing: 3px; }} button, input, fieldset {{ display: none !important; }} .card {{ outline: 9px solid red; }}
#outside {{ width: 200px; }}
</style>
<script type="module" src="{home}/client/element.js"></script>
</head><body><main><h1>An institute</h1><section class="card" id="outside"><p id="status">outside</p></section>
<sordino-form {attributes}></sordino-form></main>
<script nonce="own">
globalThis.heard = [];
for (const name of ["sordino-sent", "sordino-taken-back"])
  document.addEventListener(name, (event) => heard.push([name, event.detail.plan]));
</script></body></html>"""

POLICY = (
    "default-src 'none'; script-src 'nonce-own' {home}; connect-src {home}; style-src 'unsafe-inline';"
    " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    found = Collecting(tmp_path_factory.mktemp("collector"), Plan.of(Survey.read(SURVEY), 1000))
    yield found
    found.stop()


@contextmanager
def institute(text, policy):
    """A server of one page, at an origin of its own, where the client's files are too, for any page."""
    files = {f"/client/{name}": content for name, content in served_files().items()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            kind = TYPES[self.path.rpartition(".")[2]] if self.path in files else "text/html"
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Security-Policy", policy)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(files.get(self.path, text).encode())

        def log_message(self, *given):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}/survey"
        finally:
            server.shutdown()
            joined(thread)


@pytest.fixture
def embedded(collector, chromium):
    """Opens a page of an institute with the element in it; nothing goes wrong on it."""
    opened, wrong = [], []

    @contextmanager
    def embed(
        attributes=None, lang="en", scheme="light", fragment="", width=900, *, root=16, lets_axe_in=False, policy=POLICY
    ):
        home = collector.address.partition("/plans/")[0]
        attributes = f'plan="{collector.address}"' if attributes is None else attributes
        ground = "#ffffff" if scheme == "light" else "#14181e"
        text = PAGE.format(home=home, lang=lang, scheme=scheme, ground=ground, attributes=attributes, root=root)
        with institute(text, policy.format(home=home)) as address:
            context = chromium.new_context(viewport={"width": width, "height": 900}, bypass_csp=lets_axe_in)
            opened.append(context)
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.on("pageerror", lambda error: wrong.append(error))  # noqa: PLW0108 - Playwright takes no built-in function
            page.goto(address + fragment)
            yield page

    yield embed
    for context in opened:
        context.close()
    assert wrong == []


def form(page):
    return page.locator("sordino-form")


def told(page, words):
    form(page).get_by_role("status").filter(has_text=words).wait_for()


def answer(page):
    filled(form(page))


def filled(one):
    """Answer everything in one form, and send it."""
    one.get_by_label("quokka").check()
    one.get_by_label("Latitude").fill("31.6875")
    one.get_by_label("Longitude").fill("-117.4375")
    one.get_by_label("Number", exact=True).fill("47")
    one.locator("#consent").check()
    one.get_by_role("button", name="Send my report").click()


def test_a_page_with_another_root_size_has_the_same_form(embedded):
    """Many pages set their root to 10 px, so that 1.6rem is what others call 1rem."""
    sizes = []
    for root in (16, 10, 32):
        with embedded(root=root) as page:
            form(page).get_by_label("quokka").wait_for()
            sizes.append(page.evaluate(SIZES))
    assert sizes[0] == sizes[1] == sizes[2]
    assert sizes[0]["text"] == "17px"
    assert len(sizes[0]) > 4


SIZES = """() => {
    const root = document.querySelector("sordino-form").shadowRoot;
    const size = (name, found) => [name, found.getBoundingClientRect().width, found.getBoundingClientRect().height];
    const parts = ["h2", "fieldset", "input", "button", "label", ".slider", "p"];
    const found = parts.flatMap((name) => [...root.querySelectorAll(name)].map((one) => size(name, one)));
    return { text: getComputedStyle(root.querySelector(".whole")).fontSize, ...found };
}"""
"""How large a form and its parts are."""


def test_a_report_arrives_from_a_page_elsewhere_and_is_taken_back(collector, embedded):
    before = collector.count
    with embedded() as page:
        sent = []
        page.on("request", lambda one: sent.append((one.url, one.method, one.post_data_buffer)))
        answer(page)
        told(page, "is counted once")
        assert collector.count == before + 1
        assert page.evaluate("heard") == [["sordino-sent", collector.plan.hash]]
        assert "quokka" not in json.dumps([url for url, *_ in sent])
        home = collector.address.partition("/plans/")[0]
        assert all(url.startswith((f"{home}/client/", collector.address)) for url, *_ in sent)
        page.reload()
        told(page, "has answered this survey")
        # Nothing was sent by this window.
        assert page.evaluate("heard") == []
        form(page).get_by_role("button", name="Take my answer back").click()
        told(page, "Your answer is taken back")
        assert page.evaluate("heard") == [["sordino-taken-back", collector.plan.hash]]
        assert collector.count == before


STYLE = """(place) => {
  const { color, fontSize, fontStyle, letterSpacing, textTransform, outlineWidth, display } = getComputedStyle(place);
  return [color, fontSize, fontStyle, letterSpacing, textTransform, outlineWidth, display].join("; ");
}"""


def test_the_styles_of_the_page_and_of_the_form_leave_each_other_alone(embedded):
    with embedded("") as page:
        told(page, "The address of the survey on this page is not right.")
        outside = [page.locator(name).first.evaluate(STYLE) for name in ("h1", "#outside", "main > section p")]
    with embedded() as page:
        form(page).get_by_role("heading", name="How we travel", level=2).wait_for()
        for name, own in zip(("h1", "#outside", "main > section p"), outside, strict=True):
            assert page.locator(name).first.evaluate(STYLE) == own
        assert form(page).locator(".choice").first.evaluate(STYLE).endswith("17px; normal; normal; none; 3px; flex")
        card = form(page).locator("section.card")
        assert card.evaluate(STYLE) == "rgb(28, 36, 48); 17px; normal; normal; none; 3px; block"
        assert form(page).get_by_role("button", name="Send my report").is_visible()
        # It is dark where the page is, whatever the system is.
        page.emulate_media(color_scheme="dark")
        assert card.evaluate(STYLE).startswith("rgb(28, 36, 48)")
    with embedded(scheme="dark") as page:
        assert form(page).locator("section.card").evaluate(STYLE).startswith("rgb(228, 232, 238)")


PLAIN = """(scheme) => {
  for (const own of document.querySelectorAll("style, #outside")) own.remove();
  document.documentElement.style.cssText = `color-scheme: ${scheme}; background: Canvas; color: CanvasText`;
}"""
"""Leaves a page without styles of its own, which are not to be judged here."""


@pytest.mark.parametrize(("lang", "scheme", "width"), [("en", "light", 900), ("de", "dark", 320)])
def test_axe_finds_no_violation_in_it(embedded, lang, scheme, width):
    with embedded(lang=lang, scheme=scheme, width=width, lets_axe_in=True) as page:
        form(page).locator(".send").click()
        for folded in form(page).locator("summary").all():
            folded.click()
        assert form(page).evaluate("(own) => own.offsetWidth <= innerWidth")
        page.evaluate(PLAIN, scheme)
        violations(page)


def test_its_language_is_the_pages_and_a_choice_keeps_the_answers(embedded):
    with embedded(lang="de-CH") as page:
        form(page).get_by_role("heading", name="Wie wir unterwegs sind").wait_for()
        form(page).get_by_label("quokka").check()
        form(page).get_by_role("button", name="English").click()
        form(page).get_by_role("heading", name="How we travel").wait_for()
        assert form(page).get_by_label("quokka").is_checked()
        # The page itself speaks as before, and keeps its title and address.
        found = page.evaluate("[document.documentElement.lang, document.title, location.search]")
        assert found == ["de-CH", "An institute", ""]


def test_who_is_moved_within_the_page_keeps_answers_and_another_plan_begins_anew(collector, embedded):
    with embedded() as page:
        form(page).get_by_label("quokka").check()
        page.evaluate("document.body.prepend(document.querySelector('sordino-form'))")
        assert form(page).get_by_label("quokka").is_checked()
        page.evaluate("document.querySelector('sordino-form').setAttribute('plan', 'https://localhost:1/nothing')")
        told(page, "is not right")
        address = f"{collector.address}/form"
        page.evaluate(f"document.querySelector('sordino-form').setAttribute('plan', {json.dumps(address)})")
        form(page).get_by_label("narwhal").check()
        page.evaluate("globalThis.gone = document.querySelector('sordino-form'); gone.remove()")
        assert page.evaluate("gone.isConnected") is False


UNKNOWN = "/plans/sha256:" + "0" * 64
WRONG = ["javascript:alert(1)", "data:text/plain,x", "https://[", "", "/plans/sha256:12", f"ftp://localhost{UNKNOWN}"]


@pytest.mark.parametrize("plan", WRONG)
def test_what_is_no_address_of_a_plan_is_refused_in_words(embedded, plan):
    with embedded(f'plan="{plan}"') as page:
        told(page, "The address of the survey on this page is not right.")
        assert form(page).locator("form").count() == 0


def test_only_a_plan_that_the_key_signed_is_asked(collector, embedded):
    key = collector.told("/signature")["key"]
    with embedded(f'plan="{collector.address}" signed-by="{key}"') as page:
        form(page).get_by_label("quokka").wait_for()
        assert form(page).locator("a").get_attribute("href") == f"{collector.address}/verify#key={key}"
    for other in (key[::-1], "", "x"):
        with embedded(f'plan="{collector.address}" signed-by="{other}"') as page:
            told(page, "its plan was not found to be right. Nothing was sent")
    home = collector.address.partition("/plans/")[0]
    with embedded(f'plan="{home}{UNKNOWN}"') as page:
        told(page, "There is no such survey here (status 404).")


def test_a_report_goes_to_the_collector_that_it_was_drawn_for_alone(collector, chromium, tmp_path):
    """Two collectors serve one plan, and a page has a form for each."""
    other = Collecting(tmp_path, collector.plan)
    address = other.address.replace("127.0.0.1", "localhost")
    before = collector.count
    try:
        homes = " ".join(one.partition("/plans/")[0] for one in (collector.address, address))
        text = f"""<!DOCTYPE html><meta charset="utf-8"><title>An institute</title>
            <script type="module" src="/client/element.js"></script>
            <sordino-form plan="{collector.address}"></sordino-form><sordino-form plan="{address}"></sordino-form>"""
        policy = f"default-src 'none'; script-src 'self'; connect-src 'self' {homes}"
        context = chromium.new_context()
        with institute(text, policy) as place:
            page, sent = context.new_page(), []
            page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
            page.goto(place)
            first, second = form(page).first, form(page).last
            for one in (first, second):
                one.get_by_label("quokka").wait_for()
            page.route("**/reports", lambda route: route.abort())
            filled(first)
            first.get_by_role("status").filter(has_text="Not arrived yet").wait_for()
            # The other form was open before, and draws nothing now.
            filled(second)
            refusal = "for another collector, 127.0.0.1, and goes to no other"
            second.get_by_role("status").filter(has_text=refusal).wait_for()
            assert second.locator(".send, #take-back").count() == 0
            page.unroute("**/reports")
            page.reload()
            first.get_by_role("status").filter(has_text="is counted once").wait_for()
            second.get_by_role("status").filter(has_text=refusal).wait_for()
            first.get_by_role("button", name="Take my answer back").click()
            first.get_by_role("status").filter(has_text="Your answer is taken back").wait_for()
            page.reload()
            second.get_by_role("status").filter(has_text=refusal).wait_for()
            assert {url.partition("/plans/")[0] for url in sent} == {collector.address.partition("/plans/")[0]}
            assert (collector.count, other.count) == (before, 0)
        context.close()
    finally:
        other.stop()


def test_a_page_that_lets_it_ask_nobody_says_so(embedded):
    with embedded(policy=POLICY.replace("connect-src {home}", "connect-src 'none'")) as page:
        told(page, "could not be reached")


ROWS = re.findall(
    r"^\| [^|]* \| `([^|]*)` \| `COLLECTOR`(?:; for a map also `(.*?)`)? \|$",
    (ROOT / "docs" / "browser.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)
"""Of the page's table: where the code comes from, and what only a map needs."""


def about_the_coast(line):
    return "outline.json" in line.text


def test_the_page_has_a_row_for_each_place_of_the_code():
    assert ROWS == [("COLLECTOR", ""), ("'self'", "'self'"), ("CDN", "CDN")]


@pytest.mark.parametrize(("source", "more"), ROWS)
def test_the_directives_that_the_page_names_suffice_and_a_map_needs_its_own(collector, chromium, source, more):
    home = collector.address.partition("/plans/")[0]
    with institute("", "default-src 'none'") as elsewhere:
        network = elsewhere.removesuffix("/survey")
        origins = {"COLLECTOR": home, "CDN": network, "'self'": "'self'"}
        place = {"'self'": ""}.get(source, origins[source])
        text = f"""<!DOCTYPE html><meta charset="utf-8"><title>An institute</title>
            <script type="module" src="{place}/client/bundle/sordino-form.js" crossorigin></script>
            <sordino-form plan="{collector.address}"></sordino-form>"""
        for also in dict.fromkeys([origins.get(more, ""), ""]):
            policy = f"default-src 'none'; script-src {origins[source]}; connect-src {home} {also}"
            with institute(text, policy) as address:
                context = chromium.new_context()
                page, said = context.new_page(), []
                page.on("console", lambda line, said=said: said.append(line.text))
                is_enough = bool(also or not more)
                with nullcontext() if is_enough else page.expect_console_message(about_the_coast):
                    page.goto(address)
                if is_enough:
                    form(page).locator("path.land[d]").wait_for(state="attached")
                answer(page)
                told(page, "is counted once")
                # A browser asks for its own icon, for which no page needs a directive.
                refused = [line for line in said if "favicon" not in line]
                assert [line for line in refused if "outline.json" not in line] == []
                assert (refused == []) == is_enough
                assert form(page).evaluate("(own) => own.shadowRoot.adoptedStyleSheets.length") == 1
                context.close()
