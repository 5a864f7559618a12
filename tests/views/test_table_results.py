"""What an analyst reads off a table: rows with their names, in Python, as JSON, on the page and in the terminal."""

import json
from html import unescape

import numpy as np
import pyarrow as pa
import pytest

from sordino import KeyedSource, SordinoError, aggregate, estimate, plan, privatize
from sordino.estimation.joint import table_cells
from sordino.estimation.joint.table_cells import Cells
from sordino.show.html.estimate_page import estimate_page

AGES, SMOKES, SEXES = ["young", "middle", "old"], ["yes", "no"], ["f", "m"]

SURVEY = """\
version = 1
epsilon = "3"
[attribute.age]
categories = ["young", "middle", "old"]
[attribute.smoker]
categories = ["yes", "no"]
[attribute.sex]
categories = ["f", "m"]
[[ask]]
table = ["age", "smoker"]
[[ask]]
table = ["age", "smoker", "sex"]
"""


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "survey.toml").write_text(SURVEY)
    frozen, n = plan(folder / "survey.toml", people=20_000), 20_000
    frozen.save(folder / "plan.json")
    rng = np.random.default_rng(0)
    ages = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    people = pa.table(
        {
            "age": np.array(AGES)[ages],
            "smoker": np.where(rng.random(n) < np.array([0.1, 0.3, 0.6])[ages], "yes", "no"),
            "sex": np.array(SEXES)[rng.integers(0, 2, n)],
            "id": [str(i) for i in range(n)],
        }
    )
    privatize(frozen, people, KeyedSource(bytes(32), "tables"), id_column="id", output=folder / "reports.parquet")
    return folder, estimate(frozen, aggregate(frozen, folder / "reports.parquet"))


def test_rows_say_which_attributes_go_together(surveyed):
    _, found = surveyed
    rows = {frozenset(row["attributes"]): row for row in found.views["associations"].rows()}
    assert set(rows) == {frozenset(pair) for pair in (("age", "smoker"), ("age", "sex"), ("smoker", "sex"))}
    related, free = rows[frozenset(["age", "smoker"])], rows[frozenset(["smoker", "sex"])]
    assert next(iter(rows)) == {"age", "smoker"}
    # Of the table of two, not of that of three which has them too.
    assert related["table"] == ["age", "smoker"]
    assert free["table"] == ["age", "smoker", "sex"]
    assert related["p"] < 1e-6
    assert related["p"] <= related["p_adjusted"] <= 3 * related["p"]
    shares = np.outer([0.5, 0.3, 0.2], [1, 1]) * np.array([[0.1, 0.9], [0.3, 0.7], [0.6, 0.4]])
    expected = np.outer(shares.sum(1), shares.sum(0))
    strength = np.sqrt(((shares - expected) ** 2 / expected).sum())
    assert related["low"] < strength < related["high"]
    assert free["p"] > 0.01
    assert free["low"] == 0
    derived = found.to_arrow(derived=True).to_pylist()
    assert [row["p"] for row in derived if row["kind"] == "association"] == [row["p"] for row in rows.values()]
    page = estimate_page(found.plan, found.results, views=found.views)
    assert "Which attributes go together" in page
    assert "Cramér" in page


def test_tests_hold_for_one_look_at_honest_reports(surveyed):
    folder, found = surveyed
    tally = aggregate(found.plan, folder / "reports.parquet")
    for coverage in ({"watched": True}, {"forged": 3}):
        assert "associations" not in estimate(found.plan, tally, **coverage).views


def test_a_pair_that_is_asked_alone_is_a_sentence():
    pair = {"version": 1, "epsilon": "1", "ask": [{"table": ["smoker", "vegan"]}]}
    pair["attribute"] = {name: {"categories": ["yes", "no"]} for name in ("smoker", "vegan")}
    for count, said in ((40, "too few reports to test"), (20_000, "smoker and vegan are related (p < 0.0001)")):
        values = ["yes", "no"] * (count // 2)
        frozen = plan(pair, people=count)
        people = pa.table({"smoker": values, "vegan": values, "id": [str(i) for i in range(count)]})
        reports = privatize(frozen, people, KeyedSource(bytes(32), "pair"), id_column="id")
        found = estimate(frozen, aggregate(frozen, reports))
        assert said in unescape(estimate_page(frozen, found.results, views=found.views))


def test_rows_say_among_whom_and_what_is_subtracted(surveyed):
    table = surveyed[1].table("smoker", "age")
    rows = table.conditional("smoker", given="age")
    assert [(row["given"]["age"], row["value"]) for row in rows] == [(age, [says]) for age in AGES for says in SMOKES]
    assert all(
        abs(row["estimate"] - share) < 5 * row["stderr"] for row, share in zip(rows[::2], [0.1, 0.3, 0.6], strict=True)
    )
    assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows)
    more = table.difference("smoker", given="age", first="old", second="young")
    assert (more[0]["value"], more[0]["given"], more[0]["minus"]) == (["yes"], {"age": "old"}, {"age": "young"})
    assert more[0]["estimate"] == pytest.approx(rows[4]["estimate"] - rows[0]["estimate"])
    less = table.difference("smoker", given="age", first="young", second="old")
    assert [less[0][name] for name in ("estimate", "low", "high")] == pytest.approx(
        [-more[0][name] for name in ("estimate", "high", "low")]
    )
    # What the joint fit says stands beside, and adds up.
    assert rows[0]["fitted"] + rows[1]["fitted"] == pytest.approx(1)
    assert sum(row["estimate"] for row in table.margin("age")) == pytest.approx(1, abs=1e-6)


