"""Margins that an analyst brings: what they make of tables, from Python and the command, and their mistakes."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sordino import KeyedSource, SordinoError, SordinoErrors, aggregate, estimate, plan, privatize
from sordino.tables.results.tidy import COLUMNS

AGES = ["young", "middle", "old"]

NUMBERS = ("estimate", "std.error", "conf.low", "conf.high", "fitted")

SURVEY = """\
version = 1
epsilon = "3"
[attribute.age]
categories = ["young", "middle", "old"]
[attribute.smoker]
categories = ["yes", "no"]
[attribute.sex]
categories = ["f", "m"]
[attribute.pet]
categories = ["cat", "dog"]
[[ask]]
tables = { of = ["age", "smoker", "sex"] }
[[ask]]
histogram = "pet"
"""

CENSUS = {"age": {"old": 0.5, "young": 0.2, "middle": 0.3}, "sex": [0.4, 0.6]}


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory):
    """Of people the old of whom answered too rarely: a fifth, where they are half."""
    folder = tmp_path_factory.mktemp("margins")
    (folder / "survey.toml").write_text(SURVEY)
    n, rng = 24_000, np.random.default_rng(0)
    frozen = plan(folder / "survey.toml", people=n)
    frozen.save(folder / "plan.json")
    ages = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    people = pa.table(
        {
            "age": np.array(AGES)[ages],
            "smoker": np.where(rng.random(n) < np.array([0.1, 0.3, 0.6])[ages], "yes", "no"),
            "sex": np.where(rng.random(n) < 0.5, "f", "m"),
            "pet": np.where(rng.random(n) < 0.5, "cat", "dog"),
            "id": [str(i) for i in range(n)],
        }
    )
    privatize(frozen, people, KeyedSource(bytes(32), "margins"), id_column="id", output=folder / "reports.parquet")
    return folder, estimate(frozen, aggregate(frozen, folder / "reports.parquet"))


def test_smokers_if_the_old_had_answered_as_often_as_others(surveyed):
    by_age = surveyed[1].with_views(margins={"age": CENSUS["age"]}).views["raked"].each
    assert [one.table.attributes for one in by_age] == [["age", "smoker"], ["age", "sex"]]
    rows = list(by_age[0].rows())
    table = surveyed[1].table("age", "smoker")
    within = [row["estimate"] for row in table.conditional("smoker", given="age")][::2]
    (smokers,) = [row for row in rows if row["attributes"] == ["smoker"] and row["value"] == ["yes"]]
    assert smokers["estimate"] == pytest.approx(float(np.dot(within, [0.2, 0.3, 0.5])))
    assert abs(smokers["estimate"] - (0.2 * 0.1 + 0.3 * 0.3 + 0.5 * 0.6)) < 5 * smokers["stderr"]
    # As a sum of independent rows would have it: each row's share within it, by its known weight.
    assert smokers["low"] < smokers["estimate"] < smokers["high"]
    for name in ("estimate", "fitted"):
        sums = {age: sum(row[name] for row in rows if row["value"][0] == age) for age in AGES}
        assert sums == pytest.approx(CENSUS["age"])


def test_fits_agree_with_all_margins_at_once(surveyed):
    """The table of smokers and sexes has no age: the joint fit brings the known ages to it."""
    found = {one.table.question.name: one for one in surveyed[1].with_views(margins=CENSUS).views["raked"].each}
    fitted = {name: one.fitted.reshape(one.table.question.shape) for name, one in found.items()}
    smokers = [fitted["age, smoker"].sum(axis=0)[0], fitted["smoker, sex"].sum(axis=1)[0]]
    assert smokers[0] == pytest.approx(smokers[1])
    assert smokers[0] > surveyed[1].table("age", "smoker").margin("smoker")[0]["fitted"] + 0.05
    assert fitted["smoker, sex"].sum(axis=0) == pytest.approx([0.4, 0.6])


def test_counts_and_files_say_the_same(surveyed, run, monkeypatch):
    folder, found = surveyed
    monkeypatch.chdir(folder)
    (folder / "census.csv").write_text("value,attribute,count\nold,age,500\nyoung,age,200\nmiddle,age,300\n")
    (folder / "census.toml").write_text("[age]\nyoung = 0.2\nmiddle = 0.3\nold = 0.5\n")
    expected = list(found.with_views(margins={"age": CENSUS["age"]}).views["raked"].each[0].rows())
    for name in ("census.csv", "census.toml"):
        told = json.loads(run("estimate", "plan.json", "reports.parquet", "--json", "--margins", name)[1])
        assert [{k: v for k, v in row.items() if k != "table"} for row in told["poststratified"][:8]] == expected
        assert told["poststratified_untold"] == {}
    out = run("estimate", "plan.json", "reports.parquet", "--margins", "census.csv", "--html", "page.html")[1]
    assert "age, smoker, with age as known" in out
    assert "Shares of age, smoker, with age as known" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("margins", "rules"),
    [
        ({"agee": [1], "age": [1, 2]}, ["'agee' (did you mean 'age'?)", "margins of age must be 3"]),
        (
            {"age": {"young": -1, "ancient": 2}, "sex": [0, 0]},
            ["'ancient'", "none for 'middle' and 1 more", "-1", "all be 0"],
        ),
        ({"age": [10, 20, 70], "sex": [100, 100]}, ["equally many people; found 100 of age and 200 of sex"]),
        ({"pet": [0.5, 0.5]}, ["a table asks for; found 'pet'"]),
        ({"age": [0.5, 0.5, 0.5]}, ["must add up to 1; found 1.5"]),
        ({}, ["of an attribute at least"]),
        ({"age": [10**400, 1, 1], "sex": [1e308, 1e308]}, ["number 1", "1e+308 for number 2"]),
    ],
)
def test_all_mistakes_of_margins_are_told_at_once(surveyed, margins, rules):
    with pytest.raises(SordinoErrors) as told:
        surveyed[1].with_views(margins=margins)
    for rule in rules:
        assert any(rule in str(error) for error in told.value.errors), (rule, told.value.errors)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("attribute,value\n", ["must have the columns attribute, value, and share or count"]),
        (
            "attribute,value,share\nage,young\nage,old,x\nage,old,1\n",
            ["row 2", "found 2", "row 3", "found 'x'"],
        ),
        ("attribute,value,share\nage,old,1\nage,old,0.5\n", ["'old' of 'age' again in row 3", "none for 'young'"]),
        ("", ["found none"]),
        (
            f"attribute,value,count\nage,old,1_0\nage,young,\u0663\nsex,f,{'9' * 400}\nsex,m,-1\n",
            ["found '1_0'", "row 3", "found inf for 'f'", "found -1.0 for 'm'"],
        ),
        (f"attribute,value,count\nage,old,{'1' * 140_000}\n", ["must be a CSV table"]),
    ],
)
def test_files_of_margins_that_are_none(surveyed, tmp_path, text, rules):
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SordinoError) as told:
        surveyed[1].with_views(margins=tmp_path / "m.csv")
    for rule in rules:
        assert rule in str(told.value), told.value


def test_a_value_that_nobody_is_seen_to_have_leaves_a_table_untold(surveyed):
    frozen = surveyed[1].plan
    counts = np.zeros(frozen.sampled.first_counters[-1], dtype=np.int64)
    counts[:4] = 50
    from sordino.mechanism.channel import Aggregate

    found = (
        estimate(frozen, Aggregate(frozen.sampled.fingerprint, 200, counts))
        .with_views(margins={"age": [1, 1, 1]})
        .views["raked"]
        .each
    )
    assert "must show each value" in found[0].why
    assert all(row["estimate"] is None for row in found[0].rows())


def test_the_file_holds_all_that_was_asked_for_and_says_what_each_row_is(surveyed, run, monkeypatch, tmp_path):
    """The same numbers as `--json`, list by list."""
    monkeypatch.chdir(surveyed[0])
    (tmp_path / "census.csv").write_text("attribute,value,share\nage,young,0.2\nage,middle,0.3\nage,old,0.5\n")
    asked = ("--margins", str(tmp_path / "census.csv"), "--difference", "pet", "cat", "dog")
    path = tmp_path / "all.parquet"
    code, out, err = run("estimate", "plan.json", "reports.parquet", "--json", "-o", str(path), *asked)
    assert (code, err) == (0, "")
    told, written = json.loads(out), parquet.read_table(path).to_pylist()
    lists = {"margin": "margins", "conditional": "conditional", "difference": "differences"}
    lists |= {"pooled": "pooled", "poststratified": "poststratified", "between": "between"}
    for kind, name in lists.items():
        rows = [row for row in written if row["kind"] == kind]
        assert [[row[key] for key in NUMBERS] for row in rows] == [
            [row.get(COLUMNS[key]) for key in NUMBERS] for row in told[name]
        ]
        assert rows
    assert [row["estimate"] for row in written[: len(told["rows"])]] == [row["estimate"] for row in told["rows"]]
    assert {row["kind"] for row in written[: len(told["rows"])]} == {"cell", "share"}
    (old,) = (
        row
        for row in written
        if (row["kind"], row["attribute"], row["term"]) == ("difference", "smoker", "yes")
        and (row["within"], row["minus"], row["question"]) == ("young", "old", "age, smoker")
    )
    table = surveyed[1].table("age", "smoker")
    assert old["estimate"] == table.difference("smoker", given="age", first="young", second="old")[0]["estimate"]
    assert old["given"] == "age"
    (pets,) = (row for row in written if row["kind"] == "between")
    assert (pets["term"], pets["minus"], pets["question"]) == ("cat", "dog", "pet")
