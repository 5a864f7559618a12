"""`sordino odds` against a formula of its own: what becomes of a suspicion, and the variance of the best mechanism."""

import json
from math import e
from statistics import NormalDist

import pytest

from in_one import in_one


def rows(run, *words):
    code, output, errors = run("odds", *words, "--json")
    assert (code, errors) == (0, "")
    return json.loads(output)["rows"]


@in_one(("epsilon", "factor"), [("0.1", e**0.1), ("1", e), ("ln 3", 3), ("1/2 + ln 2", 2 * e**0.5), ("6", e**6)])
def test_a_suspicion_rises_to_at_most_what_odds_say(epsilon, factor, run):
    (row,) = rows(run, epsilon, "--answers", "2")
    assert float(row["factor"].replace(",", "")) == pytest.approx(factor, abs=0.01)
    for suspicion, most in row["suspicions"].items():
        odds = int(suspicion) / (100 - int(suspicion)) * factor
        truth = 100 * odds / (1 + odds)
        # Rounded up, to hundredths.
        assert truth - 1e-9 <= float(most) <= truth + 0.01


def test_people_are_those_of_a_fair_coin_of_two_answers(run):
    (row,) = rows(run, "ln 3", "--answers", "2", "--accuracy", "0.02")
    z = NormalDist().inv_cdf(0.975)
    # Of n people half say either by a report that is true in three of four: the share's error is sqrt(1 / n).
    assert row["people"] == {"2": pytest.approx((z / 0.02) ** 2, rel=1e-3)}


def test_epsilons_and_answers_are_those_that_are_asked_for(run):
    found = rows(run, "2", "1", "--answers", "3", "--answers", "5000")
    assert [row["epsilon"] for row in found] == ["2", "1"]
    assert all(row["people"].keys() == {"3", "5000"} for row in found)
    assert len(rows(run)) == 8
    # A table keeps the words of who asked.
    code, output, _ = run("odds", "0.25")
    assert code == 0
    assert "  0.25 " in output


@in_one(
    ("words", "rule"),
    [
        (["x"], "an amount of loss must be a finite number of nats"),
        (["200"], "epsilon must lie between 0 and 100 nats"),
        (["0"], "reports must depend on the values"),
        (["1", "--accuracy", "0"], "--accuracy must be between 0 and 1"),
        (["1", "--accuracy", "nan"], "--accuracy must be between 0 and 1"),
        (["1", "--answers", "1"], "1 is not in the range 2<=x<=10000"),
    ],
)
def test_what_is_no_epsilon_or_no_accuracy_is_refused(words, rule, run):
    code, output, errors = run("odds", *words)
    assert (code, output) == (2, "")
    assert rule in errors
