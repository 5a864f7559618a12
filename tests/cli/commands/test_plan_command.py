"""`sordino plan` without a file freezes nothing, `-o -` prints the plan, and several epsilons stand in one table."""

import json

import pytest

from sordino import Plan, Survey
from sordino.verbs.make_plan import make_plan

PLAN = ["plan", "survey.toml", "--people", "1000"]


@pytest.fixture
def listed(folder):
    """The files of the folder, before anything is run."""
    before = {path.name for path in folder.iterdir()}
    return lambda: {path.name for path in folder.iterdir()} - before


def test_without_a_file_the_forecast_is_shown_and_nothing_frozen(listed, run):
    code, out, err = run(*PLAN)
    assert (code, err, listed()) == (0, "", set())
    assert out.endswith("\nNothing was frozen. To freeze this plan, give the same command -o PLAN.json.\n")
    _, frozen, _ = run(*PLAN, "-o", "plan.json")
    first, *lines = frozen.replace("plan.json --all", "PLAN.json --all").splitlines()
    assert first.startswith("plan.json: sha256:")
    assert out.splitlines()[: len(lines)] == lines
    assert json.loads(run(*PLAN, "--json")[1]) == {
        **json.loads(run(*PLAN, "-o", "plan.json", "--json")[1]),
        "plan": None,
    }


def test_a_dash_writes_the_plan_to_standard_output_and_warnings_beside_it(folder, listed, run):
    code, out, err = run("plan", "survey.toml", "--people", "3", "-o", "-")
    assert (code, listed()) == (0, set())
    assert "WARNING: colour: NOTHING is learned" in err
    assert out.encode() == Plan.of(Survey.load("survey.toml"), 3).bytes
    (folder / "plan.json").write_text(out)
    assert Plan.load("plan.json").people == 3


def test_only_force_overwrites_a_plan_and_nothing_else(released, run):
    people = (released / "people.csv").read_bytes()
    for words, code in (([], 2), (["--force"], 0)):
        assert run("plan", "survey.toml", "--people", "77", "-o", "plan.json", *words)[0] == code
    assert Plan.load("plan.json").people == 77
    code, _, err = run("plan", "survey.toml", "--people", "77", "-o", "people.csv", "--force")
    assert code == 2
    assert "only a plan is overwritten" in err
    assert (released / "people.csv").read_bytes() == people


def test_one_epsilon_stands_for_that_of_the_survey(folder, run):
    text = (folder / "survey.toml").read_text(encoding="utf-8")
    (folder / "two.toml").write_text(text.replace('"4"', '"2"'), encoding="utf-8")
    assert run(*PLAN, "--epsilon", "2", "-o", "-") == run("plan", "two.toml", "--people", "1000", "-o", "-")
    (folder / "open.toml").write_text(text.replace('epsilon = "4"\n', ""), encoding="utf-8")
    assert run("plan", "open.toml", "--people", "1000", "--epsilon", "4", "-o", "-") == run(*PLAN, "-o", "-")


@pytest.mark.parametrize("wanted", [{"people": 1000}, {"accuracy": 0.05}], ids=lambda wanted: next(iter(wanted)))
def test_each_of_several_epsilons_has_the_row_of_its_own_plan(folder, listed, run, wanted):
    levels = ("0.5", "ln 3", "4")
    ((name, value),) = wanted.items()
    words = ["plan", "survey.toml", f"--{name}", str(value), *(word for one in levels for word in ("--epsilon", one))]
    rows = json.loads(run(*words, "--json")[1])["epsilons"]
    assert [row["epsilon"] for row in rows] == list(levels)
    for row in rows:
        text = (folder / "survey.toml").read_text(encoding="utf-8").replace('"4"', f'"{row["epsilon"]}"')
        (folder / "own.toml").write_text(text, encoding="utf-8")
        own = make_plan("own.toml", wanted.get("people"), wanted.get("accuracy"))
        assert (row["people"], row["half_width"]) == (own.plan.people, own.widest()[1])
        assert row["warnings"] == list(own.warnings)
    code, out, err = run(*words)
    assert (code, err, listed()) == (0, "", {"own.toml"})
    shown = [line.split() for line in out.splitlines() if line.strip().startswith(("0.5 ", "ln 3 ", "4 "))]
    assert [line[-2] for line in shown] == [f"{row['half_width']:.3g}" for row in rows]
    assert [f"{row['people']:,}" for row in rows] == [line[-3] for line in shown]
    # What its blocks and sensitive values leave open is in no odds of an epsilon.
    assert out.count("by values") == len(rows)
    assert "To freeze a plan, give one --epsilon, and -o PLAN.json." in out


