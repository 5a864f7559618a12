"""Names that somebody else wrote never command a terminal, and never look like a line of ours."""

import ast
import json
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from rich import box
from rich.console import Console
from rich.table import Table

from in_one import in_one
from sordino import Plan, SordinoError, SordinoErrors, Survey
from sordino.cli.say import say_table
from sordino.printable import escaped_json, printable, quote
from source_trees import source_trees

ESCAPES = {
    "clear the screen": "\x1b[2J",
    "title": "\x1b]0;owned\x07",
    "one byte sequence": "\x9b31m",
    "nothing": "\0",
    "line": "\nsordino: all is well",
    "carriage return": "x\ry",
    "line separator": "x\u2028y",
    "next line": "x\x85y",
    "override": "x\u202egnp",
    "isolate": "\u2066x",
    "hidden": "x\u200by",
    "tag": "x\U000e0041y",
    "half": "x\ud800y",
    "delete": "x\x7f\x08y",
}
GOOD = ["München", "naïve", "na\u200cme", "\U0001f469\u200d\U0001f52c", "日本", "a\u00a0b", "it's; \\x1b", "e\u0301"]


def commands(text):
    """What is left of it that a terminal obeys, or that nobody sees."""
    kinds = {"Cc", "Cs", "Zl", "Zp"}
    marks = {"\u200b", "\u200e", "\u200f", "\u061c", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2060, 0x2070))}
    tags = set(map(chr, range(0xE0000, 0xE0080)))
    return [c for c in text if c != "\n" and (unicodedata.category(c) in kinds or c in marks | tags)]


@in_one("name", ESCAPES)
def test_what_a_terminal_obeys_is_spelled_out(name):
    text = ESCAPES[name]
    assert commands(printable(text)) == []
    assert "\n" not in printable(text)
    assert printable(text) != text
    assert printable(printable(text)) == printable(text)
    assert commands(quote(text)) == []
    document = escaped_json(json.dumps({text: [text]}, ensure_ascii=False))
    assert commands(document) == []
    assert json.loads(document) == {text: [text]}


def test_words_of_all_languages_stay_as_they_are():
    assert [printable(text) for text in GOOD] == GOOD


def test_a_quotation_ends_where_it_ends():
    assert quote('so "it" holds\\') == r'"so \"it\" holds\\"'
    assert quote("a\n- b") == r'"a\n- b"'


@in_one("name", ESCAPES)
def test_errors_hold_none_of_them(name):
    text = ESCAPES[name]
    error = SordinoError(f"{text} must be given", found=text, step=f"write {text}")
    assert commands(str(error)) == []
    assert "\n" not in str(error)
    assert (error.found, json.loads(json.dumps(error.facts()))["found"]) == (text, text)
    every = SordinoErrors(f"the file {text}", [error, error])
    assert commands(str(every)) == []
    assert len(str(every).split("\n")) == 3


def test_errors_are_short_whatever_was_found():
    error = SordinoError("it must be short", found="x" * 10**6, step="y" * 10**6)
    assert len(str(error)) < 1000
    assert error.found.endswith("...")
    assert len(str(SordinoError("z" * 10**6))) < 1000


def last_name(function):
    return getattr(function, "attr", getattr(function, "id", None))


def test_there_is_one_way_out():
    """No command prints but by `sordino.cli.say`; the others here print what is ours alone."""
    own, ways = {"say.py", "start.py", "progress.py"}, {"print", "echo", "secho", "Console", "write"}
    for path, tree in source_trees(rf"\b({'|'.join(ways)})\s*\(").items():
        if path.parent.name == "cli" and path.name in own:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and last_name(node.func) in ways:
                called = ast.unparse(node.func)
                assert called not in {"print", "click.echo", "click.secho", "echo", "Console"}, path
                assert not called.endswith(("stdout.write", "stderr.write")), path


EVIL = "a\x1b[2J\n- All holds\u202e"
LABEL = "red\x9b31m\rgreen"


