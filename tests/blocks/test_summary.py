"""What a prompt shows of an estimate: what it is, and ten rows at most, however large it is and whatever names hold."""

import numpy as np
import pyarrow as pa
import pytest

import sordino
from sordino import RandomizedResponse
from sordino.blocks.summary import lines_of, numbers_summary
from sordino.estimation.means_and_covariances import NormalEstimate
from sordino.estimation.share_estimate import estimate


def test_of_many_rows_ten_are_shown_and_the_others_are_counted():
    columns = {"estimate": np.arange(1000.0), "stderr": np.ones(1000)}
    lines = numbers_summary("Many", "value", columns).split("\n")
    assert len(lines) == 13
    assert lines[-1] == "  ... 990 more rows: to_arrow()"
    assert lines[2].split() == ["0", "0.0", "1.0"]


def test_a_matrix_is_named_by_its_places():
    found = NormalEstimate(np.eye(2), np.full((2, 2), 0.1), 50)
    assert repr(found).split("\n")[0] == "NormalEstimate from 50 reports"
    assert [line.split("  ")[1] for line in repr(found).split("\n")[2:]] == ["0, 0", "0, 1", "1, 0", "1, 1"]
    assert "1.00" in repr(NormalEstimate(np.array(1.0), np.array(0.1), 50))


def test_an_estimate_of_a_mechanism_shows_its_shares():
    mechanism = RandomizedResponse(30, "1")
    text = repr(estimate(mechanism, mechanism.tally(np.arange(30).repeat(10))))
    assert text.startswith("Estimate of 30 shares from 300 reports, fitted by simplex\n")
    assert len(text.split("\n")) == 13
    assert "fitted" in text.split("\n")[1]


def test_names_stay_on_their_line():
    text = lines_of("Title\nof two", ("", "estimate"), [("a\x1b[2J\nb", "1"), ("long " * 40, "2")], 2)
    assert len(text.split("\n")) == 4
    assert "\x1b" not in text
    assert max(map(len, text.split("\n"))) < 80


def test_a_change_and_a_certificate_say_what_they_found(tables):
    plan = sordino.plan(tables({"smoker": {"categories": ["yes", "no"]}}, "4"), people=3000)
    reports = sordino.privatize(plan, pa.table({"smoker": ["yes", "no", "no"] * 1000}))
    others = sordino.privatize(plan, pa.table({"smoker": ["no"] * 3000}))
    change = sordino.change(plan, reports, plan, others)
    assert pa.table(change) == change.to_arrow()
    lines = repr(change).split("\n")
    assert lines[0] == "PlanChange from 3,000 reports to 3,000, 95 % intervals"
    assert [line.split()[:2] for line in lines[2:]] == [["smoker:", "yes"], ["smoker:", "no"]]
    assert all(line.endswith("yes") for line in lines[2:])
    assert sordino.certify(plan)
    lines = repr(sordino.certify(plan)).split("\n")
    assert lines[0] == "PlanCertificate: holds"
    assert lines[2].split() == ["smoker", "4", "nats,", "its", "bound", "holds"]


def test_a_plan_lists_its_first_questions(tables):
    names = [f"a{i}" for i in range(30)]
    plan = sordino.plan(tables({name: {"categories": ["yes", "no"]} for name in names}, "4"), people=90_000)
    lines = repr(plan).split("\n")
    assert lines[0] == f"Plan of 30 questions for 90,000 people, {plan.hash}"
    assert lines[1] == "  promised: epsilon 4"
    assert lines[3].split() == ["a0", "histogram", "a0", "3,000", "1"]
    assert lines[-1] == "  ... 20 more rows: to_arrow()"
    assert plan.to_polars()["question"].to_list() == names
    assert plan.to_polars()["people"].sum() == 90_000


