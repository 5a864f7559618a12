"""Public columns of a survey: what is sent in clear is never what is protected, and the plan says all of it."""

import json

import pytest

from sordino import Plan, SordinoError, SordinoErrors, Survey
from sordino.survey.planning.forecast import group_warnings
from sordino.words.explain_plan import explanation
from sordino.words.explain_questionnaire import missing_words, questionnaire_paragraphs

REGION = {"categories": ["north", "south"]}


def survey(public, **attributes):
    asked = {"smoker": {"categories": ["yes", "no"]}, **attributes}
    tables = {"version": 1, "epsilon": "1", "attribute": asked, "public": public}
    return tables | {"ask": [{"histogram": name} for name in asked]}


def mistakes(public, **attributes):
    with pytest.raises(SordinoErrors) as raised:
        Survey.read(survey(public, **attributes))
    return str(raised.value)


def test_they_are_in_the_plan_in_the_order_of_the_survey():
    arm = {"categories": ["b", "a"], "column": "Arm", "missing": "a", "totals": {"a": 10, "b": 20}}
    stratum = {"categories": ["x", "y"], "weights": {"x": 3.50, "y": 40}}
    plan = Plan.of(Survey.read(survey({"region": REGION, "arm": arm, "stratum": stratum})), 100)
    assert json.loads(plan.bytes)["public"] == [
        {"name": "region", "columns": ["region"], "labels": ["north", "south"]},
        {"name": "arm", "columns": ["Arm"], "labels": ["b", "a"], "missing": "a", "totals": [20, 10]},
        {"name": "stratum", "columns": ["stratum"], "labels": ["x", "y"], "weights": ["3.5", "40"]},
    ]
    without = survey({})
    del without["public"]
    other = Plan.of(Survey.read(without), 100)
    assert other.hash != plan.hash
    assert other.document.queries == plan.document.queries
    assert "public" not in json.loads(other.bytes)


@pytest.mark.parametrize(
    ("public", "said"),
    [
        ({"smoker": REGION}, "must not be an attribute too"),
        ({"Smoker ": REGION}, "must not be an attribute too"),
        ({"region": {**REGION, "column": "SMOKER"}}, "must not read the column of an attribute"),
        ({"code": REGION}, "must have another name"),
        ({"Plan": REGION}, "must have another name"),
        ({"region": REGION, "Region": {**REGION, "column": "other"}}, "must have a name of its own"),
        ({"region": REGION, "area": {**REGION, "column": "region"}}, "must read a column of its own"),
        ({"region": {"categories": 3}}, "must be a list of names"),
        ({"region": {"categories": ["a", "a"]}}, "must be named once"),
        ({"region": {**REGION, "missing": "west"}}, "missing must name one of the categories"),
        ({"region": {**REGION, "totals": {"north": 1}}}, "totals must name every category; found none for 'south'"),
        ({"region": {**REGION, "totals": {"north": 1, "south": 2, "nroth": 3}}}, "did you mean 'north'"),
        ({"region": {**REGION, "totals": {"north": 1.5, "south": 2}}}, "must be a whole number of people"),
        ({"region": {**REGION, "totals": {"north": 0, "south": 0}}}, "totals must be of somebody"),
        ({"region": {**REGION, "weights": {"north": 0, "south": 2}}}, "must be a number above 0"),
        ({"region": {**REGION, "weights": {"north": True, "south": 2}}}, "must be a number above 0"),
        ({"region": {**REGION, "weights": 3}}, "must be a table of numbers by category"),
        (
            {"region": {**REGION, "totals": {"north": 1, "south": 2}, "weights": {"north": 1, "south": 2}}},
            "either totals or weights",
        ),
    ],
)
def test_what_is_no_public_column_is_refused(public, said):
    assert said in mistakes(public)


def test_a_map_protects_both_of_its_columns():
    grid = {"grid": {"south": 0, "north": 1, "west": 0, "east": 1, "rows": 2, "columns": 2}}
    assert "which attribute.home reads" in mistakes({"longitude": REGION}, home=grid)


def test_more_combinations_than_a_report_holds_are_refused():
    many = {f"p{i}": {"categories": [str(j) for j in range(1 << 8)]} for i in range(9)}
    with pytest.raises(SordinoError) as raised:
        Plan.of(Survey.read(survey(many)), 100)
    assert "must leave room for a code in 64 bits" in str(raised.value)


