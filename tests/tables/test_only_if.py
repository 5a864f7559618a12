"""What is asked only because of earlier answers, in all kinds of tables and on a device."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from in_one import in_one
from sordino import KeyedSource, SordinoError, SordinoErrors, aggregate, estimate, explain, plan, privatize, report
from sordino.tables.values import people_table, read_people

# Of two conditions both must hold: that is said of every plan.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* is asked only of those for whom all of it holds:sordino.SordinoWarning"
)

SMOKER = {"categories": ["yes", "no", "once"]}
PACKS = {"categories": ["1", "2"], "only_if": {"smoker": ["yes", "once"]}}
BRAND = {"categories": ["a", "b"], "only_if": {"packs": "2", "smoker": "yes"}, "not_asked": "no brand"}
WHY = {"categories": ["fun", "stress", "friends"], "several": 2, "only_if": {"smoker": "yes"}}


def survey(*asks, epsilon="2", **attributes):
    named = {"smoker": SMOKER, "packs": PACKS} | attributes
    return {"version": 1, "epsilon": epsilon, "attribute": named, "ask": [*asks]}


ASKED = survey({"histogram": "packs"}, {"histogram": "brand"}, {"several": "why"}, brand=BRAND, why=WHY)
ROWS = [
    {"smoker": "yes", "packs": "2", "brand": "a", "why": ["stress", "fun"]},
    {"smoker": "yes", "packs": "1", "brand": None, "why": []},
    {"smoker": "once", "packs": "2", "brand": None, "why": None},
    {"smoker": "no", "packs": None, "brand": None, "why": None},
]
"""Everybody who can be, for each way in which something is not asked."""

WANTED = [(1, 0, 3), (0, 2, 0), (1, 2, 8), (2, 2, 8)]
"""Of each the place of packs, of brand, and the value of why: the fourth bit alone is of who was not asked."""


def values(frozen, table):
    """What the questions read of each row."""
    attributes = [own for own, *_ in read_people(frozen, people_table(frozen, table), None)]
    columns = [np.concatenate(own) for own in zip(*attributes, strict=True)]
    return list(zip(*(own.tolist() for own in columns), strict=True))


def as_texts(rows):
    whole = [dict(row) for row in rows]
    for row in whole:
        row["why"] = None if row["why"] is None else ";".join(row["why"]) or "none of them"
    return pa.Table.from_pylist(whole)


def test_all_tables_are_read_alike(tmp_path):
    frozen = plan(ASKED, 1000)
    numbers = frozen.attributes["why"].choices.numbers([own for *_, own in WANTED]).tolist()
    wanted = [(*first, number) for (*first, _), number in zip(WANTED, numbers, strict=True)]
    table = pa.Table.from_pylist(ROWS)
    csv.write_csv(as_texts(ROWS), tmp_path / "people.csv")
    parquet.write_table(table, tmp_path / "people.parquet")
    parquet.write_table(as_texts(ROWS), tmp_path / "texts.parquet")
    empty = pa.Table.from_pylist(
        [{name: value or "" for name, value in row.items()} for row in as_texts(ROWS).to_pylist()]
    )
    parquet.write_table(empty, tmp_path / "empty.parquet")
    tables = [table, as_texts(ROWS), empty, pd.DataFrame(ROWS), *map(str, sorted(tmp_path.iterdir()))]
    assert len(tables) == 8
    for one in tables:
        assert values(frozen, one) == wanted


def test_a_device_reads_what_a_table_reads():
    """The same words for the same record: each row as a record gives the code that its row gives."""
    frozen = plan(ASKED, 1000)
    for row in ROWS:
        record = {name: value for name, value in row.items() if value is not None}
        codes = Counter(report(frozen, {"version": 1, "record": record}).code for _ in range(300))
        ids = pa.Table.from_pylist([row | {"id": place} for place in range(3000)])
        bulk = privatize(frozen, ids, KeyedSource(bytes(32), "same"), id_column="id")
        likely = Counter(bulk.column("code").to_pylist()).most_common(1)[0][0]
        assert codes[likely] > 30


@in_one(
    ("changes", "rule"),
    [
        ({"smoker": "no", "packs": "1", "brand": None, "why": None}, "contradicts the earlier answers"),
        ({"smoker": "once", "packs": "2", "brand": "a", "why": None}, "contradicts the earlier answers"),
        ({"smoker": "no", "packs": None, "brand": None, "why": []}, "contradicts the earlier answers"),
        ({"smoker": "yes", "packs": "not asked", "brand": None, "why": []}, "contradicts the earlier answers"),
        ({"smoker": "yes", "packs": None, "brand": None, "why": []}, "must have a value"),
        ({"smoker": "yes", "packs": "2", "brand": None, "why": []}, "must have a value"),
        ({"smoker": "yes", "packs": "1", "brand": None, "why": None}, "must have a value"),
    ],
)
def test_contradictions_are_refused_without_what_they_are(changes, rule):
    frozen = plan(ASKED, 1000)
    with pytest.raises(SordinoError, match="row 5") as refused:
        values(frozen, pa.Table.from_pylist([*ROWS, changes]))
    assert rule in str(refused.value)
    record = {name: value for name, value in changes.items() if value is not None}
    with pytest.raises(SordinoErrors) as refused:
        report(frozen, {"version": 1, "record": record})
    assert rule in str(refused.value)


def test_not_asked_may_be_said_by_its_name():
    frozen = plan(ASKED, 1000)
    named = {"smoker": "no", "packs": "not asked", "brand": "no brand", "why": ["not asked"]}
    assert values(frozen, pa.Table.from_pylist([named])) == values(frozen, pa.Table.from_pylist(ROWS[3:]))
    record = named | {"why": "not asked"}
    assert report(frozen, {"version": 1, "record": record}).plan is frozen


def test_what_decides_must_be_in_the_record_and_in_no_report():
    frozen = plan(ASKED, 1000)
    assert not any("smoker" in question.attribute_names for question in frozen.questions)
    assert frozen.document.attributes["smoker"].protect is None
    with pytest.raises(SordinoErrors, match="none for 'smoker'"):
        report(frozen, {"version": 1, "record": {"packs": "1", "why": []}})
    with pytest.raises(SordinoError, match="smoker"):
        values(frozen, pa.Table.from_pylist([{name: row[name] for name in row if name != "smoker"} for row in ROWS]))
    said = "\n".join(explain(frozen))
    assert "No question is about that" in said
    assert "'brand' is asked only if 'packs' is '2' and 'smoker' is 'yes'" in said


def test_a_missing_answer_is_none_who_is_asked():
    own = survey({"histogram": "packs"}, packs={**PACKS, "missing": "1"})
    frozen = plan(own, 1000)
    rows = [{"smoker": "yes", "packs": None}, {"smoker": "no", "packs": None}]
    assert values(frozen, pa.Table.from_pylist(rows)) == [(0,), (2,)]


def test_a_number_that_is_not_asked_is_missing():
    pay = {"number": {"low": 0, "high": 10}, "only_if": {"smoker": "yes"}, "missing": "0.6"}
    frozen = plan(
        survey(
            {"mean": "pay"}, pay=pay, smoker=SMOKER | {"delta": "1"}, packs={"categories": ["1", "2"], "delta": "1"}
        ),
        20_000,
    )
    rng = np.random.default_rng(2)
    smoker = rng.choice(["yes", "no"], 20_000, p=[0.5, 0.5])
    numbers = [float(rng.uniform(2, 4)) if own == "yes" and rng.random() < 0.8 else None for own in smoker]
    people = pa.table({"smoker": smoker, "pay": numbers, "packs": ["1"] * 20_000})
    (found,) = estimate(frozen, aggregate(frozen, privatize(frozen, people))).results
    rows = {row.get("value", row["attribute"]): row for row in found.rows()}
    assert rows["pay missing"]["low"] < 0.6 < rows["pay missing"]["high"]
    assert rows["pay"]["low"] < 3 < rows["pay"]["high"]
    with pytest.raises(SordinoError, match="contradicts"):
        privatize(frozen, pa.table({"smoker": ["no"], "pay": [3.0], "packs": ["1"]}))
    said = "\n".join(explain(frozen))
    assert "both count as missing" in said


def test_the_shares_are_of_all_people():
    frozen = plan(survey({"histogram": "packs"}), 20_000)
    people = pa.Table.from_pylist([dict(row) for row in ROWS * 5000])
    (found,) = estimate(frozen, aggregate(frozen, privatize(frozen, people))).results
    rows = {row["value"]: row for row in found.rows()}
    for value, share in {"1": 0.25, "2": 0.5, "not asked": 0.25}.items():
        assert abs(rows[value]["estimate"] - share) < 5 * rows[value]["stderr"]
