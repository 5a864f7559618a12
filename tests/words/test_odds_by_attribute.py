"""What budgets and deltas of attributes promise in words: for whom, rounded outward, and what is not promised."""

import re

import mpmath
import numpy as np
import pytest

from sordino import BayesianCoordinateDP, ChannelTable, CoordinateDP
from sordino.audit.certificate import certify
from sordino.blocks.sentence import texts
from sordino.words.explain_promise import explain
from sordino.words.odds import promise

NUMBER = r"([\d.]*\d)"
FACTOR = rf"between any two values of (\S+) by a factor of at most {NUMBER}: a suspicion of 10 % rises to"
FACTOR += rf" at most {NUMBER} % and falls no lower than {NUMBER} %"
FAIR = np.full((2, 2), 0.25)


def require_odds(lines, expected):
    """Each named attribute's factor and beliefs, never better than the truth and a hundredth worse at most."""
    found = re.findall(FACTOR, " ".join(lines).replace("attribute ", "#"))
    assert [name for name, *_ in found] == [name for name, _ in expected]
    for (_, *numbers), (_, truth) in zip(found, expected, strict=True):
        factor, most, least = map(mpmath.mpf, numbers)
        assert truth <= factor <= truth + 0.01
        # Odds of 1 to 9.
        highest, lowest = 100 * truth / (truth + 9), 100 / (1 + 9 * truth)
        assert highest <= most <= highest + 0.01
        assert lowest - 0.01 <= least <= lowest


def test_budgets_are_for_somebody_who_knows_all_others():
    lines = explain(CoordinateDP(["0.1", "inf", "ln 3"]))
    require_odds(lines, [("#0", mpmath.exp("0.1")), ("#2", mpmath.mpf(3))])
    assert lines[0].startswith("For somebody who already knows all other attributes, one report")
    assert lines[1] == "Nothing is promised about attribute 1 by itself."
    assert lines[2].startswith("For the same observer, one report")
    assert "do not hold for somebody who does not know all other attributes" in lines[3]
    assert lines[4].endswith("nothing is promised.")
    assert lines[5] == "A second report about the same answer multiplies the factors."


def test_the_sum_of_the_budgets_holds_for_anybody():
    lines = explain(CoordinateDP(["ln 2", "ln 3"]))
    assert lines[3].startswith("For anybody else, whatever they know")
    assert lines[3].endswith("by a factor of at most 6.")


def test_a_prior_promises_nothing_to_others():
    lines = explain(BayesianCoordinateDP.with_prior(["ln 2", "inf"], FAIR))
    require_odds(lines, [("#0", mpmath.mpf(2))])
    assert "are the stated prior (their beliefs about the attribute itself may be any)" in lines[0]
    assert lines[1] == "Nothing is promised about attribute 1 by itself."
    assert lines[2] == "For anybody else, for example with side information about this person, nothing is promised."
    assert lines[3].startswith("The factors of the single attributes do not")


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (0.1, "two values of any attribute by at most 0.1 in total variation "),
        (["0.1", 1], "two values of each attribute in turn by at most 0.1, 1 in total variation "),
        # A bound of less promises less.
        ("2/3", "at most 0.666666 "),
    ],
)
def test_a_bound_is_for_those_within_it_and_the_others_get_epsilon(rest, words):
    lines = explain(BayesianCoordinateDP.bounded(["ln 2", "ln 3"], "ln 6", rest))
    require_odds(lines, [("#0", mpmath.mpf(2)), ("#1", mpmath.mpf(3))])
    assert words in lines[0]
    assert "before any report" in lines[0]
    assert lines[2].startswith("For anybody else, whatever they know about this person, one report changes the odds")
    assert lines[2].endswith("factor of at most 6.")
    assert lines[3].startswith(
        "That factor multiplies with a second report. The factors of the single attributes do not"
    )


def test_attributes_and_reports_have_names():
    lines = texts(promise(CoordinateDP(["ln 2", "inf"]), ["age", "income"], "this answer"))
    assert "this answer changes the odds between any two values of 'age'" in lines[0]
    assert lines[1] == "Nothing is promised about 'income' by itself."


def test_a_certificate_names_the_attribute():
    mechanism = ChannelTable([[3, 1], [3, 1], [1, 3], [1, 3]])
    lines = explain(certify(mechanism, BayesianCoordinateDP.with_prior(["ln 2", "0"], FAIR)))
    assert lines[0].startswith("The promise is BROKEN")
    assert "a report distinguishes the value 0 from 1 of attribute 0" in lines[1]
    whole = explain(certify(mechanism, BayesianCoordinateDP.bounded(["ln 3", "ln 3"], "ln 3", 1).on((2, 2))))
    assert whole[0].startswith("The promise holds")
    assert "of attribute" in whole[1]