YES_NO = {"categories": ["yes", "no"]}
MATRIX = {"protect": {"matrix": [["0", "1"], ["inf", "0"]]}}
STEPS = {"categories": 10, "protect": {"metric": {"per": 8}}}
PROMISED = {
    "one epsilon": ({"a": YES_NO, "b": YES_NO}, "epsilon 4", "4"),
    "blocks": ({"a": {"categories": 4, "protect": {"blocks": [[0, 1], [2, 3]]}}}, "epsilon 4", "4"),
    "distances": ({"a": STEPS}, "epsilon 4 for each unit of distance", "4"),
    "pairs": ({"a": YES_NO | MATRIX}, "bounds for pairs of values", None),
    "two ways": ({"a": YES_NO | MATRIX, "b": YES_NO}, "bounds for pairs of values of a, epsilon 4 of b", "4"),
    "deltas": (
        {"a": YES_NO | {"delta": "ln 2"}, "b": YES_NO, "c": YES_NO | {"delta": "1/3"}},
        "epsilon 4 of the whole record; delta ln 2 of a, delta 1/3 of c",
        "4",
    ),
    "many": (
        {name: YES_NO | {"delta": "0.5"} for name in "abcde"},
        "epsilon 4 of the whole record; delta 0.5 of a, delta 0.5 of b, delta 0.5 of c, and 2 more",
        "4",
    ),
}


def test_a_plan_a_forecast_and_a_certificate_say_what_is_promised(tables):
    for name, (attributes, said, epsilon) in PROMISED.items():
        plan = sordino.plan(tables(attributes, "4"), people=90_000)
        assert plan.promise_text == said, name
        assert plan.epsilon == (epsilon and sordino.Nats.of(epsilon)), name
        assert repr(plan).split("\n")[1] == f"  promised: {said}", name
        assert repr(sordino.forecast(plan)).split("\n")[1] == f"  promised: {said}", name
        lines = repr(sordino.certify(plan)).split("\n")
        assert all(line.endswith(("holds", "to_arrow()")) for line in lines[2:]), name
        assert any("the whole record" in line for line in lines) == (name in {"deltas", "many"}), name


def test_an_epsilon_that_was_found_is_seen(tables):
    asked = {name: part for name, part in tables({"smoker": YES_NO}, "4").items() if name != "epsilon"}
    plan = sordino.plan(asked, 10_000, accuracy=0.05)
    assert plan.epsilon == sordino.Nats.of("0.4")
    assert "  promised: epsilon 0.4\n" in repr(plan)
    again = sordino.plan(asked | {"epsilon": str(plan.epsilon)}, 10_000)
    assert again.hash == plan.hash


def test_every_name_is_printable(tables):
    plan = sordino.plan(tables({"x\n\x1b": YES_NO}, "4"), people=90_000)
    for noun in (plan, sordino.certify(plan), sordino.forecast(plan)):
        assert "\x1b" not in repr(noun)
        assert len(repr(noun).split("\n")) <= 4


@pytest.mark.parametrize(("promised", "said"), [("1", "holds"), ("0.5", "does NOT hold")])
def test_a_certificate_says_whether_it_holds(promised, said):
    found = sordino.certify(RandomizedResponse(3, "1"), sordino.LDP(promised))
    assert repr(found) == str(found)
    assert str(found).split("\n")[0] == f"Certificate: {said}"
    assert bool(found) is (said == "holds")
    assert "code 0 distinguishes the value 0 from 1 by 1" in str(found)


def test_a_certificate_names_what_decides_between_two_values():
    found = sordino.certify(sordino.ChannelTable([[1, 0], [0, 1]]), sordino.LDP("1"))
    assert (
        str(found) == "Certificate: does NOT hold\n  tightest: code 0 distinguishes the value 0 from 1 with certainty"
    )
    free = sordino.certify(RandomizedResponse(2, "1"), sordino.PairwiseLDP([["0", "inf"], ["inf", "0"]]))
    assert str(free) == "Certificate: holds"
