"""The least epsilon of an accuracy: against a closed form, against all smaller ones, and whatever else is wrong."""

import json
from math import ceil, sqrt, tanh

import pytest

import sordino
from in_one import in_one
from sordino import Nats, SordinoError, Survey, explain, plan
from sordino.cli.commands.plan_command import epsilon_sentences
from sordino.survey.planning.forecast import forecasts
from sordino.survey.planning.least_epsilon import EPSILONS, LARGEST_EPSILON, MOST_PLANS, REVEALING_EPSILON, find_epsilon
from sordino.survey.planning.plan import Plan
from sordino.survey.planning.sample_size import half_width, is_within
from sordino.verbs.make_plan import make_plan

YES = {"categories": ["yes", "no"]}
MANY = {"categories": ["a", "b", "c", "d", "e", "f"]}
NUMBER = {"number": {"low": 0, "high": 100, "bins": 8}}

SURVEYS = {
    "histogram": ({"smoker": YES}, [{"histogram": "smoker"}], 0.03),
    "blocks": (
        {"city": MANY | {"protect": {"blocks": [["a", "b"], ["c", "d", "e", "f"]]}}},
        [{"histogram": "city"}],
        0.03,
    ),
    "sensitive": ({"city": MANY | {"protect": {"sensitive": ["a"]}}}, [{"histogram": "city"}], 0.03),
    "metric": ({"city": MANY | {"protect": {"metric": [0, 1, 2, 3, 4, 5]}}}, [{"histogram": "city"}], 0.05),
    "table": ({"smoker": YES, "city": MANY}, [{"table": ["smoker", "city"]}], 0.04),
    "mean": ({"age": NUMBER}, [{"mean": "age"}], 0.02),
    "several questions": ({"smoker": YES, "age": NUMBER}, [{"histogram": "smoker"}, {"mean": "age"}], 0.05),
    "a delta": ({"smoker": YES | {"delta": "0.3"}, "age": NUMBER}, [{"histogram": "smoker"}, {"mean": "age"}], 0.2),
    "an epsilon of its own": (
        {"smoker": YES | {"protect": {"epsilon": "3"}}, "city": MANY},
        [{"histogram": "smoker"}, {"histogram": "city"}],
        0.04,
    ),
}

PEOPLE = 20_000


def tables_of(name, **more):
    attributes, asks, _ = SURVEYS[name]
    return {"version": 1, "attribute": attributes, "ask": asks, **more}


@in_one("name", SURVEYS)
def test_the_epsilon_gives_the_accuracy_and_the_next_smaller_one_does_not(name):
    accuracy = SURVEYS[name][2]
    found = make_plan(tables_of(name), PEOPLE, accuracy)
    place = EPSILONS.index(found.least.epsilon)
    assert found.least.smaller == EPSILONS[place - 1]
    # The same plan as that of a survey in which it stands.
    again = plan(tables_of(name, epsilon=found.least.epsilon), PEOPLE)
    assert again.hash == found.plan.hash
    assert plan(tables_of(name), PEOPLE, accuracy=accuracy).hash == again.hash
    assert max(half_width(one, 0.95) for one in forecasts(again)) <= accuracy
    assert found.widest()[1] <= accuracy
    if found.least.smaller_width is None:
        with pytest.raises(SordinoError, match="delta must not exceed"):
            plan(tables_of(name, epsilon=found.least.smaller), PEOPLE)
        return
    smaller = plan(tables_of(name, epsilon=found.least.smaller), PEOPLE)
    width = max(half_width(one, 0.95) for one in forecasts(smaller))
    assert width == found.least.smaller_width > accuracy


@pytest.mark.parametrize(("people", "accuracy"), [(5000, 0.02), (5000, 0.1), (300_000, 0.004), (10**9, 0.01)])
def test_of_two_values_it_is_that_of_the_closed_form(people, accuracy):
    # Randomized response of two values: the error is largest where codes are equally likely.
    reach = 1.959963984540054

    def width(epsilon):
        return reach * 0.5 / (tanh(float(epsilon) / 2) * sqrt(people))

    expected = next(epsilon for epsilon in EPSILONS if width(epsilon) <= accuracy)
    assert make_plan(tables_of("histogram"), people, accuracy).least.epsilon == expected


