"""Public values on their way from a table of people to estimates: each report keeps its own, and nothing else does."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import (
    Aggregate,
    KeyedSource,
    Plan,
    RefusedError,
    SordinoError,
    SordinoErrors,
    Survey,
    aggregate,
    estimate,
    privatize,
)
from sordino.errors import DamagedError
from sordino.printable import join_names
from sordino.survey.results.aggregate_file import load_aggregate, save_aggregate
from sordino.survey.results.cell_tallies import columns_of
from sordino.survey.results.sourced_aggregate import with_sources
from sordino.views.group_results import GROUP_DIFFERENCE, PublicGroup, rest_word

REGIONS = ["north", 'the "south", =1+1', "west"]
PUBLIC = {"region": {"categories": REGIONS, "column": "where"}, "arm": {"categories": ["a", "b"], "missing": "b"}}
KEY = bytes(range(32))
NUMBERS = ("estimate", "stderr", "low", "high", "fitted")


@pytest.fixture(scope="module")
def plan():
    attributes = {
        "smoker": {"categories": ["yes", "no"], "delta": "2"},
        "age": {"number": {"low": 0, "high": 100, "bins": 16}},
    }
    asks = [{"histogram": "smoker", "weight": 3}, {"mean": ["age"]}, {"distribution": "age", "quantiles": [0.5]}]
    survey = {"version": 1, "epsilon": "2", "attribute": attributes, "public": PUBLIC, "ask": asks}
    return Plan.of(Survey.read(survey), 6000)


@pytest.fixture(scope="module")
def people():
    draw = np.random.default_rng(1)
    n = 6000
    region, arm = draw.choice(REGIONS, n, p=[0.6, 0.39, 0.01]), draw.choice(["a", None], n)
    share = np.where(region == "north", 0.2, 0.6)
    smoker = np.where(draw.random(n) < share, "yes", "no")
    return pa.table({"where": region, "arm": arm, "smoker": smoker, "age": draw.integers(0, 100, n), "id": range(n)})


@pytest.fixture(scope="module")
def reports(plan, people):
    return privatize(plan, people, KeyedSource(KEY, "t"), id_column="id")


@pytest.fixture(scope="module")
def of_regions(plan, reports):
    return estimate(plan, reports, by="region")


def test_each_report_has_its_person_s_values_in_the_order_of_the_rows(people, reports):
    assert reports.column_names == ["plan", "code", "region", "arm"]
    assert reports["region"].to_pylist() == people["where"].to_pylist()
    assert reports["arm"].to_pylist() == [arm or "b" for arm in people["arm"].to_pylist()]


def test_a_code_does_not_depend_on_public_values(plan, people, reports):
    """The channel is the same in every group: the same words give the same code, whatever is sent beside it."""
    other = people.set_column(0, "where", pa.array([REGIONS[0]] * len(people)))
    again = privatize(plan, other, KeyedSource(KEY, "t"), id_column="id")
    assert again["code"].equals(reports["code"])
    assert again["region"].to_pylist() == [REGIONS[0]] * len(people)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_files_hold_what_frames_hold(tmp_path, plan, people, reports, ending):
    path, key = tmp_path / f"reports{ending}", tmp_path / "key"
    table = tmp_path / f"people{ending.removesuffix('.gz')}"
    if ending == ".parquet":
        pq.write_table(people, table)
    else:
        people.to_pandas().to_csv(table, index=False)
    privatize(plan, table, output=path, key=key, id_column="id", task="t")
    tally, own = aggregate(plan, path), aggregate(plan, reports)
    assert tally.n == own.n == len(people)
    assert {cell: int(plan.sampled.reports(counts)) for cell, counts in tally.cells.items()} == {
        cell: int(plan.sampled.reports(counts)) for cell, counts in own.cells.items()
    }
    assert sum(tally.cells.values()).tolist() == tally.counts.tolist()


def test_jobs_give_the_same_reports(tmp_path, plan, people):
    many = pa.concat_tables(
        [people.set_column(4, "id", pa.array(range(i, i + len(people)))) for i in range(0, 10**6, 10**5)]
    )
    pq.write_table(many, tmp_path / "people.parquet", row_group_size=10_000)
    for jobs in (1, 2):
        output, key = tmp_path / f"{jobs}.parquet", tmp_path / "key"
        privatize(plan, tmp_path / "people.parquet", output=output, key=key, id_column="id", task="t", jobs=jobs)
    assert pq.read_table(tmp_path / "1.parquet").equals(pq.read_table(tmp_path / "2.parquet"))


def test_people_of_one_row_have_its_values(plan):
    rows = pa.table({"where": REGIONS, "arm": ["a", "b", "a"], "smoker": ["yes"] * 3, "age": [1, 2, 3], "n": [5, 0, 7]})
    found = privatize(plan, rows, count_column="n")
    assert sorted(found["region"].to_pylist()) == sorted([REGIONS[0]] * 5 + [REGIONS[2]] * 7)


def test_a_group_is_estimated_from_its_own_reports_alone(plan, reports, of_regions):
    """The witness: the reports of each group, taken out of the file and estimated as a survey of their own."""
    found = of_regions
    whole, frame = found.to_arrow().to_pylist(), reports.to_pandas()
    for region in REGIONS[:2]:
        own = estimate(plan, frame[frame.region == region])
        rows = [row for row in whole if row["group"] == region and row["kind"] not in (GROUP_DIFFERENCE, "pooled")]
        alone = [row for row in own.to_arrow().to_pylist() if row["kind"] != "pooled"]
        assert [(row["attribute"], row["value"], row["kind"]) for row in rows] == [
            (row["attribute"], row["value"], row["kind"]) for row in alone
        ]
        for row, other in zip(rows, alone, strict=True):
            assert [row[name] for name in NUMBERS] == [other[name] for name in NUMBERS]
    assert not any(row["group"] == REGIONS[2] for row in whole)
    (few,) = [group for group in found.views["groups"].groups if group.results is None]
    assert (few.label, few.n) == (REGIONS[2], int((frame.region == REGIONS[2]).sum()))


def test_groups_of_two_columns_are_all_combinations_in_order(plan, reports):
    found = estimate(plan, reports, by=["arm", "region"])
    frame = reports.to_pandas()
    counts = frame.groupby(["arm", "region"]).size()
    expected = [(join_names([arm, region]), int(counts.get((arm, region), 0))) for arm in "ab" for region in REGIONS]
    assert [(group.label, group.n) for group in found.views["groups"].groups] == expected


def test_a_difference_is_of_the_two_groups_estimates(plan, reports, of_regions):
    frame = reports.to_pandas()
    north, rest = frame[frame.region == REGIONS[0]], frame[frame.region != REGIONS[0]]
    (difference, _) = of_regions.views["groups"].differences
    rows = {label: row for name, label, row in difference.rows() if name == "smoker"}
    own, other = (estimate(plan, part).results[0].row(0) for part in (north, rest))
    assert rows["yes"]["estimate"] == pytest.approx(own["estimate"] - other["estimate"], abs=1e-12)
    assert rows["yes"]["stderr"] == pytest.approx(np.hypot(own["stderr"], other["stderr"]))
    assert rows["yes"]["high"] < 0
    (against,) = estimate(plan, reports, by="region", against=REGIONS[1]).views["groups"].differences
    assert (against.group, against.minus) == (REGIONS[0], REGIONS[1])


def test_groups_that_hold_together_are_wider(plan, reports, of_regions):
    found = [of_regions.views["groups"], estimate(plan, reports, by="region", simultaneous=True).views["groups"]]
    alone, together = (groups.with_results[0][1][0].row(0) for groups in found)
    assert together["low"] < alone["low"]
    assert all(test.adjusted >= test.test.p_value for test in found[1].tests)
    assert all(test.adjusted is None for test in found[0].tests)


def test_aggregates_keep_cells_and_add(tmp_path, plan, reports):
    half = reports.slice(0, 3000), reports.slice(3000)
    first, second = (aggregate(plan, part) for part in half)
    save_aggregate(plan, first, tmp_path / "1.json")
    save_aggregate(plan, second, tmp_path / "2.json")
    whole, both = aggregate(plan, reports), aggregate(plan, tmp_path / "1.json", tmp_path / "2.json")
    assert both.counts.tolist() == whole.counts.tolist()
    assert {cell: counts.tolist() for cell, counts in both.cells.items()} == {
        cell: counts.tolist() for cell, counts in whole.cells.items()
    }
    document = json.loads((tmp_path / "1.json").read_text())
    assert {tuple(one["public"]) for one in document["cells"]} == {("region", "arm")}


def test_aggregates_of_collectors_keep_the_cells_of_each(tmp_path, plan, reports):
    nobody = plan.tally(np.empty(0, np.uint64))
    parts = {letter * 32: aggregate(plan, reports.slice(at, 2000)) for letter, at in (("a", 0), ("b", 2000))}
    save_aggregate(plan, with_sources(nobody, parts), tmp_path / "all.json")
    found = load_aggregate(plan, tmp_path / "all.json")
    for source, own in parts.items():
        assert {cell: counts.tolist() for cell, counts in found.sources[source].cells.items()} == {
            cell: counts.tolist() for cell, counts in own.cells.items()
        }


@pytest.mark.parametrize("change", ["cells", "counts", "label", "twice", "without"])
def test_aggregates_whose_cells_do_not_fit_are_refused(tmp_path, plan, reports, change):
    path = tmp_path / "a.json"
    save_aggregate(plan, aggregate(plan, reports.slice(0, 500)), path)
    document = json.loads(path.read_text())
    match change:
        case "cells":
            document["cells"].pop()
        case "counts":
            document["cells"][0]["counts"][0] += 1
        case "label":
            document["cells"][0]["public"]["arm"] = "c"
        case "twice":
            document["cells"].append(document["cells"][0])
        case "without":
            del document["cells"]
    path.write_text(json.dumps(document))
    with pytest.raises(DamagedError):
        load_aggregate(plan, path)


@pytest.mark.parametrize("values", [["north", "East"], ["north", None], ["north", 3]])
def test_a_wrong_public_value_is_refused_by_its_row_and_never_named(tmp_path, plan, values):
    people = {"where": values, "arm": ["a", "a"], "smoker": ["yes", "no"], "age": [1, 2]}
    with pytest.raises((SordinoError, SordinoErrors)) as raised:
        privatize(plan, pa.Table.from_pydict({**people, "where": [None if v is None else str(v) for v in values]}))
    assert "row 2, where" in str(raised.value)
    assert "East" not in str(raised.value)


def test_a_table_without_a_public_column_is_refused(plan):
    with pytest.raises(SordinoError) as raised:
        privatize(plan, pa.table({"arm": ["a"], "smoker": ["yes"], "age": [1]}))
    assert "not where" in str(raised.value)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_reports_without_public_values_or_with_others_are_refused(tmp_path, reports, plan, ending):
    path, frame = tmp_path / f"r{ending}", reports.slice(0, 3).to_pandas()
    write = frame.__class__.to_parquet if ending == ".parquet" else frame.__class__.to_csv
    width = len(str(plan.sampled.outputs - 1))
    if ending == ".csv":
        frame = frame.astype(str).assign(code=[text.zfill(width) for text in frame["code"].astype(str)])
    write(frame.assign(region=[REGIONS[0], "East", REGIONS[0]]), path, index=False)
    with pytest.raises((SordinoError, SordinoErrors)) as raised:
        aggregate(plan, path)
    assert "row 2, region" in str(raised.value)
    write(frame.drop(columns="region"), path, index=False)
    with pytest.raises(SordinoError):
        aggregate(plan, path)


def test_groups_need_public_columns_and_a_tally_by_them(plan, reports):
    tally = aggregate(plan, reports)
    with pytest.raises(SordinoError) as raised:
        estimate(plan, tally, by="regoin")
    assert "did you mean 'region'" in str(raised.value)
    with pytest.raises(RefusedError):
        estimate(plan, plan.sampled.tally(reports["code"].to_numpy()), by="region")
    with pytest.raises(RefusedError):
        estimate(plan, tally, by="region", forged=3)
    with pytest.raises(SordinoError):
        estimate(plan, tally, by="region", against="East")


def test_what_a_group_does_not_answer_is_said_of_that_group():
    """Of a group nobody of whom has the number its mean is not told; of the other it is."""
    attributes = {"pay": {"number": {"low": 0, "high": 10}, "missing": "0.5"}}
    public = {"region": {"categories": ["north", "south"]}}
    asks = [{"covariance": ["pay", "age"]}]
    attributes["age"] = {"number": {"low": 0, "high": 100}}
    survey = {"version": 1, "epsilon": "8", "attribute": attributes, "public": public, "ask": asks}
    plan, n = Plan.of(Survey.read(survey), 2000), 2000
    pay = [None if i % 2 else float(i % 10) for i in range(n)]
    people = pa.table({"region": ["south" if i % 2 else "north" for i in range(n)], "pay": pay, "age": range(n)})
    people = people.set_column(2, "age", pa.array([i % 100 for i in range(n)])).append_column("id", pa.array(range(n)))
    reports = privatize(plan, people, KeyedSource(KEY, "t"), id_column="id")
    groups = estimate(plan, reports, by="region").views["groups"]
    assert [(group, name) for group, name, _ in groups.untold] == [("south", "covariance of pay, age")]


def test_what_is_made_of_tables_is_made_of_each_group(tmp_path):
    attributes = {name: {"categories": ["yes", "no"]} for name in ("smoker", "vegan")}
    public = {"region": {"categories": ["north", "south"]}}
    survey = {
        "version": 1,
        "epsilon": "4",
        "attribute": attributes,
        "public": public,
        "ask": [{"table": ["smoker", "vegan"]}],
    }
    plan, n = Plan.of(Survey.read(survey), 2000), 2000
    columns = {name: ["yes" if i % k else "no" for i in range(n)] for name, k in (("smoker", 3), ("vegan", 4))}
    people = pa.table({"region": ["south" if i % 2 else "north" for i in range(n)], **columns, "id": range(n)})
    reports = privatize(plan, people, KeyedSource(KEY, "t"), id_column="id")
    frame = reports.to_pandas()
    whole = estimate(plan, reports, by="region").to_arrow(derived=True).to_pylist()
    alone = estimate(plan, frame[frame.region == "south"]).to_arrow(derived=True).to_pylist()
    names = ("kind", "attribute", "value", "given", "within", "minus", "estimate", "stderr", "low", "high")
    made = [[row[name] for name in names] for row in whole if row["group"] == "south" and row["given"]]
    assert made == [[row[name] for name in names] for row in alone if row["given"]]
    assert made


@pytest.fixture(scope="module")
def rest():
    """A public column one of whose groups is called as all other people are in rows."""
    survey = {"version": 1, "epsilon": "8", "attribute": {"a": {"categories": ["x", "y"]}}, "ask": [{"histogram": "a"}]}
    public = {"r": {"categories": ["rest", "work", "play"]}}
    plan = Plan.of(Survey.read({**survey, "public": public}), 3000)
    people = pa.table({"a": ["x", "y", "x", "x"] * 900, "r": ["rest", "work", "play", "work"] * 900})
    return plan, aggregate(plan, privatize(plan, people))


def test_a_group_called_rest_is_one_like_others_and_all_other_people_are_called_otherwise(rest):
    differences = estimate(*rest, by="r").views["groups"].differences
    assert [(one.group, one.minus) for one in differences] == [
        (group, "all other people") for group in ("rest", "work", "play")
    ]
    (own,) = [row for _, label, row in differences[0].rows() if label == "x"]
    assert own["estimate"] == pytest.approx(1 - 2 / 3, abs=0.05)
    named = estimate(*rest, by="r", against="rest").views["groups"].differences
    assert [(one.group, one.minus) for one in named] == [("work", "rest"), ("play", "rest")]
    (own,) = [row for _, label, row in named[0].rows() if label == "x"]
    assert own["estimate"] == pytest.approx(0.5 - 1, abs=0.05)
    again = estimate(*rest, by="r", against="all other people").views["groups"].differences
    assert [one.minus for one in again] == ["all other people"] * 3


def test_where_no_group_is_called_rest_all_other_people_are(plan, reports, of_regions):
    for found in (of_regions, estimate(plan, reports, by="region", against="rest")):
        assert {one.minus for one in found.views["groups"].differences} == {"rest"}


def test_the_word_for_all_other_people_is_that_of_no_group():
    for labels in (["a"], ["rest"], ["rest", "all other people"], ["(all other people)", "all other people", "rest"]):
        groups = [PublicGroup(label, Aggregate("", 0, np.zeros(1, dtype=np.int64)), None) for label in labels]
        assert rest_word(groups) not in labels


def test_columns_whose_name_holds_a_comma_are_named_in_quotes():
    survey = {"version": 1, "epsilon": "8", "attribute": {"a": {"categories": ["x", "y"]}}, "ask": [{"histogram": "a"}]}
    public = {name: {"categories": ["1", "2"]} for name in ("r", "s", "r,s", "t,u")}
    plan = Plan.of(Survey.read({**survey, "public": public}), 3000)
    given = {
        "r,s,t": None,
        '"r,s"': ("r,s",),
        '"r","s"': ("r", "s"),
        "r": ("r",),
        "t,u": ("t,u",),
        '"t,u", r': ("t,u", "r"),
    }
    assert [columns_of(plan, by) for by in given][1:] == [*given.values()][1:]
    assert (columns_of(plan, ""), columns_of(plan, "r,s,t")) == ((), ("r", "s", "t"))
    # A line break stands in no name of a column: whoever looks it up says so.
    assert columns_of(plan, "r\rs") == ("r\rs",)
    with pytest.raises(SordinoError, match='one column and several: write "r,s" for the one, "r","s" for the others'):
        columns_of(plan, "r,s")
