"""Whether somebody was asked: the form names the reports that reveal more of that than the answer does.

The same reports and factors as `explain` for surveys of every promise; and true of each channel, by an enumeration of
records and of the draws' exact distributions that takes nothing from either.
"""

import json
import re
import subprocess
from fractions import Fraction
from itertools import product
from math import inf
from pathlib import Path

import pytest

from commands import PATIENCE
from golden_people import NAMES, golden_text
from sordino import plan as plan_of
from sordino.mechanism.draws.code_distribution import code_distribution
from sordino.mechanism.draws.draw_program import Draw
from sordino.words.condition_sentences import condition_sentences

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore::sordino.SordinoWarning")]

D, P = {"categories": ["a", "b", "c", "e"]}, {"categories": ["x", "y"], "only_if": {"d": ["a", "b"]}}
BLOCKS = {"protect": {"blocks": [["a", "b"], ["c", "e"]]}}
ACROSS = {"protect": {"blocks": [["a", "c"], ["b", "e"]]}}
SENSITIVE = {"protect": {"sensitive": ["a"], "epsilon": "1"}}
Q = {"categories": ["u", "v"]}
LINE = {**Q, "protect": {"metric": [0, 1], "epsilon": "1/8"}}
MATRIX = {**Q, "protect": {"matrix": [["0", "1/3"], ["1/2", "0"]]}}
FAR = {**Q, "protect": {"matrix": [["0", "3"], ["3", "0"]]}}
OPEN = {**Q, "protect": {"matrix": [["0", "inf"], ["1/2", "0"]]}}
SIBLING = {**Q, "only_if": {"d": ["a"]}, "protect": {"epsilon": "1"}}
MANY = {"categories": ["m", "n", "o"], "several": 2}


def epsilon(amount):
    return {"protect": {"epsilon": amount}}


def asked(*asks, p=P, level="1/4", **attributes):
    """A survey that asks for p because of d; a pair is a table, and several stand under their own word."""
    attributes = {"d": D, "p": p} | attributes
    each = [
        {"table": list(one)}
        if isinstance(one, tuple)
        else {"several" if "several" in attributes[one] else "histogram": one}
        for one in asks
    ]
    return {"version": 1, "epsilon": level, "attribute": attributes, "ask": each}


SURVEYS = {
    "alike": asked("p", "d"),
    "a larger epsilon": asked("p", "d", d=D | epsilon("2")),
    "one of two digits": asked("p", "d", d=D | epsilon("31/10")),
    "one of hundreds": asked("p", "d", d=D | epsilon("6 + ln 3/2")),
    "one of millions": asked("p", "d", d=D | epsilon("20")),
    "a logarithm": asked("p", "d", d=D | epsilon("ln 4"), level="ln 3/2"),
    "blocks": asked("p", "d", d=D | BLOCKS),
    "blocks across": asked("p", "d", d=D | ACROSS),
    "one block": asked("p", "d", d=D | {"protect": {"blocks": [["a", "b", "c", "e"]]}}),
    "sensitive": asked("p", "d", d=D | SENSITIVE),
    "not asked by itself": asked("p", d=D | BLOCKS),
    "a table of blocks": asked("p", ("d", "q"), d=D | BLOCKS, q=Q),
    "a table of another": asked("p", ("d", "q"), d=D | epsilon("2"), q=Q),
    "a table with what it decides": asked(("d", "p"), "p", d=D | epsilon("2")),
    "a table with sensitive values": asked("p", ("d", "q"), d=D | {"protect": {"sensitive": ["a"]}}, q=Q),
    "a table of sensitive values": asked("p", ("d", "q"), d=D | SENSITIVE, q=Q | {"protect": {"sensitive": ["u"]}}),
    "a table beside sensitive values": asked(
        "p", ("d", "q"), d=D | epsilon("2"), q=Q | {"protect": {"sensitive": ["u"]}}
    ),
    "a table beside blocks": asked(
        "p", ("d", "q"), d=D | epsilon("2"), q={"categories": 4} | {"protect": {"blocks": [[0, 1], [2, 3]]}}
    ),
    "a table with a line": asked("p", ("d", "q"), d=D | epsilon("2"), q=LINE),
    "a table with a line of whole": asked("p", ("d", "q"), d=D, q=LINE),
    "a table with a matrix": asked("p", ("d", "q"), d=D | epsilon("1/3"), q=MATRIX),
    "a table with an open matrix": asked("p", ("d", "q"), d=D | epsilon("2"), q=OPEN),
    "a table of both with a matrix": asked("p", ("d", "p", "q"), q=FAR),
    "a table of two with a matrix": asked("p", "r", ("p", "r", "q"), r=Q | {"only_if": {"d": ["a"]}}, q=FAR),
    "a table of blocks with a line": asked("p", ("d", "q"), d=D | BLOCKS, q=LINE),
    "a sibling": asked("p", "r", d=D | epsilon("2"), r=SIBLING),
    "a sibling and what decides": asked("p", "r", "d", d=D | epsilon("2"), r=Q | {"only_if": {"d": ["a"]}}),
    "a chain": asked("r", "d", "p", d=D | BLOCKS, r=Q | {"only_if": {"p": ["x"]}}),
    "two that decide": asked(
        "p", "d", "q", p=P | {"only_if": {"d": ["a"], "q": "u"}}, d=D | epsilon("2"), q=Q | epsilon("3")
    ),
    "several apply": asked("p", "m", "d", d=D | epsilon("2"), m=MANY | {"only_if": {"d": "a"}}),
    "several of a sibling": asked("p", "m", d=D | epsilon("2"), m=MANY | {"only_if": {"d": "a"}} | epsilon("2")),
    "no condition": asked("d", "p", p=Q, d=D | BLOCKS),
    "deltas": asked("p", "d", p=P | {"delta": "1/8"}),
    "numbers": asked(
        "p", "d", level="1/2", n={"number": {"low": 0, "high": 9}, "missing": "0.3", "only_if": {"d": "a"}}
    )
    | {"ask": [{"histogram": "p"}, {"distribution": "n", "quantiles": [0.5]}, {"mean": "n"}]},
}


