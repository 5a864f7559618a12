"""The site (`make site`): every page stands in its menu, its pictures are current, and it promises what files say."""

import re
from pathlib import Path

import pytest
import yaml

import make_promise_pictures
from check_site import mistakes
from sordino.document import formats
from sordino.once.journal import journal_file

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


class Menu(yaml.SafeLoader):
    """Reads mkdocs.yml without what Python it names."""


Menu.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


@pytest.fixture(scope="module")
def menu():
    """The pages in the menu, by their place."""

    def leaves(part):
        if isinstance(part, str):
            yield part
        else:
            for child in part.values() if isinstance(part, dict) else part:
                yield from leaves(child)

    return list(leaves(yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Menu)["nav"]))  # noqa: S506 - safe


def test_every_page_stands_once_in_the_menu(menu):
    assert len(menu) == len(set(menu))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    hooks = (ROOT / "scripts" / "site_hooks.py").read_text(encoding="utf-8")
    added = set(re.findall(r'^    "\S+\.md": "(\S+\.md)",$', hooks, re.MULTILINE))
    api = {f"api/{floor}.md" for floor in re.findall(r'^    "(\w+)": \(', hooks, re.MULTILINE)}
    assert {page for page in menu if page.startswith("api/")} <= api
    assert set(menu) - api == pages | added


def test_every_public_name_has_an_api_page(menu):
    stub = (ROOT / "src" / "sordino" / "__init__.pyi").read_text(encoding="utf-8")
    floors = set(re.findall(r"^from sordino\.(\w+)", stub, re.MULTILINE))
    assert {f"api/{floor}.md" for floor in floors} == {page for page in menu if page.startswith("api/")}


def test_pictures_are_those_of_the_surveys_on_their_pages():
    """scripts/make_promise_pictures.py makes them."""
    drawn = make_promise_pictures.pictures()
    folder = DOCS / "promises"
    assert {name: (folder / name).read_text(encoding="utf-8") for name in drawn} == drawn
    assert {path.name for path in folder.glob("*.svg")} == drawn.keys()


def test_a_dead_link_and_a_request_to_a_network_are_mistakes(tmp_path):
    good = '<h1 id="top">A</h1><a href="#top"></a><a href="b/c.html#in"></a><a href="https://elsewhere.example/"></a>'
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.html").write_text('<p id="in"><a href="../a.html#top">back</a>', encoding="utf-8")
    (tmp_path / "a.html").write_text(good, encoding="utf-8")
    assert mistakes(tmp_path) == []
    bad = {
        '<a href="gone.html"></a>': "a.html: gone.html leads nowhere",
        '<a href="b/c.html#out"></a>': "a.html: b/c.html#out names no anchor",
        '<a href="#out"></a>': "a.html: #out names no anchor",
        '<script src="https://far.example/x.js"></script>': "a.html: fetches https://far.example/x.js",
        '<img src="//far.example/x.png">': "a.html: fetches //far.example/x.png",
        '<link rel="stylesheet" href="https://far.example/x.css">': "a.html: fetches https://far.example/x.css",
    }
    for tag, line in bad.items():
        (tmp_path / "a.html").write_text(good + tag, encoding="utf-8")
        assert mistakes(tmp_path) == [line]
    (tmp_path / "a.html").write_text(good, encoding="utf-8")
    (tmp_path / "b" / "x.css").write_text('@import url("https://far.example/y.css")', encoding="utf-8")
    assert mistakes(tmp_path) == ["b/x.css: fetches from a network"]


def test_each_promise_has_its_page_with_all_that_it_must_say():
    pages = [page for page in (DOCS / "promises").glob("*.md") if page.name != "index.md"]
    index = (DOCS / "promises" / "index.md").read_text(encoding="utf-8")
    assert len(pages) == 8
    for page in pages:
        text = page.read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == ["Who learns what", "What it costs", "What breaks it", "The certificate"], page.name
        assert f"]({page.stem}.svg)" in text
        assert f"]({page.name})" in index


@pytest.mark.parametrize(
    ("row", "sealed"),
    [
        ("plan", formats.PLAN),
        ("report", formats.REPORT),
        ("tally", formats.AGGREGATE),
        ("statement", formats.STATEMENT),
    ],
)
def test_what_stays_is_the_version_that_is_written(row, sealed):
    page = (DOCS / "stability.md").read_text(encoding="utf-8")
    (version,) = re.findall(rf"^\| {row}[^|]*\| (\d+) \|", page, re.MULTILINE)
    assert int(version) == sealed.version


def test_what_stays_is_the_version_of_a_journal():
    page = (DOCS / "stability.md").read_text(encoding="utf-8")
    assert f"\n| ledger, store of answers (SQLite) | {journal_file.VERSION} |" in page


def test_the_front_of_the_package_index_leads_to_no_file_of_the_repository():
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "PACKAGE.md").read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith("https://")] == []


def read(name):
    return (DOCS / name).read_text(encoding="utf-8")


def test_what_promises_cost_is_what_their_pages_show():
    """Numbers of a page's sentences stand in what its commands print, and the index has their ratios."""
    for page in (DOCS / "promises").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        printed = " ".join(re.findall(r"```\w+\n(.*?)```", text, re.DOTALL))
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        numbers = set(re.findall(r"\b\d+,\d{3}\b|\b0\.\d{3,}\b", prose)) - {"10,000", "43,750", "30,000", "3,000"}
        assert {number for number in numbers if number not in printed} == set(), page.name
        row = re.search(rf"\]\({page.name}\).*\| (.*) \|$", read("promises/index.md"), re.MULTILINE)
        ratios = {
            f"1/{int(most.replace(',', '')) / int(least.replace(',', '')):.1f}"
            for least, most in re.findall(r"people needed for the same squared error +([\d,]+) +([\d,]+)", printed)
        }
        if ratios:
            assert set(re.findall(r"1/[\d.]+", row[1])) == ratios - {"1/1.0"}, page.name


def test_a_comparison_has_the_figures_of_the_benchmarks():
    bench, page = read("benchmarks.md"), read("migrate.md")
    for name, oracle, slow in (
        ("pure-ldp, Hadamard response", "pure-ldp: HadamardResponse", "Hadamard response, k = 1,024: pure-ldp"),
        (
            "multi-freq-ldpy, subset selection",
            "multi-freq-ldpy: SS",
            "ours CyclicSubsets): multi-freq-ldpy's SS_Client",
        ),
        (
            "multi-freq-ldpy, optimal unary encoding",
            "multi-freq-ldpy: UE",
            "ours CyclicSubsets): multi-freq-ldpy's UE_Client",
        ),
    ):
        over = {
            epsilon: float(ratio)
            for epsilon, ratio in re.findall(rf"^\| (\d) \| {oracle}[^|]*\|.*\| ([\d.]+) \|$", bench, re.MULTILINE)
        }
        (time,) = re.findall(rf"{re.escape(slow)} \| - \| ([\d,]+) \(", bench)
        row = [f"{over[epsilon]:.2f}" for epsilon in "124"]
        assert f"| {name} | {' | '.join(row)} | {time} |" in page, row