def test_their_values_may_stand_in_a_file(tmp_path):
    (tmp_path / "regions.txt").write_text("north\nsouth\n")
    asked = survey({"region": {"categories": {"file": "regions.txt"}}})
    assert Survey.read(asked, folder=tmp_path).public["region"].categories == ["north", "south"]


def with_deltas(dependence):
    two = {"smoker": {"categories": ["yes", "no"], "delta": "0.5"}, "diet": {"categories": ["a", "b"], "delta": "0.5"}}
    return survey({"region": REGION}, **two) | {"epsilon": "2", "dependence": dependence}


def test_bounds_on_dependence_are_said_to_hold_within_each_group():
    """Everybody sees the group: what is believed of its people is what counts, not what is believed of all."""
    plan = Plan.of(Survey.read(with_deltas({"rest": 0.1})), 100)
    assert plan.document.dependence.ground[0].endswith("among people with the same region.")
    said = explanation(plan)
    assert any("among the people of each combination of public values" in line for line in said.lines)
    # What limits the promise is in the summary.
    assert "Bounds on dependence must hold among people with the same values of these." in said.summary[0].text


def test_bounds_of_a_sample_of_all_people_are_refused():
    with pytest.raises(SordinoErrors) as raised:
        Survey.read(with_deltas({"file": "statement.json"}))
    assert "its bounds are about all people" in str(raised.value)


@pytest.mark.parametrize("names", [["region"], ["region", "arm", "wave"]])
def test_the_summary_says_what_is_sent_in_clear(names):
    said = explanation(Plan.of(Survey.read(survey(dict.fromkeys(names, REGION))), 100))
    assert len(said.summary) <= 5
    first = said.summary[0].text
    assert all(repr(name) in first for name in names)
    assert ("are no part" if len(names) > 1 else "is no part") in first
    assert sum(line.startswith("Every report shows") for line in said.lines) == len(names)


@pytest.mark.parametrize(
    ("totals", "people", "said"),
    [(None, 200, 0), (None, 199, 1), ({"north": 300, "south": 100}, 400, 0), ({"north": 300, "south": 100}, 399, 1)],
)
def test_a_plan_warns_of_groups_that_cannot_be_expected_to_be_estimated(totals, people, said):
    region = REGION if totals is None else {**REGION, "totals": totals}
    plan = Plan.of(Survey.read(survey({"region": region})), people)
    warned = list(group_warnings(plan))
    assert len(warned) == said
    assert all("groups by 'region'" in sentence and "as few as 99" in sentence for sentence in warned)


WORDED = {**REGION, "text": "Where do you live?", "help": "Today.", "labels": {"north": "In the north"}}


def test_their_words_are_in_the_plan_and_under_its_hash():
    plan = Plan.of(Survey.read(survey({"region": WORDED})), 100)
    own = {name: WORDED[name] for name in ("text", "help", "labels")}
    assert json.loads(plan.bytes)["words"]["attributes"] == {"region": own}
    other = Plan.of(Survey.read(survey({"region": {**WORDED, "text": "Where are you?"}})), 100)
    assert other.hash != plan.hash
    assert other.document.public == plan.document.public


def questionnaire_lines(asked):
    return [line for part in questionnaire_paragraphs(Plan.of(Survey.read(asked), 100)) for line in part.lines]


def test_explain_asks_for_them_first_unless_a_section_has_them():
    asked = survey({"region": WORDED})
    first = "1. Where do you live? Today. (In the north / south) (sent as it is)"
    assert first in questionnaire_lines(asked)
    placed = asked | {"section": [{"title": "Home", "attributes": ["smoker", "region"]}]}
    assert first.replace("1.", "2.") in questionnaire_lines(placed)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"labels": {"west": "In the west"}}, "public.region.labels must name values of the public column"),
        ({"text": ""}, "public.region.text must be a text"),
        ({"text": {"en": "Where?", "de": "Wo?"}, "help": {"en": "Now."}}, "public.region.help must be in each"),
        ({"unit": "km"}, "unit"),
    ],
)
def test_words_that_do_not_fit_them_are_refused(changed, said):
    assert said in mistakes({"region": {**WORDED, **changed}})


def test_what_has_words_is_not_said_to_lack_them():
    asked = survey({"region": REGION}) | {"about": {"title": "Us"}}
    assert "'region'" in missing_words(Plan.of(Survey.read(asked), 100))[0]
    worded = survey({"region": WORDED}) | {"about": {"title": "Us"}}
    assert "'region'" not in missing_words(Plan.of(Survey.read(worded), 100))[0]
