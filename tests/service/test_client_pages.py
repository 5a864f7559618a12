"""What a browser is given of the client: scripts that are their modules joined, compressed, and kept."""

import gzip
import re

import pytest

from reports_sent import on_a_thread
from sordino import Plan, Survey
from sordino.document.invitation_list import InvitationList
from sordino.service.client_pages import LEAST_PACKED, choose_language, client_files, join_modules, page_script
from sordino.service.storage.store import ReportStore

SCRIPT = re.compile(r'<script type="module" src="\.\./\.\./(client/bundle/[a-z]+-?[a-z]*-[0-9a-f]{16}\.js)">')


@pytest.fixture(scope="module")
def client(tmp_path_factory, plan):
    with on_a_thread(ReportStore.open(tmp_path_factory.mktemp("web") / "reports.sqlite", plan)) as client:
        yield client


def code_lines(text):
    """Lines of a module that are neither comment nor import nor export."""
    without = re.sub(r"^\s*/\*\*(?:[^*]|\*(?!/))*\*/\s*$", "", text, flags=re.MULTILINE)
    lines = (line.strip() for line in without.splitlines())
    kept = {line for line in lines if line and not line.startswith(("//", "import ", "export "))}
    # Modules that are loaded later are looked for from another folder.
    return {re.sub(r'import\("[./a-z]+/', 'import("', line) for line in kept}


def test_a_script_has_each_module_of_its_page_and_no_other_word():
    texts = client_files()
    joint = join_modules(texts, "form.js")
    names = re.findall(r"^// (\S+\.js)$", joint, re.MULTILINE)
    assert len(names) == len(set(names))
    assert names[-1] == "form.js"
    # Nothing that only the page for checks needs, and no language before it is wanted.
    assert not [name for name in names if name in {"published.js", "estimate/estimates.js", "index.js"}]
    assert not [name for name in names if re.fullmatch("catalogue/..[.]js", name)]
    held = code_lines(joint)
    for name in names:
        assert code_lines(texts[name]) <= held, name
    # What is added binds the modules to each other.
    known = {line for name in names for line in map(str.strip, texts[name].splitlines())}
    known |= {line.removeprefix("export ").replace("default ", "const standard = ") for line in known}
    known |= {line for name in names for line in code_lines(texts[name])}
    binds = re.compile(r"const \$\w+ = \(\(\) => \{|const \{.*\} = \$\w+;|return \{.*\};|\}\)\(\);")
    assert {line for line in held - known if not binds.fullmatch(line)} == set()


def test_a_circle_of_modules_is_refused_and_what_each_form_of_export_means():
    circle = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(ValueError, match=r"circle; found a\.js b\.js a\.js"):
        join_modules(circle, "a.js")
    texts = {
        "in/one.js": 'export { two } from "./two.js";\n',
        "in/two.js": "// Says two.\nexport const two = 2;\nconst three = 3;\nexport { three };\nexport default 4;\n",
        "a.js": 'import four from "./in/two.js";\nimport { two as second } from "./in/one.js";\nshow(four, second);\n',
    }
    assert join_modules(texts, "a.js") == (
        "// in/two.js\nconst $in_two = (() => {\nconst two = 2;\nconst three = 3;\nconst standard = 4;\n"
        "return { two, three, default: standard };\n})();\n"
        "// in/one.js\nconst $in_one = (() => {\nreturn { two: $in_two.two };\n})();\n"
        "// a.js\nconst { default: four } = $in_two;\nconst { two: second } = $in_one;\nshow(four, second);\n"
    )


def test_the_name_of_a_script_changes_with_any_of_its_modules():
    texts = client_files()
    names = {page_script(texts, "form.js", language).name for language in ("en", "de")}
    assert len(names) == 2
    changed = {**texts, "plan/draw.js": texts["plan/draw.js"] + "void 0;\n"}
    assert page_script(changed, "form.js", "en").name not in names


def test_a_form_names_a_script_in_the_language_that_is_asked_for(client):
    for asked, lang, name in (
        ("de-AT,de;q=0.9,en;q=0.8", "de", "form-de-"),
        ("it;q=1, en;q=0.1, fr;q=0.5", "fr", "form-fr-"),
        ("*", "en", "form-en-"),
        ("<script>", "en", "form-en-"),
    ):
        answer = client.of_plan("GET", "/form", Accept_Language=asked)
        text = answer.body.decode()
        assert f'<html lang="{lang}">' in text
        assert f'data-language="{lang}" data-invitations="none"' in text
        assert f"bundle/{name}" in SCRIPT.search(text)[1]
        assert answer.headers["vary"] == "Accept-Encoding, Accept-Language"
    assert 'lang="es"' in client.of_plan("GET", "/form?lang=es-MX", Accept_Language="de").body.decode()
    assert 'data-invitations="unknown"' in client.ask("GET", "/plans/none/form").body.decode()


