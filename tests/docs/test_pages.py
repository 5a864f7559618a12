"""Every page of the documentation does what it says: `page_reader` says how each block is run."""

import tomllib
from contextlib import ExitStack

import click
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from in_one import in_one
from page_reader import (
    BLOCK,  # fmt: skip
    DRAWINGS,  # fmt: skip
    FRAMES,  # fmt: skip
    LIVE,  # fmt: skip
    PAGES,  # fmt: skip
    ROOT,  # fmt: skip
    Reader,  # fmt: skip
    check_element,  # fmt: skip
    check_imports,  # fmt: skip
    check_line,  # fmt: skip
    check_mention,  # fmt: skip
)
from sordino.demo.run import SURVEY
from sordino.demo.simulated_people import draw_people


def leave_demo(folder):
    """Leave what `sordino demo` leaves, with fewer people; the page has the survey."""
    (folder / "sordino-demo").mkdir()
    for seed, name in enumerate(("people.csv", "sample.csv")):
        people = pa.table(draw_people(2000, seed), names=["latitude", "longitude"])
        pc.write_csv(people, folder / "sordino-demo" / name)


PREPARED = {"README.md": leave_demo}
"""What is in a page's folder before it begins."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(page, tmp_path, run):
    with ExitStack() as stack:
        PREPARED.get(page, lambda _: None)(tmp_path)
        Reader(page, tmp_path, run, stack).read_all()


def test_the_survey_of_the_readme_is_what_the_demo_leaves():
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    shown = next(tomllib.loads(block) for language, block in blocks if language == "toml")
    assert shown == tomllib.loads(SURVEY)


def test_the_tables_of_exceptions_have_no_line_too_many():
    found = [block for page in PAGES for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]
    assert set(LIVE) <= {language for language, _ in found}
    fragments = [block for language, block in found if language == "toml" and not block.startswith("# ")]
    assert {name for name in FRAMES if not any(name in block for block in fragments)} == set()
    assert DRAWINGS.keys() <= set(PAGES)


WRONG = [
    (check_line, "sordino plan survey.toml --peple 5 -o plan.json", "No such option '--peple'"),
    (check_line, "sordino aggregate PLAN REPORTS", "output is missing"),
    (check_line, "sordino serve --store reports.sqlite", "plans is missing"),
    (check_line, "sordino report plan.json me.toml more", "too many arguments"),
    (check_line, "sordino aggregate PLAN REPORTS -o TALLY --engine sparkle", "is not one of"),
    (check_line, "zcat people.csv.gz | sordino privatise", "no command privatise"),
    (check_line, "make demo && wget x", "nothing here knows wget"),
    (check_line, "make tests", "make tests"),
    (check_line, "make demo MORE=1", "make MORE=1"),
    (check_line, "make bench BENCH=speed", "make BENCH=speed"),
    (check_line, "pip install 'sordino[everything]'", "everything"),
    (check_line, "go run . -signedby KEY", "signedby"),
    (check_mention, "sordino answer --take-bak", "--take-bak"),
    (check_mention, "sordino collector tokens add", "no command tokens"),
    (check_imports, 'import { Outbix } from "https://collector.example/client/index.js";', "Outbix"),
    (check_imports, 'import "@sordino/client/elements";', "elements"),
    (check_element, '<script type="module" src="/sordino-form.js"></script><sordino-form signed="">', "signed"),
]


@in_one("check, line, found", WRONG)
def test_what_a_page_has_wrong_is_found(check, line, found):
    with pytest.raises((AssertionError, KeyError, click.ClickException)) as mistake:
        check(line)
    assert found in str(mistake.value)


def test_a_fragment_without_a_frame_is_a_mistake(tmp_path, run):
    reader = Reader("README.md", tmp_path, run, None)
    with pytest.raises(AssertionError, match="must name its file, or have a frame in FRAMES; found colour"):
        reader.read("toml", "[colour]\nred = 1\n", "")
    with pytest.raises(AssertionError, match="no later block uses never"):
        reader.read("toml", "# never.toml\nversion = 1\n", "```console\n$ sordino plan other.toml\n```\n")
    with pytest.raises(AssertionError, match="nothing here runs ruby"):
        reader.read("ruby", "puts 1\n", "")
