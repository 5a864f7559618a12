"""The demo runs from end to end on few people, its files are a user's, and protecting less costs less."""

import json
import os

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

PEOPLE = 20_000
METHODS = {"unbiased", "simplex", "block-simplex"}
FILES = {"people.csv", "survey.toml", "plan.json", "reports.parquet", "aggregate.json"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory, run):
    """A run: what it printed, and its folder."""
    root = tmp_path_factory.mktemp("demo")
    return demo_in(root, run), root


def demo_in(root, run):
    arguments = ("--people", PEOPLE, "--folder", root / "files", "--html", root / "page.html", "--json")
    code, output, errors = run("demo", *arguments)
    assert (code, errors) == (0, "")
    return json.loads(output)


def codes_in(root):
    return pq.read_table(root / "files" / "reports.parquet")["code"].to_numpy()


def costs_less(printed):
    assert printed["people"] == PEOPLE
    assert set(printed["total_variation"]) == METHODS
    for found in printed["total_variation"].values():
        assert 0 < found["blocks"] < 0.7 * found["uniform"]
    for method in METHODS - {"unbiased"}:
        assert max(printed["total_variation"][method].values()) <= 1


def test_blocks_cost_less_than_uniform_protection(demo):
    costs_less(demo[0])


@pytest.mark.long
def test_it_runs_again_in_the_same_folder_and_privatizes_anew(tmp_path, run):
    first, one = demo_in(tmp_path, run), codes_in(tmp_path)
    second, two = demo_in(tmp_path, run), codes_in(tmp_path)
    costs_less(second)
    assert first["page"] == second["page"]
    assert len(one) == len(two) == PEOPLE
    assert (one != two).mean() > 0.5


def test_its_files_are_there(demo):
    folder = demo[1] / "files"
    assert set(os.listdir(folder)) >= FILES  # noqa: PTH208
    assert not list(folder.glob(".*"))
    people = pc.read_csv(folder / "people.csv")
    assert (people.num_rows, people.column_names) == (PEOPLE, ["latitude", "longitude"])
    # For each block of 25 cells: how many masks hold each cell, and how many there are.
    counts = np.array(json.loads((folder / "aggregate.json").read_bytes())["counts"]).reshape(1750, 26)
    codes = codes_in(demo[1])
    blocks, masks = codes >> 25, codes & (1 << 25) - 1
    assert counts[:, 25].sum() == PEOPLE
    assert np.array_equal(np.bincount(blocks, minlength=1750), counts[:, 25])
    for cell in range(25):
        assert np.array_equal(np.bincount(blocks[masks >> cell & 1 == 1], minlength=1750), counts[:, cell])


def test_its_page_stands_alone(demo):
    page = (demo[1] / "page.html").read_text(encoding="utf-8")
    assert f"{PEOPLE:,} reports" in page
    assert "Truth" in page
    assert "Uniform LDP" in page
    assert "<script" not in page


@pytest.mark.long
def test_the_other_commands_work_on_its_files(demo, run):
    folder = demo[1] / "files"
    estimates = [
        run("estimate", folder / "plan.json", folder / name, "--json") for name in ("reports.parquet", "aggregate.json")
    ]
    assert estimates[0] == estimates[1]
    rows = json.loads(estimates[0][1])["rows"]
    assert len(rows) == 43_750
    # The two cells of New York hold 7 % of the people; 2 % is eight standard errors below.
    shares = {row["value"]: row["fitted"] for row in rows}
    assert shares["40.7,-73.9"] + shares["40.7,-74.1"] > 0.02
