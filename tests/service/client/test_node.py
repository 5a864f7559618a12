"""The browser client under Node: its own tests, a file each, and the programs of the documentation."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from collectors import asked, collecting
from commands import PATIENCE
from page_reader import BLOCK, CLIENT, PAGES, ROOT
from surveys import planned

FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))

pytestmark = pytest.mark.live


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_node_finds_nothing_wrong(path):
    found = subprocess.run(
        ["node", "--test", "--test-reporter=tap", path],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    assert found.returncode == 0, found.stdout
    assert "\n# skipped 0\n" in found.stdout


PROGRAMS = [
    (page, block)
    for page in PAGES
    for language, block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    if language == "js"
]
SURVEY = {
    "version": 1,
    "epsilon": "1",
    "attribute": {"smoker": {"categories": ["yes", "no"]}, "age": {"number": {"low": 18, "high": 90}}},
    "ask": [{"histogram": "smoker"}, {"mean": "age"}],
}
PAGE = """
import {{ Disk }} from {disk};
// What a browser has, and what the page that holds the program has.
globalThis.indexedDB = new Disk();
globalThis.crypto ??= (await import("node:crypto")).webcrypto;
const shown = [];
Object.assign(globalThis, {{ hash: {hash}, show: (lines) => shown.push(...lines) }});
await import("./program.mjs");
"""


def plan_of(block):
    """A plan of the attributes that a program has answers to."""
    names = [name for name in SURVEY["attribute"] if re.search(rf"\b{name}: ", block)]
    ask = [question for question in SURVEY["ask"] if set(question.values()) <= set(names)]
    return planned({**SURVEY, "attribute": {name: SURVEY["attribute"][name] for name in names}, "ask": ask})


@pytest.mark.parametrize(("page", "block"), PROGRAMS, ids=[page for page, _ in PROGRAMS])
def test_a_program_of_a_page_is_a_module(page, block, tmp_path):
    (tmp_path / "program.mjs").write_text(block, encoding="utf-8")
    node(["--check", "program.mjs"], tmp_path)


SENDING = [(page, block) for page, block in PROGRAMS if "new Outbox" in block]


@pytest.mark.parametrize(("page", "block"), SENDING, ids=[page for page, _ in SENDING])
def test_a_program_of_a_page_sends_a_report_that_is_counted(page, block, tmp_path):
    plan = plan_of(block)
    with collecting(plan, tmp_path / "reports.sqlite", 1, published=True) as (address, _):
        place = block.replace("https://collector.example/client", CLIENT.as_uri())
        place = place.replace("https://collector.example/plans/${hash}", address)
        assert "collector.example" not in place
        (tmp_path / "program.mjs").write_text(place, encoding="utf-8")
        disk = json.dumps((Path(__file__).parent / "disk.mjs").as_uri())
        (tmp_path / "page.mjs").write_text(PAGE.format(disk=disk, hash=json.dumps(plan.hash)), encoding="utf-8")
        printed = node(["page.mjs"], tmp_path)
        assert json.loads(asked(f"{address}/progress"))["reports"] == 1
        assert ("estimate" in printed) == ("estimates(" in block)


def test_programs_of_two_pages_send_reports():
    assert {page for page, _ in SENDING} == {"docs/browser.md", "docs/roles/web-developer.md"}


def node(words, folder):
    """What a program prints, which must end well."""
    found = subprocess.run(
        ["node", *words], cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout
