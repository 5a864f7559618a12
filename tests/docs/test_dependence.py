"""The page about dependence is true: its programs and its command run, and print what it says."""

import re
import shlex
from pathlib import Path

import pytest

from commands import run_program

PAGE = (Path(__file__).parents[2] / "docs" / "dependence.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ran(tmp_path_factory, run):
    """The folder where the page's programs and its command ran, one after the other, and what the command printed."""
    folder = tmp_path_factory.mktemp("page")
    program = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    run_program(program, folder)
    (survey,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (folder / "survey.toml").write_text(survey, encoding="utf-8")
    (line,) = re.findall(r"```console\n\$ (.*?)\n```", PAGE, re.DOTALL)
    code, output, errors = run(*shlex.split(line.removeprefix("sordino")), folder=folder)
    assert (code, errors) == (0, "")
    return folder, output


def test_the_command_prints_the_table_of_the_page(ran):
    _, out = ran
    (table,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    printed = [line.split() for line in out.splitlines()]
    assert all(line.split() in printed or set(line) <= set(" ─") for line in table.splitlines())


def test_the_command_leaves_what_it_was_asked_for(ran):
    folder, _ = ran
    assert (folder / "dependence.json").stat().st_size > 1000
    assert (folder / "dependence.png").read_bytes().startswith(b"\x89PNG")
