"""What people read: each text once or by language, all mistakes of a file at once, dates as days."""

from copy import deepcopy
from datetime import UTC, date, datetime

import pytest

from sordino import Plan, SordinoErrors, Survey
from sordino.words.explain_questionnaire import questionnaire_paragraphs
from surveys import planned

BOTH = {"en": "Yes", "de": "Ja"}
SURVEY = {
    "version": 1,
    "epsilon": "2",
    "about": {
        "title": {"en": "Travel", "de": "Reisen"},
        "by": "Institute",
        "until": date(2026, 12, 31),
        "consent": {"text": {"en": "I agree.", "de": "Ja."}},
    },
    "section": [{"title": BOTH, "attributes": ["age", "smoker"]}],
    "attribute": {
        "home": {"categories": 3, "labels": {"0": "here", "2": BOTH}},
        "smoker": {"categories": ["yes", "no"], "text": BOTH, "labels": {"yes": BOTH}},
        "age": {"number": {"low": 0, "high": 100}, "input": "slider", "unit": "years", "missing": "0.1"},
        "moved": {"number": {"low": date(1969, 12, 31), "high": date(2026, 1, 1)}},
    },
    "ask": [{"histogram": "smoker"}, {"histogram": "home"}, {"mean": ["age", "moved"]}],
}


def changed(change):
    tables = deepcopy(SURVEY)
    change(tables)
    return tables


def mistakes(tables):
    with pytest.raises(SordinoErrors) as found:
        Survey.read(tables)
    return [f"{error.rule}; found {error.found}" for error in found.value.errors]


def words_of(tables):
    return Plan.of(Survey.read(tables), 1000).document.words


def test_words_stand_in_the_plan_in_the_surveys_order():
    words = words_of(SURVEY)
    assert words.languages == ["en", "de"]
    assert words.order == ["age", "smoker", "home", "moved"]
    assert [section.title for section in words.sections] == [BOTH, None]
    assert (words.by, words.until, words.consent) == ("Institute", "2026-12-31", {"en": "I agree.", "de": "Ja."})
    assert (words.attributes["age"].input, words.attributes["age"].step) == ("slider", 1)
    assert words.attributes["moved"].input == "date"


def test_a_form_draws_the_question_first_on_request_alone():
    assert words_of(SURVEY).ask is None
    assert words_of(changed(lambda tables: tables["about"].update(ask="drawn"))).ask == "drawn"
    wrong = mistakes(changed(lambda tables: tables["about"].update(ask="all")))
    assert wrong == ["about.ask must be 'drawn'; found 'all'"]


def test_a_plan_without_words_has_no_part_of_them():
    bare = changed(lambda tables: (tables.pop("about"), tables.pop("section")))
    bare["attribute"] = {"smoker": {"categories": ["yes", "no"]}}
    bare["ask"] = [{"histogram": "smoker"}]
    assert words_of(bare) is None
    assert b"words" not in Plan.of(Survey.read(bare), 1000).bytes


def test_words_change_the_hash_and_nothing_that_is_drawn():
    other = changed(lambda tables: tables["about"].update(title={"en": "Trips", "de": "Reisen"}))
    one, two = (Plan.of(Survey.read(tables), 1000) for tables in (SURVEY, other))
    assert one.hash != two.hash
    assert one.document.queries == two.document.queries
    assert Plan.of_text(one.bytes.decode(), "it").document.words == one.document.words


def test_dates_are_days():
    plan = Plan.of(Survey.read(SURVEY), 1000)
    ends = plan.document.attributes["moved"].number
    assert (ends.low, ends.high) == (-1, (date(2026, 1, 1) - date(1970, 1, 1)).days)


def test_the_languages_are_those_that_texts_name_in_their_order():
    texts = {"de": "Ja", "en": "Yes"}
    only = changed(lambda tables: (tables.pop("about"), tables.pop("section")))
    only["attribute"]["smoker"] = {"categories": ["yes", "no"], "text": texts}
    only["attribute"]["home"] = {"categories": 3}
    assert words_of(only).languages == ["de", "en"]
    only["attribute"]["smoker"]["text"] = "Ja?"
    assert words_of(only).languages == ["en"]
    only["about"] = {"languages": ["de"]}
    assert words_of(only).languages == ["de"]


def test_a_text_that_lacks_a_language_says_where_and_which():
    def change(tables):
        tables["about"]["languages"] = ["en", "de"]
        tables["about"]["title"] = {"en": "Travel"}
        tables["section"][0]["text"] = {"de": "Sie", "fr": "Vous"}
        tables["attribute"]["smoker"]["labels"]["yes"] = {"en": "Yes", "de": " "}
        tables["attribute"]["smoker"]["help"] = 7

    assert mistakes(changed(change)) == [
        "about.title must be in each language of the survey; found none in 'de'",
        "section.0.text must be in each language of the survey; found none in 'en'",
        "section.0.text must be in the languages of the survey; found 'fr'",
        "attribute.smoker.help must be a text; found 7",
        "attribute.smoker.labels.yes.de must be a text; found an empty one",
    ]


