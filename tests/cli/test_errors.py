"""What goes wrong ends with its exit code and one message: never a traceback, never half a file."""

import hashlib
import json

import pytest

from golden_people import text_of

BAD_SURVEY = """\
version = 2
epsilonn = "1"
[attribute.colour]
categories = ["red", "red"]
[[ask]]
histogram = "color"
"""


def refused(streams, *words, exit_code=2):
    """The exit code, silence on the output, and all the words on the error stream."""
    code, out, err = streams
    assert (code, out) == (exit_code, "")
    assert "Traceback" not in err
    assert [word for word in words if word not in err] == []
    return err


KEYED = ["privatize", "plan.json", "people.csv", "-o", "new.csv", "--id", "colour"]
MISTAKES = {
    "unknown command": (["privatise", "plan.json"], ["privatise"]),
    "unknown option": (["certify", "plan.json", "--quiet"], ["--quiet"]),
    "no people": (["plan", "survey.toml", "-o", "new.json"], ["--people"]),
    "people and accuracy": (
        ["plan", "survey.toml", "--people", "9", "--accuracy", "0.1", "-o", "new.json"],
        ["people and an accuracy together", "found epsilon = "],
    ),
    "accuracy in percent": (["plan", "survey.toml", "--accuracy", "1", "-o", "new.json"], ["accuracy", "1.0", "0.01"]),
    "people as a word": (["plan", "survey.toml", "--people", "many", "-o", "new.json"], ["--people", "many"]),
    "people zero": (["plan", "survey.toml", "--people", "0", "-o", "new.json"], ["--people", "1<=x", "0 is not"]),
    "no output": (["privatize", "plan.json", "people.csv"], ["--output"]),
    "no reports": (["estimate", "plan.json"], ["REPORTS"]),
    "no survey there": (["plan", "none.toml", "--people", "9", "-o", "new.json"], ["none.toml", "no such file"]),
    "no plan there": (["certify", "none.json"], ["none.json", "no such file"]),
    "a folder as plan": (["explain", "."], ["a folder"]),
    "a survey as plan": (
        ["explain", "survey.toml"],
        ["must be a plan; found a survey: freeze it first"],
    ),
    "an aggregate as plan": (
        ["explain", "aggregate.json"],
        ["plan; found an aggregate: `sordino estimate`"],
    ),
    "a plan as aggregate": (
        ["estimate", "plan.json", "plan.json"],
        ["must be an aggregate; found a plan: give it"],
    ),
    "a plan as survey": (
        ["plan", "plan.json", "--people", "9", "-o", "new.json"],
        ["must be a survey; found a plan"],
    ),
    "no data there": (["privatize", "plan.json", "none.csv", "-o", "new.csv"], ["none.csv", "must be a file"]),
    "reports as data": (
        ["privatize", "plan.json", "reports.csv", "-o", "new.csv"],
        ["table; found a file of reports"],
    ),
    "data as reports": (["estimate", "plan.json", "people.csv"], ["people.csv", "plan, code"]),
    "data of another kind": (["privatize", "plan.json", "survey.toml", "-o", "new.csv"], ["found a survey"]),
    "data of no kind": (["privatize", "plan.json", "link.txt", "-o", "new.csv"], [".csv.gz"]),
    "a survey as reports": (["estimate", "plan.json", "survey.toml"], ["must be a file of reports; found a survey"]),
    "reports before the plan": (["estimate", "reports.csv", "plan.json"], ["must be a plan; found a file of reports"]),
    "people before the plan": (["privatize", "people.csv", "plan.json", "-o", "new.csv"], ["plan; found a table"]),
    "reports exist": (["privatize", "plan.json", "people.csv", "-o", "reports.csv"], ["second release"]),
    "output of another kind": (["privatize", "plan.json", "people.csv", "-o", "new.txt"], ["new.txt", ".parquet"]),
    "a key without ids": (["privatize", "plan.json", "people.csv", "-o", "new.csv", "--key", "key"], ["--id COLUMN"]),
    "a task without a key": (["privatize", "plan.json", "people.csv", "-o", "new.csv", "--task", "2"], ["--key FILE"]),
    "no such ids": (["privatize", "plan.json", "people.csv", "-o", "new.csv", "--id", "who"], ["who", "--id COLUMN"]),
    "ids twice": (["privatize", "plan.json", "people.csv", "-o", "new.csv", "--id", "colour"], ["row 2, colour"]),
    "a plan as key": ([*KEYED, "--key", "plan.json"], ["plan.json", "must be a key file; found a plan"]),
    "a folder as key": ([*KEYED, "--key", "."], ["must be a key file", "folder"]),
    "a key in no folder": ([*KEYED, "--key", "none/key"], ["none"]),
    "output in no folder": (["privatize", "plan.json", "people.csv", "-o", "none/new.csv"], ["none"]),
    "plan in no folder": (["plan", "survey.toml", "--people", "9", "-o", "none/new.json"], ["none"]),
    "table in no folder": (["estimate", "plan.json", "reports.csv", "-o", "none/new.csv"], ["none"]),
    "table of another kind": (["estimate", "plan.json", "reports.csv", "-o", "new.xlsx"], ["new.xlsx", ".parquet"]),
    "page in no folder": (["estimate", "plan.json", "reports.csv", "--html", "none/new.html"], ["none"]),
    "aggregate in no folder": (["aggregate", "plan.json", "reports.csv", "-o", "none/new.json"], ["none"]),
    "the same file twice": (["estimate", "plan.json", "reports.csv", "reports.csv"], ["twice"]),
    "the same file by two names": (["estimate", "plan.json", "reports.csv", "./reports.csv"], ["twice"]),
    "an aggregate twice": (["aggregate", "plan.json", *["aggregate.json"] * 2, "-o", "new.json"], ["twice"]),
    "the same file by a link": (["estimate", "plan.json", "reports.csv", "link.csv"], ["twice"]),
    "a table over its reports": (["estimate", "plan.json", "reports.csv", "-o", "reports.csv"], ["overwritten"]),
    "a page over its plan": (["estimate", "plan.json", "reports.csv", "--html", "plan.json"], ["overwritten"]),
    "an aggregate over reports": (["aggregate", "plan.json", "reports.csv", "-o", "reports.csv"], ["overwritten"]),
    "a plan over a survey": (["plan", "survey.toml", "--people", "9", "-o", "survey.toml"], ["overwritten"]),
    "a folder as page": (["estimate", "plan.json", "reports.csv", "--html", "."], ["folder"]),
    "a folder as new plan": (["plan", "survey.toml", "--people", "9", "-o", "."], ["folder"]),
    "a pattern as data": (["privatize", "plan.json", "peop*.csv", "-o", "new.csv"], ["peop*.csv"]),
    "unknown method": (["estimate", "plan.json", "reports.csv", "--method", "best"], ["best", "block-simplex"]),
    "confidence of no accuracy": (
        ["plan", "survey.toml", "--people", "9", "--confidence", "0.9", "-o", "new.json"],
        ["must be of an accuracy", "found --confidence alone", "leave --confidence out"],
    ),
    "confidence zero": (["estimate", "plan.json", "reports.csv", "--confidence", "0"], ["confidence", "0.0"]),
    "confidence one": (["estimate", "plan.json", "reports.csv", "--confidence", "1"], ["confidence", "1.0"]),
    "confidence in percent": (["estimate", "plan.json", "reports.csv", "--confidence", "95"], ["confidence", "95"]),
    "confidence nan": (["estimate", "plan.json", "reports.csv", "--confidence", "nan"], ["confidence", "nan"]),
    "no people in the demo": (["demo", "--people", "0", "--folder", "new"], ["--people", "0"]),
}


