"""Every bound that a delta rests on is said, with its number; what the survey's author says is quoted."""

import json
import re

import pytest

from golden_people import text_of
from sordino import Dependence, Plan, Survey
from sordino.blocks.sentence import texts
from sordino.definition.sampling import sampling_deltas
from sordino.words.bound_sources import NOTHING, bound_in_short, bound_sentences, dependence_json
from sordino.words.explain_plan import RESTS, REVEALED, explanation
from sordino.words.odds_by_attribute import coordinate_sentences

NUMBER = {"number": {"low": 0, "high": 10}}
SURVEY = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "age": {**NUMBER, "delta": "0.4"},
        "smoker": {"categories": ["yes", "no"], "delta": "0.4"},
        "weight": {**NUMBER, "delta": "2"},
    },
    "dependence": {"rest": {"age": 0.1, "smoker": "0.123456"}},
    "ask": [{"histogram": "smoker"}, {"covariance": ["age", "weight"]}],
}
FORGED = "Nothing is declared about the dependence between attributes."


@pytest.fixture
def plan():
    return Plan.of(Survey.read(json.loads(json.dumps(SURVEY))), 100_000)


@pytest.fixture
def changed(plan, tmp_path, sealed):
    """The plan as somebody else sealed it."""

    def load(change):
        document = json.loads(plan.bytes)
        change(document["dependence"])
        path = tmp_path / "plan.json"
        path.write_text(text_of(sealed(document)))
        return Plan.load(path)

    return load


def under(plan, heading):
    (lines,) = [paragraph.lines for paragraph in explanation(plan).details if paragraph.heading == heading]
    return lines


def by_statistic(dependence):
    """Bounds on the rest of 1, and as small ones for each statistic: the deltas rest on these alone."""
    names = [["age"], ["smoker"], ["weight"], ["age", "age"], ["age", "weight"], ["weight", "weight"]]
    bounds = [
        {"attribute": own, "statistic": name, "bound": "3/100" if len(name) == 1 else "1/200"}
        for own in ("age", "smoker")
        for name in names
        if set(name) != {own}
    ]
    dependence.update(rest=dict.fromkeys(dependence["rest"], "1"), statistics=bounds)


def test_bounds_for_the_rest_are_said_in_both(plan):
    for lines in (under(plan, RESTS), texts(coordinate_sentences(plan.promise))):
        text = " ".join(lines)
        assert "The delta of 'age' rests on" in text
        assert "all other attributes together at most 0.1." in text
        # Never said smaller than it is.
        assert "all other attributes together at most 0.1235." in text
    assert "'age' at most 0.1, 'smoker' at most 0.1235" in " ".join(texts(explanation(plan).summary))
    assert "weight" not in " ".join(bound_sentences(plan.promise))


def test_bounds_for_statistics_are_said_in_both(changed):
    plan = changed(by_statistic)
    assert plan.promise.bound_dependent
    for lines in (under(plan, RESTS), texts(coordinate_sentences(plan.promise))):
        (age,) = [line for line in lines if line.startswith("The delta of 'age' rests on")]
        assert "an answer about 'smoker' at most 0.03" in age
        assert "one about 'age' times 'weight' at most 0.005" in age
        assert "one about the square of 'weight' at most 0.005" in age
        assert "together" not in age
    assert "'age' at most 0.005 to 0.03 by statistic" in " ".join(texts(explanation(plan).summary))
    assert "0.005 to 0.03 by statistic" in " ".join(under(plan, REVEALED))


def test_what_is_left_unsaid_does_not_matter(changed):
    """A delta holds under the bounds that are said alone."""
    for plan in (changed(by_statistic), changed(lambda dependence: None)):
        promise = plan.promise
        rest = [dict(promise.rests_on(i)).get(None, 1) for i in range(3)]
        said = {(i, name): bound for i in range(3) for name, bound in promise.rests_on(i) if name is not None}
        assert sampling_deltas(promise.types, Dependence.bounded(rest, said)) == promise.losses


def test_programs_get_every_bound_and_the_ground(changed):
    plan = changed(by_statistic)
    found = dependence_json(plan.promise)
    assert found["statistics"][0] == {"attribute": "age", "statistic": ["age", "weight"], "bound": "1/200"}
    assert len(found["statistics"]) == 9
    assert found["ground"] == list(plan.document.dependence.ground)


FALSE = [
    FORGED,
    "Declared.\n- It changes the odds between any two values of 'age' by a factor of at most 1.01.",
    'Declared." No attribute depends on another: every delta holds against everybody. "',
    "Declared.\x1b[2J\u202e",
]


@pytest.mark.parametrize("ground", FALSE, ids=range(len(FALSE)))
def test_the_authors_words_are_quoted_and_stay_on_their_line(changed, ground):
    plan = changed(lambda dependence: dependence.update(ground=[ground]))
    (line,) = [line for line in explanation(plan).lines if "Declared." in line or FORGED in line]
    assert re.fullmatch(r'The survey\'s author says, unchecked: "(?:[^"\\]|\\.)*"', line)
    assert line.isprintable()
    assert all(FORGED not in line and "Declared." not in line for line in texts(coordinate_sentences(plan.promise)))


def test_that_nothing_is_declared_is_said_only_if_it_is_so(plan):
    def said(**settings):
        return bound_sentences(Plan.of(Survey.read(json.loads(json.dumps(SURVEY | settings))), 100_000).promise)

    assert NOTHING not in bound_sentences(plan.promise)
    assert said(dependence={"rest": 1}) == (NOTHING,)
    attributes = {name: {**part, "delta": "2"} for name, part in SURVEY["attribute"].items()}
    assert said(attribute=attributes, dependence={"rest": 1}) == ()


def test_a_short_form_never_hides_the_larger_bound(changed):
    promise = changed(by_statistic).promise
    for i in promise.bound_dependent:
        most = max(bound for _, bound in promise.rests_on(i))
        assert bound_in_short(promise, i).endswith("by statistic")
        assert str(float(most)) in bound_in_short(promise, i)