def test_epsilons_are_decimals_of_two_digits():
    assert list(map(float, EPSILONS)) == sorted(map(float, EPSILONS))
    ten = EPSILONS.index(str(REVEALING_EPSILON))
    assert (EPSILONS[0], EPSILONS[ten - 1], EPSILONS[ten], EPSILONS[-1]) == ("0.001", "9.9", "10", str(LARGEST_EPSILON))
    assert all(len(epsilon.lstrip("0.").replace(".", "")) <= 2 for epsilon in EPSILONS)
    assert all(str(Nats.of(epsilon)) == str(Nats.of(epsilon)) for epsilon in EPSILONS)
    assert len(set(EPSILONS)) == len(EPSILONS) == 391


def test_few_plans_are_made_on_the_way():
    made = []

    def make(epsilon):
        made.append(epsilon)
        survey = Survey.read(tables_of("histogram", epsilon=epsilon))
        frozen = Plan.of(survey, PEOPLE)
        return sordino.forecast(frozen)

    for accuracy in (0.0099, 0.02, 0.1, 0.9):
        made.clear()
        find_epsilon(make, accuracy, 0.95)
        assert len(made) < MOST_PLANS
        assert len(set(made)) == len(made)


def test_where_the_least_that_is_tried_is_enough_none_is_smaller():
    found = make_plan(tables_of("histogram"), 10**12, 0.5)
    assert found.least == ("0.001", None, None)


def test_questions_that_so_few_cannot_answer_are_not_within():
    attributes = {"x": NUMBER, "y": NUMBER}
    asked = {"version": 1, "attribute": attributes, "ask": [{"regression": {"target": "y", "features": ["x"]}}]}
    found = make_plan(asked, 1000, 0.9, 0.5)
    assert all(is_within(one, 0.9, 0.5) for one in found.forecasts)
    smaller = make_plan({**asked, "epsilon": found.least.smaller}, 1000)
    (forecast,) = smaller.forecasts
    assert half_width(forecast, 0.5) < 0.9
    assert forecast.fewest_reports > 1000
    assert not is_within(forecast, 0.9, 0.5)
    assert found.least.smaller_width is None


def test_a_higher_confidence_takes_more():
    least = [float(make_plan(tables_of("histogram"), PEOPLE, 0.03, sure).least.epsilon) for sure in (0.5, 0.95, 0.999)]
    assert least == sorted(set(least))


def test_what_the_people_are_like_counts():
    likely = YES | {"expected": {"yes": 1, "no": 99}}
    asked = {"version": 1, "attribute": {"smoker": likely}, "ask": [{"histogram": "smoker"}]}
    assert float(make_plan(asked, 3000, 0.0185).least.epsilon) < float(
        make_plan(tables_of("histogram"), 3000, 0.0185).least.epsilon
    )


def test_too_few_people_are_told_how_many_are_needed():
    with pytest.raises(SordinoError) as caught:
        plan(tables_of("histogram"), 50, accuracy=0.05)
    assert "found the draw of people alone, without noise, gives half-widths of up to 0.139, for smoker" in str(
        caught.value
    )
    needed = int(str(caught.value).split("ask at least ")[1].split(" people")[0].replace(",", ""))
    # As a poll without any noise says it.
    assert needed == ceil((1.959963984540054 / 2 / 0.05) ** 2)
    assert make_plan(tables_of("histogram"), needed, 0.05).widest()[1] <= 0.05
    with pytest.raises(SordinoError, match=f"ask at least {needed:,} people"):
        plan(tables_of("histogram"), needed - 1, accuracy=0.05)
    with pytest.raises(SordinoError, match="no number of people is enough"):
        plan(tables_of("histogram"), 50, accuracy=1e-9)


def test_a_spread_that_so_few_people_cannot_average_is_said_to_be_theirs():
    number = {"number": {"low": 0, "high": 100}, "expected": {"mean": 50, "sd": 20}}
    asked = {"version": 1, "attribute": {"n": number}, "ask": [{"mean": "n"}]}
    with pytest.raises(
        SordinoError, match=r"the draw of people alone, without noise, gives half-widths of up to 0.0226"
    ):
        plan(asked, 300, accuracy=0.02)
    narrow = {**asked, "attribute": {"n": number | {"expected": {"mean": 50, "sd": 10}}}}
    assert float(make_plan(narrow, 300, 0.02).least.epsilon) < REVEALING_EPSILON


