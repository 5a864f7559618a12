"""The page about ledgers is true: its commands and its program run on its files, and every setting has its line."""

import re
import shlex
from pathlib import Path

import pytest

from commands import run_program
from in_one import in_one
from sordino.once.ledger.documents.query_table import ModelTable, QueryTable, RangedModelTable
from sordino.once.ledger.documents.terms_table import BoundsTable, RangeTable, RecordAttributeTable, TermsTable

PAGE = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ran(tmp_path_factory, run):
    """The folder of the page's files, and what each command printed there."""
    folder = tmp_path_factory.mktemp("page")
    for name, content in re.findall(r"```toml\n# (\S+)\n(.*?)```", PAGE, re.DOTALL):
        (folder / name).write_text(content, encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    outputs = []
    for line in block.splitlines():
        code, output, errors = run(*shlex.split(line.removeprefix("$ sordino")), folder=folder)
        assert (code, errors) == (0, "")
        outputs.append(output)
    return folder, outputs


def test_the_commands_leave_what_they_say(ran):
    folder, outputs = ran
    (said,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert outputs[1] == said
    assert re.fullmatch(r"sleep-1, for Institute of Sleep: [01]\n", outputs[2])
    assert all((folder / name).exists() for name in ("me.ledger", "transcript.jsonl", "check.ledger"))


def test_the_program_runs(ran):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    run_program(program, ran[0])


@in_one("table", [TermsTable, RecordAttributeTable, RangeTable, BoundsTable, QueryTable, ModelTable, RangedModelTable])
def test_every_setting_has_its_line(table):
    for name in table.settings_table():
        assert f"`{name}`" in PAGE or f"[{name}" in PAGE, name