def test_several_attributes_on_either_side(surveyed):
    table = surveyed[1].table("age", "smoker", "sex")
    rows = table.conditional("smoker", given=["sex", "age"])
    assert [tuple(row["given"].values()) for row in rows[::2]] == [(sex, age) for sex in SEXES for age in AGES]
    found = table.difference(["smoker"], given=["sex", "age"], first=["m", "old"], second=["m", "young"])
    assert found[0]["given"] == {"sex": "m", "age": "old"}
    assert len(table.margin(["sex", "age"])) == 6


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        (lambda table: table.margin("agee"), "'agee' \\(did you mean 'age'"),
        (lambda table: table.margin([]), "found none"),
        (lambda table: table.conditional("age", given="age"), "'age' on both sides"),
        (lambda table: table.difference("smoker", "age", "old", "ancient"), "values must be of 'age'.*ancient"),
        (lambda table: table.difference("smoker", "age", "old", "old"), "between two values"),
    ],
)
def test_what_is_no_part_of_a_table_is_refused(surveyed, asked, rule):
    with pytest.raises(SordinoError, match=rule):
        asked(surveyed[1].table("age", "smoker"))
    with pytest.raises(
        SordinoError, match="must have been asked and estimated; found age, sex: estimated are: age, smoker; "
    ):
        surveyed[1].table("age", "sex")


def test_the_command_has_all_rows(surveyed, run, monkeypatch):
    monkeypatch.chdir(surveyed[0])
    told = json.loads(run("estimate", "plan.json", "reports.parquet", "--json")[1])
    assert [len(told[kind]) for kind in ("margins", "conditional", "differences")] == [5 + 7, 12 + 32, 9 + 22]
    first = surveyed[1].table("age", "smoker").conditional("age", given="smoker")[0]
    assert told["conditional"][0] == {"table": ["age", "smoker"], **first}
    # A reader of JSON takes no NaN.
    assert "NaN" not in json.dumps(told)
    out = run("estimate", "plan.json", "reports.parquet")[1]
    assert "Shares of smoker within age" in out
    assert "% (" in out[out.index("among age") :]


def test_the_page_has_row_percentages_with_intervals(surveyed):
    page = estimate_page(surveyed[1].plan, surveyed[1].results, views=surveyed[1].views)
    assert "Shares of smoker within age" in page
    row = surveyed[1].table("age", "smoker").conditional("smoker", given="age")[4]
    # The interval is never broken into lines.
    cell = f"{100 * row['estimate']:.1f} % ({100 * row['low']:.1f}\xa0%\xa0to\xa0{100 * row['high']:.1f}\xa0%)"
    assert f"{cell}<" in page