def test_an_epsilon_above_ten_is_found_where_it_is_needed_and_said_to_reveal_nearly_all():
    attributes = {name: {"number": {"low": 0, "high": 100}} for name in "abc"}
    asked = {"version": 1, "attribute": attributes, "ask": [{"mean": list("abc")}]}
    at_ten = make_plan({**asked, "epsilon": "10"}, 3000).widest()[1]
    at_most = make_plan({**asked, "epsilon": str(LARGEST_EPSILON)}, 3000).widest()[1]
    found = make_plan(asked, 3000, (at_ten + at_most) / 2)
    assert REVEALING_EPSILON < int(found.least.epsilon) < LARGEST_EPSILON
    assert found.widest()[1] <= (at_ten + at_most) / 2 < found.least.smaller_width
    (said,) = [line for line in epsilon_sentences(found) if "reveals nearly the whole answer" in line]
    assert said.startswith(f"epsilon = {found.least.epsilon} is the least")


def test_amounts_that_stay_what_they_are_are_what_is_in_the_way():
    own = {"smoker": YES | {"protect": {"epsilon": "1"}}, "city": MANY}
    delta = {"smoker": YES | {"delta": "1"}, "age": NUMBER}
    for attributes, ask in ((own, {"histogram": "city"}), (delta, {"mean": "age"})):
        asked = {"version": 1, "attribute": attributes, "ask": [{"histogram": "smoker"}, ask]}
        with pytest.raises(SordinoError, match="with amounts of single attributes that stay what they are"):
            plan(asked, 3000, accuracy=0.03)


WRONG = {
    "epsilon": (tables_of("histogram", epsilon="1"), 50, 0.1, "which must be open; found epsilon = '1'"),
    "a survey": (Survey.read(tables_of("histogram", epsilon="1")), 50, 0.1, "found epsilon = '1'"),
    "nothing open": (
        {
            **tables_of("histogram"),
            "attribute": {"smoker": YES | {"protect": {"epsilon": "1"}}},
        },
        50,
        0.1,
        "found each attribute with an amount of its own",
    ),
    "accuracy": (tables_of("histogram"), 50, 0.0, "accuracy must lie between 0 and 1"),
    "people": (tables_of("histogram"), 0, 0.1, "people must be at least 1"),
    "another mistake": (tables_of("histogram", ask=[{"histogram": "smoke"}]), 50, 0.1, "smoke"),
    "no survey": (3, 50, 0.1, "a survey must be given"),
    "no tables": ({}, 50, 0.1, "attribute must be given"),
    "no file": ("nowhere.toml", 50, 0.1, "no such file"),
}


@in_one("wrong", WRONG)
def test_what_is_wrong_is_said(wrong):
    survey, people, accuracy, rule = WRONG[wrong]
    with pytest.raises(SordinoError, match=rule):
        plan(survey, people, accuracy=accuracy)


OPEN = 'version = 1\n[attribute.smoker]\ncategories = ["yes", "no"]\n[[ask]]\nhistogram = "smoker"\n'


def test_the_command_finds_it_and_says_what_it_reveals(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "open.toml").write_text(OPEN)
    words = ["plan", "open.toml", "--people", "5000", "--accuracy", "0.02"]
    code, out, _ = run(*words, "-o", "plan.json")
    assert code == 0
    text = " ".join(out.split())
    assert "epsilon = 1.8 is the least in two digits that gives this (with 1.7 the half-width would be 0.0201)" in text
    assert "by a factor of at most 6.05" in text
    assert 'write epsilon = "1.8" into the survey' in text
    found = json.loads(run(*words, "-o", "plan.json", "--json")[1])["least_epsilon"]
    assert (found["epsilon"], found["smaller"]) == ("1.8", "1.7")
    assert any("6.05" in line for line in explain(Plan.load(tmp_path / "plan.json")))
    (tmp_path / "closed.toml").write_text(OPEN.replace("version = 1\n", 'version = 1\nepsilon = "1.8"\n'))
    assert run("plan", "closed.toml", "--people", "5000", "-o", "plan.json")[0] == 0
    code, _, err = run("plan", "closed.toml", *words[2:], "-o", "other.json")
    assert code == 2
    assert "found epsilon = '1.8'" in err
    assert not (tmp_path / "other.json").exists()


def test_a_distance_has_no_factor_of_its_own(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = "protect = { metric = [0, 1] }\n[[ask]]"
    (tmp_path / "open.toml").write_text(OPEN.replace("[[ask]]", line))
    _, out, _ = run("plan", "open.toml", "--people", "5000", "--accuracy", "0.02", "-o", "plan.json")
    assert "is the loss for each unit of distance" in " ".join(out.split())
    assert "Where answers are protected by it" not in out
