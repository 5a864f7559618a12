"""The five sentences that matter hold every limit of the promise; all others stand under headings."""

import re

import pytest

from sordino.blocks.sentence import texts
from sordino.words.explain_plan import MOST, explanation
from sordino.words.explain_promise import explain
from surveys import planned

BLOCKS = """\
version = 1
epsilon = "1"
[attribute.city]
grid = { south = 0, north = 50, west = 0, east = 100, rows = 50, columns = 100 }
protect = { blocks = [5, 4] }
[[ask]]
histogram = "city"
"""

ALONE = """\
version = 1
epsilon = "1"
[attribute.age]
categories = 5
protect = { blocks = 2, release_single_values = true }
[[ask]]
histogram = "age"
"""

TWO = """\
version = 1
epsilon = "1"
[attribute.smoker]
categories = ["yes", "no"]
[attribute.illness]
categories = ["none", "flu", "hiv"]
protect = { sensitive = ["hiv"] }
[[ask]]
histogram = "smoker"
[[ask]]
histogram = "illness"
"""

DELTAS = """\
version = 1
epsilon = "2"
[attribute.smoker]
categories = ["yes", "no"]
delta = "1/2"
[attribute.age]
number = { low = 20, high = 80 }
[dependence]
rest = 0.2
[[ask]]
histogram = "smoker"
[[ask]]
mean = "age"
"""


TOGETHER = """\
version = 1
epsilon = "6"
[attribute.height]
number = { low = 140, high = 200 }
[attribute.age]
number = { low = 20, high = 80 }
[[ask]]
mean = ["height", "age"]
"""


def said(text):
    return explanation(planned(text, 10_000))


@pytest.mark.parametrize(
    ("survey", "limits"),
    [
        (BLOCKS, ["is public", "Within the block", "A second report"]),
        (ALONE, ["sends one report", "is public", "without any protection", "Within the block", "A second report"]),
        (TWO, ["one of 2 questions", "'illness' openly shows", "something about others", "A second report"]),
        (DELTAS, ["any two records", "'smoker' 1.65", "only the factor of 7.39 holds", "not covered"]),
    ],
)
def test_five_sentences_hold_every_limit(survey, limits):
    found = said(survey)
    assert len(found.summary) <= MOST
    assert [words for words in limits if words not in " ".join(texts(found.summary))] == []


@pytest.mark.parametrize("survey", [BLOCKS, ALONE, TWO, DELTAS, TOGETHER])
def test_nothing_is_lost_and_nothing_is_said_twice(survey):
    plan = planned(survey, 10_000)
    found = explanation(plan)
    assert found.lines == explain(plan)
    assert len(set(found.lines)) == len(found.lines)
    data = found.json()
    assert data["summary"] == list(texts(found.summary))
    assert [line for lines in data["details"].values() for line in lines] == list(found.lines[len(found.summary) :])
    assert all(data["details"].values())


def test_what_is_reached_stands_beside_what_is_promised():
    whole = said(DELTAS).summary[1].text
    # ln(1 + (e^0.5 - 1) / 0.2), the level at which an answer about the age tells 0.5 of the smoker.
    assert "a factor of at most 7.39 (2 nats; this plan: 4.25, 1.45 nats)" in whole


def test_what_several_answers_of_one_report_reveal_is_said_of_all_of_them():
    (line,) = said(TOGETHER).json()["details"]["Who is asked what"]
    assert line.startswith("A report about mean of height, age answers separately about 2 numbers;")
    assert "what all these answers reveal together" in line
    assert "by a factor of at most 403.43 (6 nats" in said(TOGETHER).summary[1].text
    assert "Who is asked what" not in said(TOGETHER.replace('"6"', '"3"')).json()["details"]


def test_thousands_are_separated():
    assert "one of 5,000 values" in said(BLOCKS).summary[0].text


def test_several_answers_that_other_reports_tell_of_stand_in_the_plural():
    asked = {name: {"categories": ["a", "b"], "only_if": {"drinks": "yes"}} for name in ("kind", "place")}
    drinks = {"categories": ["yes", "no"], "protect": {"epsilon": "3"}}
    ask = [{"histogram": name} for name in ("drinks", "kind", "place")]
    plan = planned({"version": 1, "epsilon": "1", "attribute": {"drinks": drinks, **asked}, "ask": ask})
    told = "whether people were asked for 'kind', 'place' than reports about them do."
    assert any(told in sentence for sentence in texts(explanation(plan).summary))


@pytest.mark.parametrize("sensitive", [["yes"], ["yes", "maybe"], ["maybe"], ["no"]])
def test_what_is_shown_for_certain_is_what_the_channel_shows(sensitive):
    """Codes that nobody sends whom the condition fits prove that somebody was not asked, and what they answered."""
    labels, asked_if = ["yes", "no", "maybe"], ["yes"]
    tables = {
        "used": {"categories": labels, "protect": {"sensitive": sensitive}},
        "which": {"categories": ["a", "b"], "only_if": {"used": asked_if}},
    }
    ask = [{"histogram": "used"}, {"histogram": "which"}]
    plan = planned({"version": 1, "epsilon": "1", "attribute": tables, "ask": ask})
    channel = plan.questions[0].mechanism
    codes = range(channel.outputs)
    senders = [{label for at, label in enumerate(labels) if channel.weight(at, code)} for code in codes]
    proves_not = any(not own & {*asked_if} for own in senders)
    proves_asked = any(own <= {*asked_if} for own in senders if own)
    (told,) = re.findall(r"Reports about 'used' can show for certain (.*)\.$", texts(explanation(plan).summary)[0])
    if proves_not and not proves_asked:
        rest = [label for label in labels if label not in sensitive]
        assert {*rest} == set().union(*(own for own in senders if own <= {*rest}))
        assert told == f"that somebody answered {' or '.join(map(repr, rest))}, and so was not asked for 'which'"
    else:
        assert told == "whether 'which' was asked"


WORDED = """\
version = 1
epsilon = "1"
[attribute.income]
number = [0, 9000]
text = "What do you earn a month?"
[attribute.smoker]
categories = ["yes", "no"]
text = "Do you smoke?"
[[ask]]
mean = "income"
[[ask]]
histogram = "smoker"
"""


def test_what_is_explained_is_called_by_the_texts_of_the_survey():
    said = " ".join(texts(explanation(planned(WORDED, 1000)).summary)) + " ".join(
        line
        for paragraph in explanation(planned(WORDED, 1000)).details
        for line in (paragraph.heading, *paragraph.lines)
    )
    assert "asked for mean of “What do you earn a month?”." in said
    assert "asked for “Do you smoke?”, one of 2 values." in said
    assert "smoker" not in said
    assert "income" not in said
