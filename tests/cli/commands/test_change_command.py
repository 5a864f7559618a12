"""`sordino change`: what is printed, and the table and the page that it writes."""

import csv
import json
import re

import pytest
from pyarrow import parquet

import sordino

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def collections(tmp_path_factory):
    """A folder with a plan and the tallies of two collections, the same in every run."""
    import numpy as np
    import pyarrow as pa

    folder = tmp_path_factory.mktemp("change")
    attributes = {"smoker": {"categories": ["yes", "no", "=1+1"]}, "town": {"categories": 60}}
    attributes["age"] = {"number": {"low": 20, "high": 80}}
    asked = [{"histogram": "smoker"}, {"histogram": "town"}, {"mean": "age"}]
    plan = sordino.plan({"version": 1, "epsilon": "6", "attribute": attributes, "ask": asked}, 9000)
    plan.save(folder / "plan.json")
    ids = np.arange(9000)
    for name, yes, mean in (("before", 6000, 40), ("after", 3000, 50)):
        smoker = np.where(ids < yes, "yes", "no")
        people = {"smoker": smoker, "town": ids % 60, "age": np.full(9000, mean), "id": ids}
        source = sordino.KeyedSource(KEY, name)
        parquet.write_table(
            sordino.privatize(plan, pa.table(people), source, id_column="id"), folder / f"{name}.parquet"
        )
    return folder


@pytest.fixture
def change(collections, run, tmp_path, monkeypatch):
    """The command about the two collections, where it writes in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    plan, before, after = (str(collections / name) for name in ("plan.json", "before.parquet", "after.parquet"))
    return lambda *options: run("change", plan, before, plan, after, *options)


def test_files_hold_what_is_printed_as_json(change, tmp_path):
    code, out, err = change("--json", "-o", "c.csv")
    assert (code, err) == (0, "")
    rows = json.loads(out)["rows"]
    with (tmp_path / "c.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["label"] for row in written[:3]] == ["yes", "no", "'=1+1"]
    assert len(written) == len(rows) == 3 + 60 + 1
    for name in ("before", "after", "change", "stderr", "low", "high"):
        assert [float(row[name]) for row in written] == [row[name] for row in rows]
    assert [row["sure"] == "true" for row in written] == [row["sure"] for row in rows]
    assert change("-o", "c.parquet")[0] == 0
    table = parquet.read_table(tmp_path / "c.parquet")
    assert table["change"].to_pylist() == [row["change"] for row in rows]
    assert table["label"].to_pylist()[2] == "=1+1"


def test_the_terminal_says_what_changed_beyond_noise_and_what_is_not_shown(change):
    code, out, _ = change()
    assert code == 0
    assert "2 of 3 changed by more than noise explains (95 % confidence for all together)" in " ".join(out.split())
    assert "urely" not in out
    assert "45 of 60 are not shown. Limits hold for all 60 together." in out
    assert "The change is larger than noise explains: its 95 % interval excludes 0." in out
    assert "All changes: -o FILE, or --json." in out


def test_the_page_shows_both_sides_and_what_noise_may_make(change, tmp_path):
    assert change("--html", "c.html")[0] == 0
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "Beyond noise: yes" in page
    assert "Within noise: =1+1" in page
    assert "change that noise alone can explain" in page
    assert "percentage points" in page
    assert re.search(r"<td[^>]*data-name=\"beyond noise\"[^>]*>yes</td>", page)
    assert "<script" not in page


def test_nothing_is_written_over_what_is_no_table_of_changes(change, tmp_path):
    assert change("-o", "c.csv", "--html", "c.html")[0] == 0
    code, _, err = change("-o", "c.csv")
    assert code == 2
    assert "must not exist yet" in err
    assert change("-o", "c.csv", "--html", "c.html", "--force")[0] == 0
    (tmp_path / "d.csv").write_text("attribute,value,estimate\n")
    assert change("-o", "d.csv", "--force")[0] == 2
    assert change("-o", "d.txt")[0] == 2
    code, _, err = change("-o", "e.csv", "--html", "e.csv")
    assert code == 2
    assert "must be two files" in err
    assert not (tmp_path / "e.csv").exists()
