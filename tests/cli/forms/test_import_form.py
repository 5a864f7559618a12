"""`sordino import`: a form becomes a survey that waits for its promises."""

import json
import tomllib

from sordino.survey.reading.open_choices import CHOOSE
from xlsforms import CHOICES, SETTINGS, SURVEY, write_form


def test_a_form_becomes_a_survey_that_no_plan_is_made_of_before_its_promises_are(tmp_path, run):
    write_form(tmp_path / "form.xlsx", survey=SURVEY, choices=CHOICES, settings=SETTINGS)
    code, out, errors = run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)
    assert (code, errors) == (0, "")
    assert f"survey.toml: 8 attributes, and 21 places with '{CHOOSE}' to set before a plan" in out
    assert "- row 2, 'start': it could say who answered, and when" in out
    assert len(tomllib.loads((tmp_path / "survey.toml").read_text())["attribute"]) == 8
    code, _, errors = run("plan", "survey.toml", "--people", "1000", "-o", "plan.json", folder=tmp_path)
    assert (code, errors.count("must be chosen")) == (2, 21)
    assert not (tmp_path / "plan.json").exists()
    code, out, _ = run("import", "form.xlsx", "-o", "again.toml", "--json", folder=tmp_path)
    document = json.loads(out)
    assert (code, document["attributes"], document["choices"], len(document["left_out"])) == (0, 8, 21, 9)
    assert set(document["left_out"][0]) == {"where", "why"}


def test_a_form_of_lists_is_planned_as_soon_as_its_promises_are_made(tmp_path, run):
    rows = [["type", "name", "label"], ["select_one c", "colour", "Which colour?"]]
    write_form(tmp_path / "form.xlsx", survey=rows, choices=[["list_name", "name"], ["c", "red"], ["c", "blue"]])
    assert run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)[0] == 0
    text = (tmp_path / "survey.toml").read_text()
    lines = [line for line in text.replace(f'epsilon = "{CHOOSE}"', 'epsilon = "1"').splitlines() if CHOOSE not in line]
    (tmp_path / "survey.toml").write_text("\n".join(lines))
    code, out, errors = run("plan", "survey.toml", "--people", "1000", "-o", "plan.json", folder=tmp_path)
    assert (code, errors) == (0, "")
    assert "No question text" not in out


def test_nothing_is_written_over_and_a_form_without_questions_is_refused(tmp_path, run):
    write_form(tmp_path / "form.xlsx", survey=[["type", "name"], ["text", "remarks"]])
    code, _, errors = run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)
    assert (code, "must have a question that can be asked" in errors) == (2, True)
    assert not (tmp_path / "survey.toml").exists()
    (tmp_path / "survey.toml").write_text("mine")
    code, _, errors = run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)
    assert (code, "must not exist yet" in errors) == (2, True)
    assert (tmp_path / "survey.toml").read_text() == "mine"
