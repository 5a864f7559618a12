"""A survey with public columns on the command line: from the file to estimates by groups, weighted, as every output."""

import csv
import json

import pytest

SURVEY = """\
version = 1
epsilon = "4"
[public.region]
categories = ["north", "south", "far"]
totals = { north = 3000, south = 1000, far = 50 }
[public.wave]
categories = ["first", "second"]
[attribute.smoker]
categories = ["yes", "no"]
[[ask]]
histogram = "smoker"
"""
RECORD = 'version = 1\n[record]\nsmoker = "no"\nregion = "far"\nwave = "second"\n'


def person(place):
    region = "far" if place % 100 == 0 else "south" if place % 3 else "north"
    return (
        region,
        ("first", "second")[place % 2],
        "yes" if place % 5 == 0 or (region == "south" and place % 2) else "no",
    )


@pytest.fixture
def collected(tmp_path, monkeypatch, run):
    """A folder with the plan and the reports of 3,000 people."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(SURVEY)
    rows = [",".join(person(place)) for place in range(3000)]
    (tmp_path / "people.csv").write_text("\n".join(["region,wave,smoker", *rows, ""]))
    code, out, _ = run("plan", "survey.toml", "--people", "3000", "-o", "plan.json", "--json")
    told = json.loads(out)
    assert code == 0
    assert any(
        "1 of 3 groups by 'region' is expected to send fewer than 100 reports" in each for each in told["warnings"]
    )
    assert "'region' and 'wave' are sent as they are" in told["explanation"]["summary"][0]
    assert run("privatize", "plan.json", "people.csv", "-o", "reports.csv")[0] == 0
    return tmp_path


def test_the_command_for_groups_is_said_until_it_is_given(collected, run):
    said = "--by region (or wave; several with commas between)"
    _, planned, _ = run("plan", "survey.toml", "--people", "3000")
    assert f"\nBy groups: sordino estimate PLAN.json REPORTS {said}\n" in planned
    _, found, _ = run("estimate", "plan.json", "reports.csv")
    assert found.endswith(f"\nBy groups: {said}\n")
    _, grouped, _ = run("estimate", "plan.json", "reports.csv", "--by", "region,wave")
    assert "smoker by region, wave" in grouped
    assert "By groups" not in grouped
    # The period of a series stands beside the other columns, and over time in any case.
    series = '\n[series]\nperiods = 4\nevery = "week"\nstart = 2026-01-05\n'
    (collected / "both.toml").write_text(SURVEY + series)
    (collected / "none.toml").write_text(f"version = 1\nepsilon = 4\n{SURVEY[SURVEY.index('[attribute') :]}{series}")
    assert said in run("plan", "both.toml", "--people", "3000")[1]
    code, planned, _ = run("plan", "none.toml", "--people", "3000")
    assert (code, "By groups" in planned) == (0, False)


def test_every_output_has_the_groups_and_the_weighted_numbers(collected, run):
    asked = ("estimate", "plan.json", "reports.csv", "--by", "region")
    code, out, _ = run(*asked, "--json", "-o", "all.csv", "--html", "page.html")
    told = json.loads(out)
    assert code == 0
    assert [(one["group"], one["estimated"]) for one in told["groups"]] == [
        ("north", True),
        ("south", True),
        ("far", False),
    ]
    assert [(row["group"], row["value"]) for row in told["group_rows"]] == [
        ("north", "yes"),
        ("north", "no"),
        ("south", "yes"),
        ("south", "no"),
    ]
    assert {row["minus"] for row in told["group_differences"]} == {"rest"}
    assert told["group_tests"][0]["p_value"] < 1e-6
    assert told["weighted_by"] == ["region"]
    assert [row["people"] for row in told["response"]] == [3000, 1000, 50]
    with (collected / "all.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["group"] for row in rows if row["kind"] == "share"] == ["", "", "north", "north", "south", "south"]
    assert {"weighted", "group difference"} <= {row["kind"] for row in rows}
    tests = [row for row in rows if row["kind"] == "equality"]
    assert [(row["question"], row["attribute"], row["term"]) for row in tests] == [
        (test["attribute"], "region", test["tested"]) for test in told["group_tests"]
    ]
    for row, test in zip(tests, told["group_tests"], strict=True):
        told_numbers = [test["statistic"], test["degrees"], test["p_value"]]
        assert [float(row[name]) for name in ("statistic", "df", "p.value")] == pytest.approx(told_numbers)
        assert row["estimate"] == row["conf.level"] == ""
    assert "too few reports (30)" in (collected / "page.html").read_text()
    code, out, _ = run(*asked)
    assert code == 0
    for words in ("too few reports (30)", "north: yes", "each group minus all other people", "weighted by region"):
        assert words in out


def test_groups_of_two_columns_against_one_of_them(collected, run):
    asked = (
        "estimate",
        "plan.json",
        "reports.csv",
        "--by",
        "region,wave",
        "--against",
        "north, first",
        "--simultaneous",
    )
    code, out, _ = run(*asked, "--json")
    told = json.loads(out)
    assert code == 0
    assert {row["minus"] for row in told["group_differences"]} == {"north, first"}
    assert all("adjusted_p_value" in row for row in told["group_tests"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--by", "regoin"), "did you mean 'region'"),
        (("--against", "north"), "--against must be of groups"),
        (("--by", "region", "--against", "nroth"), "did you mean 'north'"),
        (("--by", "region", "--forged", "3"), "a forged one names any group"),
        (("--totals", "missing.toml"), "missing.toml"),
    ],
)
def test_what_cannot_be_done_by_groups_is_refused(collected, run, words, said):
    code, _, err = run("estimate", "plan.json", "reports.csv", *words)
    assert code != 0
    assert said in err


def test_one_person_s_report_says_its_public_values(collected, run):
    (collected / "me.toml").write_text(RECORD)
    code, out, _ = run("report", "plan.json", "me.toml")
    assert code == 0
    assert json.loads(out)["public"] == {"region": "far", "wave": "second"}
    (collected / "me.toml").write_text(RECORD.replace('"far"', '"east"'))
    code, _, err = run("report", "plan.json", "me.toml")
    assert code != 0
    assert "the record's 'region' must be one of its categories" in err
    assert "east" not in err
