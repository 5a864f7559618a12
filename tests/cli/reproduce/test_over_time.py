"""`sordino reproduce memoised`, `year` and `life`: one JSON object, a table, and mistakes refused."""

import json

import pytest


def test_memoised_answers_are_one_json_object_and_a_table(run):
    code, out, err = run("reproduce", "memoised", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert (found["permanent"], found["first"]) == ("1", "1/2")
    assert [row["answers"] for row in found["rows"]] == list(range(1, 53))
    assert found["rows"][9]["losses"].keys() == {"0", "1", "3"}
    assert found["rows"][9]["never_or_once"] == pytest.approx(5.28, abs=0.005)
    code, out, err = run("reproduce", "memoised")
    assert (code, err) == (0, "")
    assert all(amount in out for amount in ("5.28", "22.98", "Sordino asks each person once"))


@pytest.mark.parametrize("words", [("--first", "1"), ("--first", "x"), ("--permanent", "inf")])
def test_losses_that_are_none_are_refused(run, words):
    code, out, err = run("reproduce", "memoised", *words)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def test_a_year_is_one_json_object_and_a_table(run):
    code, out, err = run("reproduce", "year", "--series", "1", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert (found["people"], found["weeks"], found["series"]) == (100_000, 52, 1)
    assert len(found["rows"]) == 14 * 3
    assert len(found["known_shapes"]) == 5 * 3
    code, out, err = run("reproduce", "year", "--series", "1")
    assert (code, err) == (0, "")
    assert all(f"{row['smoothed']:.4f}" in out for row in found["rows"])
    assert run("reproduce", "year", "--series", "0")[0] == 2


def test_a_life_is_one_json_object_and_a_table(run):
    code, out, err = run("reproduce", "life", "--people", "1", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert (found["people"], found["added"], len(found["rows"])) == (1, 10, 6)
    assert [row["quotas"] for row in found["rows"]] == [False, True] * 3
    code, out, err = run("reproduce", "life", "--people", "1")
    assert (code, err) == (0, "")
    assert all(f"{row['answers']:.1f}" in out for row in found["rows"])


@pytest.mark.parametrize("words", [("--people", "0"), ("--each", "x"), ("--quota", "inf"), ("--epsilon", "-1")])
def test_a_life_without_a_promise_is_refused(run, words):
    code, out, err = run("reproduce", "life", *words)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
