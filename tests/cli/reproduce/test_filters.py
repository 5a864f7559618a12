"""`sordino reproduce` for the Bayesian privacy filter paper: one JSON object or a table, and mistakes refused."""

import json

import pytest


def read(result):
    code, out, err = result
    assert (code, err, out.count("\n")) == (0, "", 1)
    return json.loads(out)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(("name", "rows"), [("appendix-a", 4), ("health", 16)])
def test_losses_are_one_json_object(run, name, rows):
    found = read(run("reproduce", name, "--json"))
    assert set(found) == {"rows"}
    assert [tuple(row) for row in found["rows"]] == [("outputs", "printed", "found")] * rows
    losses = [row["found"] for row in found["rows"]]
    assert all(0 < loss["lower"] <= loss["upper"] < loss["lower"] + 1e-4 for loss in losses)
    printed = {row["outputs"]: row["printed"] for row in found["rows"]}
    assert {"11": 1.41, "10": 1.69}.items() <= printed.items() or {
        "0000": 2.4639,
        "0111": 3.7449,
    }.items() <= printed.items()
    assert all(abs(row["printed"] - row["found"]["upper"]) < 0.16 for row in found["rows"])
    assert len({row["outputs"] for row in found["rows"]}) == rows


@pytest.mark.long
@pytest.mark.parametrize(("name", "printed"), [("fig1-linear", 47), ("fig1-logistic", 21)])
def test_accepted_queries_are_one_json_object(run, name, printed):
    command = ("reproduce", name, "--runs", "3", "--seed", "5", "--nodes", "50", "--json")
    found = read(run(*command))
    assert list(found) == ["printed", "found", "basic", "milliseconds_per_query"]
    assert (found["basic"], found["printed"]) == (10, printed)
    assert len(found["found"]) == 3
    assert found["milliseconds_per_query"] > 0
    assert read(run(*command))["found"] == found["found"]
    simplified = read(run(*command, "--rule", "simplified", "--group", "5"))
    assert sum(simplified["found"]) < sum(found["found"])


@pytest.mark.long
def test_one_sided_groups_accept_more_than_two_sided_ones_and_less_than_all_together(run):
    command = ("reproduce", "fig1-linear", "--runs", "4", "--json")
    together, sided, both = (
        sum(read(run(*command, *more))["found"]) for more in ((), ("--group", "10", "--one-sided"), ("--group", "10"))
    )
    assert both < sided < together
    simplified = read(run(*command, "--group", "10", "--one-sided", "--rule", "simplified"))
    assert both < sum(simplified["found"]) < sided
    code, _, err = run("reproduce", "fig1-linear", "--one-sided")
    assert code == 2
    assert "--group" in err


@pytest.mark.long
def test_curves_have_bands_and_losses_below_their_budget(run, tmp_path):
    name = tmp_path / "figure.svg"
    command = ("reproduce", "fig1-linear", "--runs", "3", "--nodes", "100", "--curves")
    found = read(run(*command, "-o", str(name), "--json"))
    assert name.read_text(encoding="utf-8").count("<svg") == 1
    assert json.loads(name.with_suffix(".json").read_text(encoding="utf-8")) | {"data": found["data"]} == found
    assert [row["printed"] for row in found["rows"]] == [None] * 9 + [47]
    assert [row["budget"] for row in found["rows"]] == [*(f"0.{tenth}" for tenth in range(1, 10)), "1"]
    bands = [row["found"] for row in found["rows"]]
    for row in bands:
        assert min(row["accepted"]) <= row["lower"] <= row["median"] <= row["upper"] <= max(row["accepted"])
    assert [len(path) for path in found["paths"]] == bands[-1]["accepted"]
    assert all(0 < loss <= 1 for path in found["paths"] for loss in path)
    code, text, err = run(*command)
    assert (code, err) == (0, "")
    assert "90 % below" in text
    code, _, err = run("reproduce", "fig1-linear", "-o", str(tmp_path / "other.svg"))
    assert code == 2
    assert "--curves" in err


@pytest.mark.long
def test_theta_is_an_option_of_logistic_models(run):
    small, large = (
        read(run("reproduce", "fig1-logistic", "--theta", theta, "--runs", "2", "--nodes", "20", "--json"))
        for theta in ("0.4", "10")
    )
    assert sum(small["found"]) > sum(large["found"]) >= 20


@pytest.mark.long
def test_text_for_people(run):
    for name, signs in {
        "appendix-a": ("1.413790", "1.69", "the paper"),
        "health": ("0110", "2.4642", "at most"),
        "fig1-linear": ("median", "basic composition 10", "the paper 47", "Milliseconds"),
    }.items():
        code, out, err = run("reproduce", name, *(("--runs", "1") if name.startswith("fig1") else ()))
        assert (code, err) == (0, "")
        assert [sign for sign in signs if sign not in out] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("fig1-linear", "--runs", "0"),
        ("fig1-linear", "--theta", "1"),
        ("fig1-logistic", "--rule", "half"),
        ("health", "x"),
    ],
)
def test_a_mistake_ends_with_exit_code_2(run, arguments):
    code, out, err = run("reproduce", *arguments)
    assert (code, out) == (2, "")
    assert arguments[1] in err
    assert "Traceback" not in err


@pytest.mark.long
@pytest.mark.parametrize(("name", "rows"), [("identical", 70), ("fig4", 41), ("bcdp-composition", 4)])
def test_finite_filters_are_one_json_object_and_a_table(run, tmp_path, name, rows):
    if name == "bcdp-composition":
        printed = read(run("reproduce", name, "--json"))["rows"]
    else:
        whole = read(run("reproduce", name, "-o", str(tmp_path / "figure.png"), "--json"))
        printed = whole["rows"]
        assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
        assert read((0, (tmp_path / "figure.json").read_text(encoding="utf-8"), ""))["rows"] == printed
        assert (whole["figure"], whole["data"]) == (str(tmp_path / "figure.png"), str(tmp_path / "figure.json"))
    assert len(printed) == rows
    code, text, err = run("reproduce", name)
    assert (code, err) == (0, "")
    if name == "bcdp-composition":
        assert [(row["first"], row["second"]) for row in printed] == [(True, False)] * 4
        assert text.count("refused") == 4
    else:
        known = [row for row in printed if row["elsewhere"] is not None]
        found = [row["found"] for row in known]
        assert found == pytest.approx([row["elsewhere"] for row in known], abs=6e-5)
        assert all(f"{value:.4f}" in text for value in found)


@pytest.mark.long
def test_counts_of_filters_with_a_delta_are_one_json_object_and_a_table(run):
    found = read(run("reproduce", "approximate", "--json"))
    assert [tuple(row) for row in found["rows"]] == [("first", "each", "found")] * 10
    code, text, err = run("reproduce", "approximate")
    assert (code, err) == (0, "")
    assert all(str(row["found"]) in text for row in found["rows"])


@pytest.mark.long
def test_the_papers_bounds_by_chords_stand_beside_those_here(run):
    code, out, _ = run("reproduce", "chords", "--json")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert len(rows) == 16
    assert all(row["found"]["upper"] <= row["basic"] < row["corrected"]["upper"] for row in rows)
    code, out, _ = run("reproduce", "chords", "--boxes", "1")
    assert code == 0
    assert "here, at most" in out
    assert run("reproduce", "chords", "--boxes", "0")[0] == 2