def tables():
    number = {"number": {"low": 0, "high": 10}}
    return {
        "version": 1,
        "epsilon": "2",
        "attribute": {
            EVIL: {"categories": [LABEL, "b\x1b]0;t\x07"], "delta": "0.5", "column": "c"},
            f"{EVIL}2": {**number, "column": "x"},
            f"{EVIL}3": {**number, "column": "y", "delta": "1"},
        },
        "dependence": {"rest": 0.1},
        "ask": [
            {"histogram": EVIL},
            {"mean": [f"{EVIL}2", f"{EVIL}3"]},
            {"regression": {"target": f"{EVIL}2", "features": [f"{EVIL}3"]}},
        ],
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A plan and people whose names hold what a terminal obeys."""
    monkeypatch.chdir(tmp_path)
    Plan.of(Survey.read(tables()), 20_000).save(tmp_path / "plan.json")
    rng = np.random.default_rng(3)
    columns = {"c": rng.choice([LABEL, "b\x1b]0;t\x07"], 20_000), "x": rng.uniform(0, 10, 20_000)}
    pc.write_csv(pa.table(columns | {"y": columns["x"]}), tmp_path / "people.csv")
    return tmp_path


WAYS = [("explain", "--all"), ("explain",), ("certify",)]


def test_no_command_hands_them_on(folder, run):
    assert run("privatize", "plan.json", "people.csv", "-o", "r.parquet")[0] == 0
    for command, *options in [*WAYS, ("estimate", "r.parquet"), ("estimate", "r.parquet", "--html", "page.html")]:
        code, out, err = run(command, "plan.json", *options)
        assert code == 0
        assert commands(out + err) == []
        assert "\n- All holds" not in out
        assert r"\n- All holds" in out
        exact = run(
            command, "plan.json", *[option for option in options if option not in {"--html", "page.html"}], "--json"
        )
        assert commands(exact[1]) == []
        json.loads(exact[1])
    _, out, _ = run("estimate", "plan.json", "r.parquet", "--json")
    assert {row["attribute"] for row in json.loads(out)["rows"]} >= {EVIL}
    assert LABEL in {row["value"] for row in json.loads(out)["rows"]}


def test_no_message_hands_them_on(folder, run):
    (folder / f"{EVIL}.csv").write_text("z\n1\n")
    wrong = json.dumps(tables() | {"ask": [{"histogram": f"{EVIL}4"}], EVIL: 1})
    (folder / "survey.json").write_text(wrong)
    for words in (
        ("privatize", "plan.json", f"{EVIL}.csv", "-o", "r.csv"),
        ("explain", EVIL),
        ("estimate", "plan.json", f"{EVIL}.csv"),
        ("explain", "plan.json", f"--{EVIL}"),
        ("explain", "plan.json", EVIL),
        (EVIL,),
    ):
        code, out, err = run(*words)
        assert code != 0
        assert commands(out + err) == []
        failed = run(*words, "--json")
        assert commands("".join(map(str, failed))) == []


def library_table(header, rows, width):
    """As the library draws all of it."""
    table = Table(box=box.SIMPLE_HEAD)
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if i else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    with console.capture() as drawn:
        console.print(table)
    return drawn.get()


@pytest.mark.parametrize("colour", [False, True])
def test_rows_are_as_the_library_would_draw_them_which_draws_only_the_head(colour, monkeypatch, capsys):
    if colour:
        monkeypatch.setenv("FORCE_COLOR", "1")
    added = []
    add = Table.add_row
    monkeypatch.setattr(Table, "add_row", lambda *given: added.append(given) or add(*given))
    words = ["", "a", "[b]x", "日本", "e\u0301", "x" * 30, "two words", "\U0001f600", "-1.5", "(4 %)"]
    generator = np.random.default_rng(5)
    whole = 0
    for width in np.repeat([40, 80, 120], 30).tolist():
        monkeypatch.setenv("COLUMNS", str(width))
        header, *rows = generator.choice(words, (1 + generator.integers(6), 1 + generator.integers(5))).tolist()
        added.clear()
        say_table(tuple(header), [tuple(row) for row in rows])
        whole += not added
        assert capsys.readouterr().out == library_table(header, rows, width if colour else 160)
    # Some of a terminal's tables are folded; of a pipe's none of these.
    assert 30 < whole < 90 if colour else whole >= 88