@pytest.fixture(scope="module")
def shown():
    """Of each survey its plan, and what the page says of it."""
    plans = {name: plan_of(survey, people=100_000) for name, survey in SURVEYS.items()}
    script = Path(__file__).with_name("weaker.mjs")
    texts = json.dumps([one.bytes.decode() for one in plans.values()])
    found = subprocess.run(
        ["node", script], input=texts, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert found.returncode == 0, found.stderr
    return {name: (plans[name], own) for name, own in zip(plans, json.loads(found.stdout), strict=True)}


CERTAIN = re.compile(
    r"A report about '(.*)' can show for certain (?:whether '(.*)' was asked"
    r"|that somebody answered .*, and so was not asked for '(.*)')\."
)
ODDS = re.compile(
    r"A report about '(.*)' changes the odds of whether '(.*)' was asked by a factor of up to (\S+), which is more than"
    r" a report about '\2' does: (\S+)\."
)


def said_by_the_package(plan):
    """Each report that it names: of whose asking, about which question, the factor, and that of the answer."""
    places = {question.name: place for place, question in enumerate(plan.questions)}
    for sentence in condition_sentences(plan):
        if found := CERTAIN.fullmatch(sentence):
            yield found[2] or found[3], places[found[1]], None
        elif found := ODDS.fullmatch(sentence):
            yield found[2], places[found[1]], (number(found[3]), number(found[4]))


def number(text):
    return Fraction(text.replace(",", "").replace(" x 10^", "e"))


@pytest.mark.parametrize("name", SURVEYS)
def test_the_page_names_the_same_reports_and_factors_as_the_package(shown, name):
    plan, page = shown[name]
    own = {(who, place): most and (number(most), number(least)) for who, place, most, least in page["reports"]}
    package = list(said_by_the_package(plan))
    assert own == {(who, place): factors for who, place, factors in package}
    assert len(page["reports"]) == len(package)


def test_surveys_of_each_kind_are_among_them(shown):
    said = {name: list(said_by_the_package(plan)) for name, (plan, _) in shown.items()}
    assert sum(not own for own in said.values()) >= 6
    factors = [one[2] for own in said.values() for one in own]
    assert factors.count(None) >= 6
    assert len({one for one in factors if one is not None}) >= 8
    assert max(len(own) for own in said.values()) >= 2


EACH = {
    "en": ("can show for certain whether you were asked {}.", "whether you were asked {} by a factor of up to {}"),
    "de": ("kann sicher zeigen, ob Sie nach {} gefragt", "ob Sie nach {} gefragt wurden oder nicht, bis zum Faktor {}"),
    "fr": (
        "montrer avec certitude si la question {} vous",
        "jusqu\u2019à {1}, le rapport des chances que la question {0} vous",
    ),
    "es": (
        "mostrar con certeza si se le hizo la pregunta {}.",
        "se le hiciera o no la pregunta {} por un factor de hasta {}",
    ),
}
QUOTES = {"en": "“{}”", "de": "„{}“", "fr": "«\u00a0{}\u00a0»", "es": "«{}»"}


@pytest.mark.parametrize("language", EACH)
def test_each_language_says_it_in_the_card_and_among_all_sentences(shown, language):
    certain, odds = EACH[language]
    for name, (plan, page) in shown.items():
        told, reports = page["told"][language], page["reports"]
        assert len(told["short"]) == (None in {most for _, _, most, _ in reports}) + any(
            most for _, _, most, _ in reports
        ), name
        # The card has one sentence of all reports, with the largest factor.
        largest = max((most for _, _, most, _ in reports if most), key=number, default=None)
        if largest is not None and number(largest) < 1000:
            assert (largest if language == "en" else largest.replace(".", ",")) in told["short"][-1]
        assert not any(re.search(r"[{}]|undefined|null", one) for one in told["short"] + told["all"])
        for who, place, most, _ in reports:
            quoted = QUOTES[language].format(who)
            digits = None if most is None else most if language == "en" else most.replace(".", ",")
            if most is not None and number(most) >= 1000:
                continue
            words = certain.format(quoted) if most is None else odds.format(quoted, digits)
            found = [one for one in told["all"] if words in one]
            assert len(found) == 1, (name, words, told["all"])
            for attribute in plan.questions[place].attribute_names:
                assert QUOTES[language].format(attribute) in found[0]
        if not reports:
            assert not [one for one in told["all"] if certain.partition("{")[0] in one or odds.partition("{")[0] in one]


def test_golden_plans_have_no_such_report():
    """Each has one promise for all, so that the form of none has a line more."""
    script = Path(__file__).with_name("weaker.mjs")
    texts = json.dumps([golden_text(name) for name in NAMES])
    found = subprocess.run(
        ["node", script], input=texts, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
    )
    assert found.returncode == 0, found.stderr
    for own in json.loads(found.stdout):
        assert own["reports"] == []
        assert all(told["short"] == [] for told in own["told"].values())


def records_of(document):
    """Every record of a plan that goes with its conditions: a place of each attribute's labels."""
    attributes = document["attributes"]
    labels = {name: own.get("labels") or list(map(str, range(own["numbers"]))) for name, own in attributes.items()}
    for values in product(*(range(len(own)) for own in labels.values())):
        record = dict(zip(labels, values, strict=True))
        if all(
            is_unasked(name, attributes, labels, record) == says_unasked(name, attributes, labels, record)
            for name in labels
        ):
            yield record


def is_unasked(name, attributes, labels, record):
    conditions = attributes[name].get("only_if", {})
    return not all(labels[other][record[other]] in given for other, given in conditions.items())


def says_unasked(name, attributes, labels, record):
    return "only_if" in attributes[name] and record[name] == len(labels[name]) - 1


def ratio_of_asking(document, part, who, free):
    """The largest ratio of a code's chances between who is asked and who is not, alike in what is free."""
    attributes = document["attributes"]
    names = part.get("table") or [part["histogram"]]
    sizes = {name: len(own.get("labels") or range(own["numbers"])) for name, own in attributes.items()}
    draw, known = Draw(part["mechanism"]), {}
    rows = {True: set(), False: set()}
    for record in records_of(document):
        cell = 0
        for name in names:
            cell = cell * sizes[name] + record[name]
        was_asked = record[who] != sizes[who] - 1
        rows[was_asked].add((cell, tuple(record[name] for name in free if name in names)))
    for cell in {cell for own in rows.values() for cell, _ in own}:
        known[cell] = code_distribution(draw, cell)
    worst = Fraction(1)
    for (one, alike), (other, same) in product(rows[True], rows[False]):
        if alike != same:
            continue
        for code in known[one].keys() | known[other].keys():
            pair = known[one].get(code, 0), known[other].get(code, 0)
            if min(pair) == 0 < max(pair):
                return inf
            worst = max(worst, Fraction(max(pair)) / min(pair) if max(pair) else worst)
    return worst


ENUMERATED = [
    name for name, survey in SURVEYS.items() if not {"m", "n"} & survey["attribute"].keys() and name != "no condition"
]


@pytest.mark.parametrize("name", ENUMERATED)
def test_what_the_page_says_is_true_of_every_channel(shown, name):
    plan, page = shown[name]
    document = json.loads(plan.bytes)
    said = {(who, place): most for who, place, most, _ in page["reports"]}
    for who in [one for one, own in document["attributes"].items() if "only_if" in own and "protect" in own]:
        # Beside what decides p, and what else depends on that, everything is free but q where it decides too.
        free = [] if "q" in document["attributes"][who]["only_if"] else ["q"]
        own = next(part for part in document["queries"] if part.get("histogram") == who)
        allowed = ratio_of_asking(document, own, who, free)
        assert allowed < inf
        for place, part in enumerate(document["queries"]):
            ratio = ratio_of_asking(document, part, who, free)
            if (who, place) not in said:
                assert ratio <= allowed * Fraction(1001, 1000), (who, place)
            elif said[who, place] is None:
                assert ratio == inf, (who, place)
            else:
                assert allowed < ratio <= number(said[who, place]), (who, place)
                assert number(said[who, place]) <= ratio * Fraction(101, 100) + Fraction(1, 100)