@pytest.mark.each_value
@pytest.mark.parametrize(("arguments", "words"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.parametrize("json_mode", [False, True], ids=["text", "json"])
def test_a_mistake_ends_with_exit_code_2(released, run, arguments, words, json_mode):
    (released / "link.csv").symlink_to("reports.csv")
    before = {path: path.read_bytes() for path in released.iterdir()}
    code, out, err = run(*arguments, *(["--json"] if json_mode else []))
    if json_mode:
        error = json.loads(out)["error"]
        assert list(error)[:7] == ["type", "title", "detail", "code", "rule", "found", "step"]
        assert error["code"] == "invalid"
        assert error["rule"] in err
    refused((code, "" if json_mode else out, err), *words)
    assert {path: path.read_bytes() for path in released.iterdir()} == before


def test_all_mistakes_of_a_survey_are_told_at_once(folder, run):
    (folder / "survey.toml").write_text(BAD_SURVEY)
    error = refused(
        run("plan", "survey.toml", "--people", "9", "-o", "plan.json"), "survey.toml has 5 mistakes", "version",
        "epsilon must be given", "did you mean 'epsilon'", "attribute.colour", "did you mean 'colour'",
    )  # fmt: skip
    assert error.count("\n  - ") == 5
    assert not (folder / "plan.json").exists()


CHANGES = {
    "threshold": (["queries", 0, "mechanism", "inner", 0, "threshold"], str(2**64 - 1)),
    "epsilon": (["attributes", "colour", "protect", "epsilon"], "10"),
    "version": (["version"], 5),
    "older version": (["version"], 1),
    "hash": (["hash"], "sha256:" + "f" * 64),
    "unknown field": (["note"], "hello"),
}
USES = {
    "privatize": ["people.csv", "-o", "new.csv"],
    "aggregate": ["reports.csv", "-o", "new.json"],
    "estimate": ["reports.csv"],
    "certify": [],
    "explain": [],
}


@pytest.mark.parametrize("command", USES)
@pytest.mark.parametrize(("path", "value"), CHANGES.values(), ids=CHANGES)
def test_no_command_takes_a_changed_plan(released, run, command, path, value):
    document = json.loads((released / "plan.json").read_bytes())
    table = document
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    (released / "plan.json").write_text(text_of(document))
    refused(run(command, "plan.json", *USES[command]), "plan.json", exit_code=2 if path == ["version"] else 4)
    assert not list(released.glob("new*"))


@pytest.mark.parametrize("command", USES)
def test_no_command_takes_a_resealed_plan_that_breaks_its_promise(released, run, command):
    document = json.loads((released / "plan.json").read_bytes())
    part = document["queries"][0]["mechanism"]["inner"][0]
    part["threshold"] = str(int(part["threshold"]) + 1)
    content = {key: value for key, value in document.items() if key != "hash"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
    document["hash"] = "sha256:" + hashlib.sha256(text).hexdigest()
    (released / "plan.json").write_text(text_of(document))
    refused(run(command, "plan.json", *USES[command]), "keep its own promise", exit_code=3)
    assert not list(released.glob("new*"))


def test_another_plans_reports_are_refused(released, run):
    text = (released / "survey.toml").read_text(encoding="utf-8")
    (released / "other.toml").write_text(text.replace('"4"', '"3"'), encoding="utf-8")
    run("plan", "other.toml", "--people", "1000", "-o", "other.json")
    for reports in ("reports.csv", "aggregate.json"):
        for command in (["estimate"], ["aggregate", "-o", "new.json"]):
            refused(run(command[0], "other.json", reports, *command[1:]), reports, "a different plan")
    assert not (released / "new.json").exists()


def test_a_mistake_in_the_data_names_the_row(released, run):
    (released / "people.csv").write_text("colour\nred\nZebra7731\n")
    error = refused(run("privatize", "plan.json", "people.csv", "-o", "new.csv"), "people.csv, row 2, colour")
    assert "Zebra7731" not in error
    assert error.count("\n") == 1
