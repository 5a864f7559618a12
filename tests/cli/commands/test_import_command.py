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


PROMISES = {f'epsilon = "{CHOOSE}"': 'epsilon = "3"', f'delta = "{CHOOSE}"': 'delta = "2"'}
ROWS = [
    SURVEY[0],
    *(row for row in SURVEY if len(row) > 1 and row[1] in ("about", "smoker", "packs", "age")),
    ["end_group"],
    *(row for row in SURVEY if len(row) > 1 and row[1] == "symptoms"),
    [
        "select_multiple symptoms",
        "worst",
        "Which were bad?",
        "Was war schlimm?",
        None,
        None,
        "${smoker} = 'yes'",
        "count-selected(.) <= 2",
    ],
]
ANSWERS = [
    {"smoker": "yes", "packs": "2", "age": 44, "symptoms": ["cough", "pain"], "worst": ["cough"]},
    {"smoker": "no", "age": 20, "symptoms": []},
]


def test_a_form_with_words_several_answers_and_conditions_is_planned_and_answered(tmp_path, run):
    write_form(tmp_path / "form.xlsx", survey=ROWS, choices=CHOICES, settings=SETTINGS)
    assert run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)[0] == 0
    text = (tmp_path / "survey.toml").read_text()
    for place, promise in PROMISES.items():
        text = text.replace(place, promise)
    (tmp_path / "survey.toml").write_text(text)
    code, out, errors = run("plan", "survey.toml", "--people", "2000", "-o", "plan.json", folder=tmp_path)
    assert (code, errors) == (0, "")
    assert "No question text" not in out
    said = run("explain", "plan.json", "--language", "de", folder=tmp_path)[1]
    lines = (
        "Über Sie",
        "1. Rauchen Sie?",
        "(Ja / Nein)",
        "4. Was trifft zu?",
        "(up to 2 of: Husten / Fieber / Schmerzen",
    )
    assert [line for line in lines if line not in said] == []
    for number, record in enumerate(ANSWERS * 60):
        document = record_file(record)
        (tmp_path / "me.toml").write_text(document)
        code, report, errors = run("report", "plan.json", "me.toml", folder=tmp_path)
        assert (code, errors) == (0, ""), number
        with (tmp_path / "reports.jsonl").open("a") as file:
            file.write(report)
    # Who does not smoke is not asked for packs.
    (tmp_path / "me.toml").write_text(record_file(ANSWERS[1] | {"packs": "1"}))
    assert run("report", "plan.json", "me.toml", folder=tmp_path)[0] == 2
    code, out, errors = run("estimate", "plan.json", "reports.jsonl", "--json", folder=tmp_path)
    assert (code, errors) == (0, "")
    found = {(row["attribute"], row["value"]): row for row in json.loads(out)["rows"]}
    truth = {("smoker", "yes"): 0.5, ("packs", "not asked"): 0.5, ("symptoms", "cough"): 0.5}
    # Of those who are asked.
    truth |= {("packs", "2"): 1.0, ("worst", "cough"): 1.0}
    truth |= {
        ("worst", "not asked"): 0.5,
        ("symptoms", "fever"): 0.0,
        ("mean of age", "age"): 32,
    }
    for key, value in truth.items():
        assert abs(found[key]["estimate"] - value) < 5 * found[key]["stderr"]


def record_file(record):
    """A person's file."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in record.items()]
    return "\n".join(["version = 1", "[record]", *lines]) + "\n"


def test_nothing_is_written_over_and_a_form_without_questions_is_refused(tmp_path, run):
    write_form(tmp_path / "form.xlsx", survey=[["type", "name"], ["text", "remarks"]])
    code, _, errors = run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)
    assert (code, "must have a question that can be asked" in errors) == (2, True)
    assert not (tmp_path / "survey.toml").exists()
    (tmp_path / "survey.toml").write_text("mine")
    code, _, errors = run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)
    assert (code, "must not exist yet" in errors) == (2, True)
    assert (tmp_path / "survey.toml").read_text() == "mine"


def test_of_a_large_form_a_terminal_shows_some_of_what_is_left_out(tmp_path, run):
    free = [["text", f"free{place}", f"Why {place}?"] for place in range(30)]
    rows = [["type", "name", "label"], ["select_one c", "colour", "Which colour?"], *free]
    write_form(tmp_path / "form.xlsx", survey=rows, choices=[["list_name", "name"], ["c", "red"], ["c", "blue"]])
    _, out, _ = run("import", "form.xlsx", "-o", "survey.toml", folder=tmp_path)
    assert out.count("free text") == 20
    assert "... 10 more, at the end of survey.toml" in out
    assert (tmp_path / "survey.toml").read_text().count("free text") == 30
