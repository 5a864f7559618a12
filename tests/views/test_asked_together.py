"""What is shown of histograms that were asked together: their own shares first, as if each had been asked by itself."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import sordino
from commands import run_here
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.results.result import results
from sordino.views.pooled_results import pooled_results

YES_NO = {"categories": ["yes", "no"]}
SHARES = {"smoker": 0.2, "vegan": 0.05, "cyclist": 0.5, "tenant": 0.45, "parent": 0.6}
PEOPLE = 30_000


def survey(names=tuple(SHARES), **more):
    asks = [{"histogram": name} for name in names]
    tables = dict.fromkeys(names, YES_NO)
    return {"version": 1, "epsilon": "4", "together": True, "attribute": tables, "ask": asks, **more}


def people(count, names=tuple(SHARES), seed=1):
    rng = np.random.default_rng(seed)
    return pa.table({name: np.where(rng.random(count) < SHARES[name], "yes", "no") for name in names})


def estimated(given, table, **options):
    frozen = sordino.plan(given, people=table.num_rows)
    return sordino.estimate(frozen, sordino.aggregate(frozen, sordino.privatize(frozen, table)), **options)


@pytest.mark.parametrize("names", [tuple(SHARES), tuple(SHARES)[:4], tuple(SHARES)[:2]])
def test_rows_of_frames_and_files_begin_with_those_of_the_histograms(names):
    table = people(PEOPLE, names)
    found = estimated(survey(names), table)
    rows = found.to_arrow().to_pylist()[: 2 * len(names)]
    assert [(row["attribute"], row["value"], row["kind"]) for row in rows] == [
        (name, value, "share") for name in names for value in ("yes", "no")
    ]
    for row in rows:
        true = np.mean(table.column(row["attribute"]).to_numpy(zero_copy_only=False) == row["value"])
        assert abs(row["estimate"] - true) < 5 * row["stderr"]
        assert row["low"] <= row["estimate"] <= row["high"]
    assert found.to_tidy().to_pylist()[0]["question"] == names[0]


def test_standard_errors_are_those_that_were_forecast():
    table = people(PEOPLE)
    given = survey()
    given["attribute"] = {name: {**YES_NO, "expected": [p, 1 - p]} for name, p in SHARES.items()}
    found, expected = estimated(given, table), sordino.forecast(sordino.plan(given, people=PEOPLE)).to_arrow()
    errors = {row["attribute"]: row["stderr"] for row in found.to_arrow().to_pylist()[:10]}
    for row in expected.to_pylist():
        assert errors[row["question"]] == pytest.approx(row["stderr"], rel=0.03)


def test_findings_and_pages_are_about_what_was_asked_and_cells_are_folded(tmp_path):
    found = estimated(survey(), people(PEOPLE))
    found.page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "cyclist: the share of &#39;yes&#39; is " in page
    opened = page[: page.index("<details")]
    assert all(f"{name}: the share of" in opened for name in SHARES)
    assert "yes, yes, yes, yes" not in opened
    assert f"30,000 reports about {', '.join(SHARES)}." in opened
    assert "pooled" not in found.views
    assert list(found.views["together"].json()["together"][0])[:2] == ["attribute", "value"]


def test_commands_lead_with_them(tmp_path):
    frozen = sordino.plan(survey(), people=300)
    frozen.save(tmp_path / "plan.json")
    csv.write_csv(people(300), tmp_path / "people.csv")
    run_here("privatize", tmp_path / "plan.json", tmp_path / "people.csv", "-o", tmp_path / "reports.csv")
    _, said, _ = run_here("estimate", tmp_path / "plan.json", tmp_path / "reports.csv")
    assert said.index("smoker") < said.index("95 % from")
    assert "yes, yes, yes, yes" not in said
    assert "How those asked together go with each other" in said
    _, text, _ = run_here("estimate", tmp_path / "plan.json", tmp_path / "reports.csv", "--json")
    document = json.loads(text)
    assert [row["attribute"] for row in document["together"]] == [name for name in SHARES for _ in range(2)]


def test_against_forged_reports_the_cells_are_shown_and_the_reason_is_given():
    frozen = sordino.plan(survey(), people=PEOPLE)
    tally = sordino.aggregate(frozen, sordino.privatize(frozen, people(PEOPLE)))
    found = sordino.estimate(frozen, tally, forged=3)
    assert "forged" in found.views.absent["together"]
    assert {row["kind"] for row in found.to_arrow().to_pylist()} == {"cell"}


def test_public_groups_have_them_too():
    given = survey(public={"region": {"categories": ["north", "south"]}})
    table = people(PEOPLE)
    table = table.append_column("region", pa.array(["north", "south"] * (PEOPLE // 2)))
    rows = estimated(given, table, by=["region"]).views["groups"].rows()
    pooled = [row for row in rows if row["kind"] == "pooled" and row["attribute"] == "smoker"]
    own = [row for row in pooled if row["group"] == "north"]
    assert [row["value"] for row in own] == ["yes", "no"]
    assert all(abs(row["estimate"] - share) < 5 * row["stderr"] for row, share in zip(own, (0.2, 0.8), strict=True))


@pytest.mark.statistical
@pytest.mark.parametrize("names", [tuple(SHARES), tuple(SHARES)[:4]])
def test_intervals_of_pooled_margins_cover(names):
    """2,000 reports: how often the true share of a population lies within; tallies from the plan's own channels."""
    frozen = sordino.plan(survey(names), people=2000)
    rng, surveys = np.random.default_rng(7), 200
    inside = dict.fromkeys(names, 0)
    for _ in range(surveys):
        counts = []
        drawn = rng.multinomial(2000, [float(question.share) for question in frozen.questions])
        for question, n in zip(frozen.questions, drawn, strict=True):
            chances = np.ones(1)
            for name in question.attribute_names:
                chances = np.multiply.outer(chances, [SHARES[name], 1 - SHARES[name]]).reshape(-1)
            codes = chances @ question.mechanism.probabilities()
            counts.append(rng.multinomial(n, codes / codes.sum()))
        tally = Aggregate(frozen.sampled.fingerprint, 2000, np.concatenate(counts))
        for result in pooled_results(frozen, tally, results(frozen, tally, "simplex"), Coverage()):
            if result.is_joined:
                (low, high), name = result.interval, result.name
                inside[name] += low[0] <= SHARES[name] <= high[0]
    found = {name: count / surveys for name, count in inside.items()}
    assert 0.93 <= np.mean(list(found.values())) <= 0.97
    assert all(0.9 <= share <= 0.985 for share in found.values())