def test_intervals_hold_against_what_others_hold_against(surveyed):
    folder, plain = surveyed
    counted = aggregate(plain.plan, folder / "reports.parquet")
    asked = plain.table("age", "smoker").conditional("smoker", given="age")
    together = (
        estimate(plain.plan, counted, simultaneous=True).table("age", "smoker").conditional("smoker", given="age")
    )
    for wide, narrow in zip(together, asked, strict=True):
        # Six together, by Bonferroni: 2.64 standard errors and not 1.96.
        assert (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"]) == pytest.approx(2.638 / 1.96, rel=0.02)
    always = estimate(plain.plan, counted, watched=True).table("age", "smoker").conditional("smoker", given="age")
    for wide, narrow in zip(always, asked, strict=True):
        # Most reports that are expected have come: 3.05 standard errors, to either side of the estimate.
        assert (wide["high"] - wide["low"]) / wide["stderr"] == pytest.approx(2 * 3.05, rel=0.03)
        assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    forged = estimate(plain.plan, counted, forged=3)
    with pytest.raises(SordinoError, match="shares within others are estimated only without forged reports"):
        forged.table("age", "smoker")
    assert "Shares of smoker within age" not in estimate_page(forged.plan, forged.results, views=forged.views)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Nearly everybody is young: of the others' habits 300 reports of two questions say nothing."""
    folder = tmp_path_factory.mktemp("few")
    (folder / "survey.toml").write_text(
        SURVEY.replace('table = ["age", "smoker", "sex"]', 'histogram = "sex"').replace('"3"', '"1"')
    )
    frozen, n = plan(folder / "survey.toml", people=600), 600
    frozen.save(folder / "plan.json")
    people = pa.table(
        {
            "age": ["old" if i % 50 == 0 else "young" for i in range(n)],
            "smoker": [SMOKES[i % 4 > 0] for i in range(n)],
            "sex": [SEXES[i % 2] for i in range(n)],
            "id": [str(i) for i in range(n)],
        }
    )
    privatize(frozen, people, KeyedSource(bytes([7] * 32), "few"), id_column="id", output=folder / "reports.parquet")
    return folder, estimate(frozen, aggregate(frozen, folder / "reports.parquet"))


def test_a_share_of_which_nothing_is_excluded_is_not_estimated(few, run, monkeypatch):
    """Quotients of two numbers near 0 are printed by nobody: they were 1036.2% (0.0% to 100.0%)."""
    folder, found = few
    table = found.table("age", "smoker")
    rows = [*table.conditional("smoker", given="age"), *table.conditional("age", given="smoker")]
    unknown = [row["low"] <= 0 and row["high"] >= 1 for row in rows]
    assert any(unknown)
    assert not all(unknown)
    for row, nothing in zip(rows, unknown, strict=True):
        assert (row["estimate"] is None) is (row["stderr"] is None) is nothing
        assert row.get("why") == ("too few reports" if nothing else None)
    assert "too few reports" in estimate_page(found.plan, found.results, views=found.views)
    monkeypatch.chdir(folder)
    out = run("estimate", "plan.json", "reports.parquet")[1]
    assert "too few reports" in out
    assert "every share from 0 % to 100 % is possible" in out
    assert "(0.0 % to 100.0 %)" not in out
    run("estimate", "plan.json", "reports.parquet", "-o", "rows.csv")
    lines = [line for line in (folder / "rows.csv").read_text().splitlines() if "conditional" in line]
    assert len([line for line in lines if ",,,0.0,1.0" in line]) == sum(unknown)


def test_of_a_difference_with_a_side_of_which_nothing_is_known_only_the_other_sides_limits_remain(few):
    table = few[1].table("age", "smoker")
    sides = {row["given"]["age"]: row for row in table.conditional("smoker", given="age") if row["value"] == ["yes"]}
    assert [sides[age]["estimate"] is None for age in AGES] == [False, True, True]
    (known, *_) = table.difference("smoker", given="age", first="young", second="old")
    assert (known["estimate"], known["stderr"], known["why"]) == (None, None, "too few reports")
    assert known["low"] == pytest.approx(sides["young"]["low"] - 1)
    assert known["high"] == pytest.approx(sides["young"]["high"])
    (nothing, *_) = table.difference("smoker", given="age", first="middle", second="old")
    assert (nothing["estimate"], nothing["low"], nothing["high"]) == (None, -1, 1)


def test_whatever_shows_a_table_takes_its_cells_and_shares_worked_out_once(surveyed, tmp_path, monkeypatch):
    folder, _ = surveyed
    found = estimate(folder / "plan.json", aggregate(folder / "plan.json", folder / "reports.parquet"))
    whole, within = [], []
    of, limits = Cells.of, table_cells.likely_limits
    monkeypatch.setattr(Cells, "of", lambda *given: whole.append(given) or of(*given))
    monkeypatch.setattr(table_cells, "likely_limits", lambda *given: within.append(given) or limits(*given))
    found.page(tmp_path / "page.html")
    found.save(tmp_path / "rows.csv")
    found.table("age", "smoker").conditional("age", given="smoker")
    # Two tables; of two attributes either within the other, of three each of six.
    assert len(whole) == 2
    assert len(within) == 2 + 6


def test_what_each_code_adds_to_cells_is_worked_out_once_for_all_shares_within(surveyed, monkeypatch):
    table = surveyed[1].table("age", "smoker")
    known = Cells.of(table.question.shape, table.estimate)
    rows = []
    mechanism = type(table.estimate.mechanism)
    contributions = mechanism.contributions
    monkeypatch.setattr(
        mechanism,
        "contributions",
        lambda self, functionals, **more: rows.append(len(functionals)) or contributions(self, functionals, **more),
    )
    known.within([1], [0], 0.95)
    known.within([0], [1], 0.95)
    assert rows == [6]
