"""Regressions on categories on the command line: what is forecast, estimated and shown."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

SURVEY = """
version = 1
epsilon = "6"
[attribute.weight]
number = { low = 30, high = 200, clip = true }
[attribute.age]
number = { low = 18, high = 90 }
[attribute.smoker]
categories = ["yes", "no"]
expected = { yes = 0.3, no = 0.7 }
[attribute.home]
categories = ["north", "south", "east"]
[[ask]]
regression = { target = "weight", features = ["age", "smoker", "home"], base = { smoker = "no" } }
"""
N = 60_000
TRUTH = {"age": 0.3, "smoker: yes against no": 20.0, "home: south against north": 15.0, "home: east against north": 0.0}


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A folder with a survey and people."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(12)
    age, smoker = draw.uniform(18, 90, N), draw.random(N) < 0.3
    home = draw.choice(["north", "south", "east"], N)
    weight = 55 + 0.3 * age + 20 * smoker + 15 * (home == "south") + 5 * draw.standard_normal(N)
    columns = {"age": age, "smoker": np.where(smoker, "yes", "no"), "home": home, "weight": weight}
    pc.write_csv(pa.table(columns), tmp_path / "people.csv")
    (tmp_path / "survey.toml").write_text(SURVEY)


@pytest.mark.usefixtures("asked", "undrawn")
def test_from_a_survey_to_coefficients(run, tmp_path):
    code, out, err = run("plan", "survey.toml", "--people", N, "--all", "-o", "plan.json")
    assert (code, err) == (0, "")
    for words in (*TRUTH, "a category with another one or with a number's sign"):
        assert words in out
    assert run("privatize", "plan.json", "people.csv", "-o", "r.csv")[0] == 0
    code, out, err = run("estimate", "plan.json", "r.csv", "--html", "page.html", "-o", "table.csv", "--json")
    assert (code, err) == (0, "")
    rows = {row["value"]: row for row in json.loads(out)["rows"]}
    assert list(rows) == ["intercept", *TRUTH]
    for name, value in TRUTH.items():
        assert abs(rows[name]["estimate"] - value) < 6 * rows[name]["stderr"]
        assert rows[name]["stderr"] < 3
    assert pc.read_csv(tmp_path / "table.csv")["term"].to_pylist() == list(rows)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in ("4 coefficients that explain weight", "smoker: yes against no", "all else equal"):
        assert words in page
    code, out, err = run("estimate", "plan.json", "r.csv")
    assert (code, err) == (0, "")
    assert "home: south against north" in out


@pytest.mark.usefixtures("asked")
def test_what_is_not_known_of_the_people_is_said(run, tmp_path):
    text = SURVEY.replace("expected = { yes = 0.3, no = 0.7 }\n", "")
    (tmp_path / "unknown.toml").write_text(text)
    said = "Categories are assumed to be equally common"
    known, unknown = (
        run("plan", name, "--people", N, "--all", "-o", f"{name}.json")[1] for name in ("survey.toml", "unknown.toml")
    )
    assert said in unknown
    assert said not in known


def test_a_table_of_many_numbers_says_how_many_are_left(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"x{j:02}" for j in range(14)]
    numbers = "".join(f"[attribute.{name}]\nnumber = {{ low = 0, high = 1 }}\n" for name in names)
    (tmp_path / "survey.toml").write_text(f'version = 1\nepsilon = "4"\n{numbers}[[ask]]\ncovariance = {names}\n')
    people = np.random.default_rng(1).random((4000, 14))
    pc.write_csv(pa.table({name: people[:, j] for j, name in enumerate(names)}), tmp_path / "people.csv")
    assert run("plan", "survey.toml", "--people", 4000, "-o", "plan.json")[0] == 0
    assert run("privatize", "plan.json", "people.csv", "-o", "r.csv")[0] == 0
    code, out, err = run("estimate", "plan.json", "r.csv")
    assert (code, err) == (0, "")
    assert "The first 100 of 105." in out
    assert out.count("\n  x00, ") == 13