WRONG = {
    "a title that is no text": (lambda t: t["about"].update(title=["a"]), "about.title must be a text"),
    "an empty one": (lambda t: t["about"].update(by=""), "about.by must be a text; found an empty one"),
    "no language": (lambda t: t["about"].update(title={"english": "a"}), "a language must be a code of BCP 47"),
    "languages twice": (lambda t: t["about"].update(languages=["en", "en"]), "about.languages must be a list, each"),
    "a time": (lambda t: t["about"].update(until=datetime(2026, 1, 1, tzinfo=UTC)), "about.until must be a date"),
    "a text for a date": (lambda t: t["about"].update(until="2026-01-01"), "about.until must be a date"),
    "consent to nothing": (lambda t: t["about"].update(consent={}), "about.consent.text must be given"),
    "labels of nothing": (lambda t: t["attribute"]["smoker"].update(labels={}), "labels must be a table of values"),
    "an unknown value": (
        lambda t: t["attribute"]["smoker"]["labels"].update(yess=BOTH),
        "labels must name values of the attribute; found 'yess' (did you mean 'yes'?)",
    ),
    "a number's value": (lambda t: t["attribute"]["age"].update(labels={"3": "three"}), "labels must name values"),
    "missing where nothing is": (
        lambda t: t["attribute"]["moved"].update(labels={"missing": "never"}),
        "labels must name values of the attribute; found 'missing'",
    ),
    "a unit of categories": (lambda t: t["attribute"]["smoker"].update(unit="kg"), "unit must be of a number"),
    "an unknown input": (lambda t: t["attribute"]["age"].update(input="wheel"), 'input must be "text", "slider" or'),
    "a step of no slider": (lambda t: t["attribute"]["moved"].update(step=2), "step must be that of a slider"),
    "steps that miss the end": (lambda t: t["attribute"]["age"].update(step=3), "a slider must go from 0 to 100"),
    "steps of nothing": (lambda t: t["attribute"]["age"].update(step=0), "found steps of 0"),
    "a date between numbers": (
        lambda t: t["attribute"]["age"].update(number={"low": 0.5, "high": 9}, input="date"),
        "the ends of a date must be days",
    ),
    "a date and a number": (
        lambda t: t["attribute"]["moved"]["number"].update(high=9),
        "attribute.moved.number must have two dates as its ends, or two numbers; found 1969-12-31 and 9",
    ),
    "an unknown attribute": (
        lambda t: t["section"][0]["attributes"].append("smokr"),
        "attributes or public columns of the survey; found 'smokr' (did you mean 'smoker'?)",
    ),
    "an attribute in two sections": (
        lambda t: t["section"].append({"attributes": ["age"]}),
        "section.1.attributes must name each attribute once; found 'age', which section.0 has",
    ),
    "an empty section": (lambda t: t["section"].append({"attributes": []}), "section.1.attributes must not be empty"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said_once(wrong):
    change, rule = WRONG[wrong]
    found = mistakes(changed(change))
    assert len(found) == 1, found
    assert rule in found[0]


def test_all_mistakes_are_reported_at_once():
    def change(tables):
        tables["epsilon"] = "much"
        tables["about"]["title"] = {"en": "Travel", "fr": "Voyage"}
        tables["attribute"]["smoker"]["labels"] = {"maybe": "Maybe"}
        tables["ask"].append({"histogram": "nobody"})

    found = "\n".join(mistakes(changed(change)))
    for rule in ("epsilon", "about.title", "labels must name", "must name an attribute"):
        assert rule in found


def test_that_none_of_several_applies_has_a_label_too():
    ill = {"categories": ["cough", "fever"], "several": 2, "text": "Which?"}
    asked = {"version": 1, "epsilon": "1", "attribute": {"ill": ill}, "ask": [{"several": "ill"}]}
    for named, none in ((ill, "none of them"), (ill | {"none": "well"}, "well")):
        labels = {"cough": "A cough", none: "Nothing of this"}
        plan = planned(asked | {"attribute": {"ill": named | {"labels": labels}}})
        assert plan.document.words.attributes["ill"].labels == labels
        lines = [line for part in questionnaire_paragraphs(plan) for line in part.lines]
        assert "1. Which? (up to 2 of: A cough / fever / Nothing of this)" in lines
        with pytest.raises(SordinoErrors, match="must name values of the attribute"):
            planned(asked | {"attribute": {"ill": named | {"labels": {"never": "x"}}}})


def test_a_survey_with_words_may_bound_dependence():
    """Bounds are no texts: nothing is said of them while languages are looked for."""
    own = {"categories": ["yes", "no"], "delta": "0.5", "text": BOTH}
    asked = {"version": 1, "epsilon": "2", "attribute": {"smoker": own, "vegan": own}, "dependence": {"rest": 0.1}}
    plan = planned(asked | {"ask": [{"histogram": "smoker"}, {"histogram": "vegan"}]})
    assert plan.document.words.languages == ["en", "de"]
