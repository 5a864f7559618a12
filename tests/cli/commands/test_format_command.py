"""`sordino format` rewrites a file in place, or says what it would change, or writes elsewhere."""

import io
import json
import stat
import sys

import pytest

from commands import run_here
from sordino import plan

SPELLED = """\
# Us
epsilon = "ln(3)"
[attribute.smoker]  # who
question = "Do you smoke?"
yes_no = true
[[ask]]
shares = "smoker"
"""
WRITTEN = """\
# Us
version = 1
epsilon = "ln 3"
[attribute.smoker]  # who
text = "Do you smoke?"
categories = ["yes", "no"]
[[ask]]
histogram = "smoker"
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "survey.toml").write_text(SPELLED, encoding="utf-8")
    return lambda *words: run_here("format", *words, folder=tmp_path)


def test_a_survey_is_written_anew_in_place_and_has_the_same_plan(tmp_path, run):
    path = tmp_path / "survey.toml"
    before = plan(path, 1000)
    path.chmod(0o640)
    assert run("survey.toml") == (0, "survey.toml: written in the way of the docs\n", "")
    assert path.read_text(encoding="utf-8") == WRITTEN
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert plan(path, 1000).bytes == before.bytes
    assert run("survey.toml") == (0, "survey.toml: left as it is\n", "")
    assert [one.name for one in tmp_path.iterdir()] == ["survey.toml"]


def test_a_link_stays_one(tmp_path, run):
    (tmp_path / "link.toml").symlink_to("survey.toml")
    assert run("link.toml")[0] == 0
    assert (tmp_path / "link.toml").is_symlink()
    assert (tmp_path / "survey.toml").read_text(encoding="utf-8") == WRITTEN


def test_check_says_what_would_change_and_writes_nothing(tmp_path, run):
    code, out, err = run("survey.toml", "--check")
    assert (code, err) == (1, "")
    assert out.startswith("--- survey.toml\n")
    for line in ('-question = "Do you smoke?"', '+text = "Do you smoke?"', '-epsilon = "ln(3)"', '+epsilon = "ln 3"'):
        assert line in out.splitlines()
    assert (tmp_path / "survey.toml").read_text(encoding="utf-8") == SPELLED
    code, out, _ = run("survey.toml", "--check", "--json")
    assert (code, json.loads(out)["changed"]) == (1, True)
    (tmp_path / "survey.toml").write_text(WRITTEN, encoding="utf-8")
    assert run("survey.toml", "--check") == (0, "survey.toml: left as it is\n", "")
    assert json.loads(run("survey.toml", "--check", "--json")[1]) == {
        "survey": "survey.toml",
        "changed": False,
        "diff": [],
    }


def test_another_file_is_new_and_standard_output_takes_the_survey(tmp_path, run):
    assert run("survey.toml", "-o", "-") == (0, WRITTEN, "")
    assert run("survey.toml", "-o", "new.toml") == (0, "new.toml: written in the way of the docs\n", "")
    assert (tmp_path / "new.toml").read_text(encoding="utf-8") == WRITTEN
    assert "new.toml must not exist yet" in run("survey.toml", "-o", "new.toml")[2]
    assert (tmp_path / "survey.toml").read_text(encoding="utf-8") == SPELLED


@pytest.mark.parametrize(("words", "said"), [((), (0, WRITTEN)), (("--check",), (1, ""))])
def test_standard_input_becomes_standard_output(monkeypatch, run, words, said):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SPELLED.encode())))
    code, out, err = run("-", *words)
    assert (code, err) == (said[0], "")
    assert out == said[1] or out.startswith("--- standard input\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("survey.toml", "--check", "-o", "new.toml"), "--check writes nothing"),
        (("survey.toml", "--json", "-o", "-"), "standard output takes one document"),
        (("-", "--json"), "standard output takes one document"),
        (("none.toml",), "none.toml must be possible to read"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path, run, words, said):
    code, _, err = run(*words)
    assert (code, said in err) == (2, True)
    assert (tmp_path / "survey.toml").read_text(encoding="utf-8") == SPELLED


def test_a_plan_is_no_survey_and_a_mistake_leaves_the_file_as_it_is(tmp_path, run):
    plan(tmp_path / "survey.toml", 1000).save(tmp_path / "plan.json")
    assert "plan.json must be a survey; found a plan" in run("plan.json")[2]
    wrong = SPELLED + 'histogram = "smoker"\n'
    (tmp_path / "survey.toml").write_text(wrong, encoding="utf-8")
    code, _, err = run("survey.toml")
    assert (code, "ask.0.histogram must be said once: shares means the same" in err) == (2, True)
    assert (tmp_path / "survey.toml").read_text(encoding="utf-8") == wrong
