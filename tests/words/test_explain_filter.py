"""What a filter says in words: the promise about all answers, what binds, what is left; for any domain."""

import re

import numpy as np
import pytest

from in_one import in_one
from sordino import (
    LDP,
    ApproximateFilter,
    BayesianCoordinateDP,
    BayesianFilter,
    Box,
    Categories,
    CoordinateDP,
    HighLowLDP,
    LinearQuery,
    Odometer,
    Query,
    RandomizedResponse,
    Record,
    Value,
    explain,
)
from sordino.accounting.joint_filter import JointFilter

SQUARE = Box([-1, -1], [1, 1])
FIRST = LinearQuery([1.0, 0.0], 0, -1, 1, "0.3")
COIN = RandomizedResponse(2, "0.3")
RECORD = Record({"smoker": Categories(["no", "yes"]), "sex": Categories(["f", "m"])})
ABOUT_SMOKER = Query(Value("smoker"), COIN)

CASES = {
    "whole record": (BayesianFilter(SQUARE, LDP("ln 2")), FIRST, "two records", "factor of at most 2."),
    "number": (BayesianFilter(SQUARE, CoordinateDP(["ln 2", "1"])), FIRST, "two values of attribute 0", "at most 2:"),
    "number, beliefs": (
        BayesianFilter(SQUARE, BayesianCoordinateDP.bounded(["ln 2", "1"], "2", "0.2")),
        FIRST,
        "two values of attribute 0",
        "at most 0.2 in total variation",
    ),
    "values": (BayesianFilter(Categories(["a", "b"]), LDP("ln 2")), COIN, "two values", "factor of at most 2."),
    "sensitive": (
        BayesianFilter(Categories(["a", "b"]), HighLowLDP(2, [1], "ln 2")),
        COIN,
        "two values",
        "is sensitive ('b')",
    ),
    "attribute": (
        BayesianFilter(RECORD, CoordinateDP(["ln 2", "1"])),
        ABOUT_SMOKER,
        "two values of attribute 'smoker'",
        "any two values of 'smoker' by a factor of at most 2:",
    ),
    "prior": (
        BayesianFilter(RECORD, BayesianCoordinateDP.with_prior(["ln 2", "1"], np.full((2, 2), 0.25))),
        ABOUT_SMOKER,
        "two values of attribute 'smoker'",
        "for example with side information about this person, nothing is promised",
    ),
}


@in_one("case", CASES)
def test_a_filter_says_what_is_promised_what_binds_and_what_is_left(case):
    start, query, binding, promised = CASES[case]
    text = " ".join(explain(start.after(query, 1)))
    assert "the set of all answers" in text
    assert promised in text
    assert f"Least is left between {binding}: " in text
    (told,) = re.findall(r"distinguish them by at most ([\d.]+) nats", text)
    (left,) = re.findall(r"epsilons add up to at most ([\d.]+) nats", text)
    assert (told, left) == ("0.3", "0.393")
    assert "fresh randomness" in text
    assert ("outside the box" in text) == isinstance(start.domain, Box)
    # All answers are the report: there is no second one to warn of.
    assert "second report" not in text
    assert ("nothing is promised once the record has changed" in text) == ("beliefs" in case or case == "prior")


def test_answers_that_are_out_are_told():
    joint = JointFilter.of(CASES["number"][0]).with_query("a", FIRST)
    text = " ".join(explain(joint))
    assert "Answers still open: 1. Each counts as every answer that it may be." in text
    assert "two values of attribute 0" in text


def test_a_filter_with_a_probability_says_which_part_decides():
    asked = ApproximateFilter("1", "1e-6", Categories(["a", "b"]), first="basic")
    text = " ".join(explain(asked))
    assert "2.72 times as likely" in text
    assert "plus a probability of 0.000001" in text
    assert "by their epsilons alone" in text
    for output in (0, 1, 0, 1):
        asked = asked.after(COIN, output)
    text = " ".join(explain(asked))
    assert "epsilons are used up" in text
    assert "By what was really revealed: least is left between two values" in text


def test_an_odometer_says_its_three_counts():
    odometer = Odometer(Categories(["a", "b"]), LDP("1")).after(COIN, 0).after(COIN, 1)
    first, last = explain(odometer)
    realized, separate, epsilons = map(float, re.findall(r"(\d[\d.e-]*) nats", first))
    assert realized <= 1e-9
    assert separate == epsilons == pytest.approx(0.6)
    assert "promises nothing" in last