def test_what_each_epsilon_reveals_is_that_of_the_attribute_with_the_largest(folder, run):
    habits = '[attribute.{0}]\ncategories = ["yes", "no"]\n'
    survey = (
        'version = 1\nepsilon = "1"\n' + habits.format("a") + habits.format("b") + 'protect = {{ epsilon = "{0}" }}\n'
    )
    for own, learned in (("ln 2", ["2", "3"]), ("ln 3", ["3", "3"])):
        asks = '[[ask]]\nhistogram = "a"\n[[ask]]\nhistogram = "b"\n'
        (folder / "survey.toml").write_text(survey.format(own) + asks)
        rows = json.loads(run(*PLAN, "--epsilon", "ln 2", "--epsilon", "ln 3", "--json")[1])["epsilons"]
        assert [row["reveals"]["factor"] for row in rows] == learned
    # A suspicion of 10 % under ln 3: odds of 1/9 become 1/3.
    assert "25 %" in run(*PLAN, "--epsilon", "ln 2", "--epsilon", "ln 3")[1]


def test_what_an_epsilon_of_distances_reveals_is_not_said_in_odds(folder, run):
    (folder / "survey.toml").write_text(
        'version = 1\nepsilon = "1"\n[attribute.age]\ncategories = 12\nprotect = { metric = { per = 2 } }\n'
        '[[ask]]\nhistogram = "age"\n'
    )
    rows = json.loads(run(*PLAN, "--epsilon", "1", "--epsilon", "2", "--json")[1])["epsilons"]
    assert [row["reveals"] for row in rows] == [None, None]
    assert run(*PLAN, "--epsilon", "1", "--epsilon", "2")[1].count("by values") == 2


CONTRADICTIONS = {
    "three of two": (["--accuracy", "0.02", "--epsilon", "1"], "leave one of the three out"),
    "several plans": (["--epsilon", "1", "--epsilon", "2", "-o", "new.json"], "a plan has one epsilon"),
    "two documents": (["-o", "-", "--json"], "standard output takes one document"),
    "no epsilon": (["--epsilon", "much"], "epsilon"),
    "an epsilon that is none, of several": (["--epsilon", "1", "--epsilon", "-1"], "epsilon"),
}


@pytest.mark.parametrize(("words", "said"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_options_that_contradict_each_other_are_refused(listed, run, words, said):
    code, _, err = run(*PLAN, *words)
    assert (code, listed()) == (2, set())
    assert said in err


@pytest.mark.parametrize(
    ("given", "meant"), [("0,02", "0.02"), (",02", ".02"), ("2%", "0.02"), ("2,5 %", "0.025"), ("1%", "0.01")]
)
def test_a_number_with_a_comma_or_in_per_cent_is_given_back_as_it_must_be_written(folder, run, given, meant):
    for words in (["plan", "survey.toml"], ["odds", "1"]):
        code, out, err = run(*words, "--accuracy", given)
        assert (code, out) == (2, "")
        assert f"write {meant}." in err


def test_how_what_may_surprise_in_a_survey_was_read_is_said(folder, run):
    text = (folder / "survey.toml").read_text(encoding="utf-8")
    (folder / "people.toml").write_text(f"people = 5000\n{text}", encoding="utf-8")
    note = "people = 5000 is no part of a survey: give it when you make the plan, as --people N."
    command = ["plan", "people.toml", "--people", "1000"]
    assert run(*command)[1] == f"NOTE: {note}\n\n{run(*PLAN)[1]}"
    code, out, err = run(*command, "-o", "-")
    assert (code, out) == run(*PLAN, "-o", "-")[:2]
    assert f"NOTE: {note}" in err
    assert json.loads(run(*command, "--json")[1])["notes"] == [note]