def test_what_a_browser_has_is_not_sent_again_and_a_script_is_kept_for_ever(client, plan):
    script = "/" + SCRIPT.search(client.of_plan("GET", "/form").body.decode())[1]
    for path, cache in (
        (script, "public, max-age=31536000, immutable"),
        (f"/plans/{plan.hash}", "public, max-age=31536000, immutable"),
        (f"/plans/{plan.hash}/form", "no-cache"),
        (f"/plans/{plan.hash}/verify", "no-cache"),
        ("/client/form.js", "no-cache"),
        ("/client/bundle/sordino-form.js", "no-cache"),
    ):
        whole = client.ask("GET", path)
        assert "content-encoding" not in whole.headers, path
        assert whole.headers["cache-control"] == cache, path
        packed = client.ask("GET", path, Accept_Encoding="br, gzip;q=0.5")
        assert (packed.headers.get("content-encoding") == "gzip") == (len(whole.body) >= LEAST_PACKED), path
        if "content-encoding" in packed.headers:
            assert gzip.decompress(packed.body) == whole.body, path
        assert "content-encoding" not in client.ask("GET", path, Accept_Encoding="gzip;q=0").headers, path
        again = client.ask("GET", path, If_None_Match=whole.headers["etag"])
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", whole.headers["etag"]), path
        assert client.ask("GET", path, If_None_Match='W/"another"').status == 200, path


def test_a_policy_lets_in_what_stands_in_the_page_and_nothing_else(client):
    policy = client.of_plan("GET", "/form").headers["content-security-policy"]
    assert re.search(r"script-src 'self' 'sha256-[\w+/=]{44}'; style-src 'self' 'sha256-[\w+/=]{44}';", policy)
    assert "unsafe" not in policy
    assert "script-src 'self'; style-src 'self';" in client.of_plan("GET", "/verify").headers["content-security-policy"]


def test_a_language_is_taken_where_it_is_offered_as_the_form_does():
    offered = ["en", "de", "pt-BR"]
    for wanted, found in (
        (["fr", "de-AT", "en"], "de"),
        (["pt"], "pt-BR"),
        (["PT-br", "de"], "pt-BR"),
        (["ja"], "en"),
        ([], "en"),
    ):
        assert choose_language(offered, wanted) == found


def test_the_bare_address_tells_a_browser_what_it_is_and_refuses_a_program(client, plan):
    page = client.ask("GET", "/", Accept="text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    text = page.body.decode()
    assert "A survey without a title" in text
    assert f'<a href="plans/{plan.hash}/form">' in text
    assert client.ask("GET", "/client/style.css").status == 200
    for accepted in ("*/*", "application/json", "text/html;q=0"):
        answer = client.ask("GET", "/", Accept=accepted)
        assert (answer.status, answer.headers["content-type"]) == (404, "application/problem+json")


def test_the_bare_address_names_a_survey_as_it_names_itself_and_how_it_is_answered(tmp_path):
    words = {"title": {"de": "Wie <b>wir</b> leben", "en": "How we live"}, "languages": ["de", "en"]}
    survey = {
        "version": 1,
        "epsilon": "1",
        "about": words,
        "attribute": {"x": {"categories": 3}},
        "ask": [{"histogram": "x"}],
    }
    own = Plan.of(Survey.read(survey), 100)
    store = ReportStore.open(tmp_path / "reports.sqlite", own)
    with on_a_thread(store) as client:
        text = client.ask("GET", "/", Accept="text/html").body.decode()
        assert '<h2 lang="de">Wie &lt;b&gt;wir&lt;/b&gt; leben</h2>' in text
        assert "Answer it" in text
        assert client.as_analyst("POST", "/close").status == 200
        assert "It is closed." in client.ask("GET", "/", Accept="text/html").body.decode()
    store = ReportStore.open(tmp_path / "invited.sqlite", own)
    store.collections[own.hash].invite(InvitationList.of(own.hash, ["ab" * 16]).hashes)
    with on_a_thread(store) as client:
        assert "by invitation" in client.ask("GET", "/", Accept="text/html").body.decode()
        assert 'data-invitations="needed"' in client.of_plan("GET", "/form").body.decode()
