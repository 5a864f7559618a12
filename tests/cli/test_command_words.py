"""Messages below the commands name verbs and arguments of Python; commands say them as their own, in one place."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

import sordino
from sordino import SordinoError
from sordino.cli.command_words import OPTIONS, command_facts, command_words
from sordino.cli.main import COMMANDS

SOURCE = Path(sordino.__file__).parent
OF_COMMANDS = {"cli", "demo", "forms", "once", "papers", "registry", "service"}
"""Rooms that a verb of Python does not reach, or that commands alone have."""
VERBS = (
    "aggregate",
    "ask",
    "certify",
    "change",
    "dependence",
    "estimate",
    "explain",
    "forecast",
    "plan",
    "privatize",
    "report",
)
OPTION = re.compile(r"(?<![-\w])--[a-z]{2,}")
COMMAND = re.compile(rf"sordino ({'|'.join(VERBS)})\b")
FORMAT = re.compile(r"sordino [a-z]+")


@cache
def texts_of(path):
    """All strings of a file that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
    ]


def test_no_message_that_python_shows_names_an_option_or_a_command():
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).parts[0]
        if room in OF_COMMANDS or room == "__main__.py":
            continue
        # What a document calls itself is no command.
        wrong += [
            f"{path.relative_to(SOURCE)}: {text[:90]}"
            for text in texts_of(path)
            if OPTION.search(text) or (COMMAND.search(text) and not FORMAT.fullmatch(text))
        ]
    assert not wrong, "\n".join(wrong)


def test_every_argument_that_messages_name_has_its_option():
    arguments = {name for verb in VERBS for name in inspect.signature(getattr(sordino, verb)).parameters}
    options = {option for name in COMMANDS for option in _options(name)}
    for argument, option in OPTIONS.items():
        assert argument in arguments | {"overwrite"}, argument
        assert option.split()[0] in options, option
    # Whatever stands in grave accents and is an argument is said as an option.
    named = {
        found
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] not in OF_COMMANDS
        for text in texts_of(path)
        for found in re.findall(r"`([a-z_]+)`", text)
    }
    assert named & arguments <= set(OPTIONS)
    verbs = {
        found
        for path in SOURCE.rglob("*.py")
        for text in texts_of(path)
        for found in re.findall(r"`sordino\.([a-z]+)`", text)
    }
    assert verbs <= set(VERBS) & set(COMMANDS)


def _options(name):
    return [option for parameter in COMMANDS[name].load().params for option in parameter.opts]


def test_other_words_stay_as_they_are():
    for text in ("`file`", "key", "`keys`", "sordino.plan", "`sordino ledger new`", "`sordino serve`"):
        assert command_words(text) == text
    facts = {"step": "`key`", "errors": [{"step": "`sordino.plan`"}], "n": 3}
    assert command_facts(facts) == {"step": "--key FILE", "errors": [{"step": "`sordino plan`"}], "n": 3}


def test_a_prompt_is_told_arguments(tmp_path):
    asked = {"version": 1, "epsilon": "1", "attribute": {"a": {"categories": ["y", "n"]}}, "ask": [{"histogram": "a"}]}
    frozen, people = sordino.plan(asked, 100), pa.table({"a": ["y", "n"]})
    with pytest.raises(SordinoError, match=r"give `people`, or `accuracy`"):
        sordino.plan(asked)
    with pytest.raises(SordinoError, match=r"name it: `id_column`\.$"):
        sordino.privatize(frozen, people, key=tmp_path / "key")
    (tmp_path / "survey.toml").write_text('version = 1\nepsilon = "1"\n[[ask]]\nhistogram = "a"\n')
    with pytest.raises(SordinoError, match=r"freeze it first with `sordino\.plan`"):
        sordino.certify(tmp_path / "survey.toml")
