"""Reports of a table: one for each row, of the plan's own codes, in the row's block, with the promised odds."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from sordino import SordinoError
from sordino.tables import duckdb as engine
from sordino.tables.reports import privatize_table, tally_people

BLOCKS = {"low": [0, 1, 2], "high": [9, 8, 7], "rest": [3, 4, 5, 6]}
MAP = {
    "grid": {"south": 0, "north": 8, "west": 0, "east": 12, "rows": 8, "columns": 12},
    "protect": {"blocks": [5, 5]},
}


@pytest.mark.each_value
@pytest.mark.parametrize("rows", [1, 2, 1000, 131_072, 131_073])
def test_each_row_gives_one_report(tmp_path, numbered, write_rows, read_codes, ending, rows):
    data = write_rows(tmp_path / "people.csv", {"value": [i % 10 for i in range(rows)]})
    reports, steps = tmp_path / f"reports{ending}", []
    assert privatize_table(numbered, data, reports, steps.append).n == rows
    tags, codes, _ = read_codes(reports)
    assert set(tags) == {int(numbered.hash[7:23], 16)}
    assert len(codes) == len(tags) == sum(steps) == rows
    assert codes.min() >= 0
    assert codes.max() < 10


@pytest.mark.each_value
@pytest.mark.parametrize("k", [2, 10, 11, 1000, 1001])
@pytest.mark.parametrize("file", ["r.csv", "r.csv.gz"])
def test_every_report_in_csv_is_of_one_length(tmp_path, make_plan, write_rows, read_codes, file, k):
    plan = make_plan({"categories": k}, epsilon="0.5")
    data = write_rows(tmp_path / "people.csv", {"value": [0] * 3000})
    privatize_table(plan, data, tmp_path / file)
    _, codes, table = read_codes(tmp_path / file)
    assert set(map(len, table["plan"].to_pylist())) == {20}
    (length,) = set(map(len, table["code"].to_pylist()))
    outputs = plan.questions[0].query.mechanism.outputs
    assert length == len(str(outputs - 1))
    assert set(codes) <= set(range(outputs))


def test_reports_in_parquet_are_small_numbers(tmp_path, numbered, write_rows, read_codes):
    data = write_rows(tmp_path / "people.csv", {"value": [3] * 10})
    privatize_table(numbered, data, tmp_path / "r.parquet")
    assert list(map(str, read_codes(tmp_path / "r.parquet")[2].schema.types)) == ["uint64", "uint32"]


def test_a_report_belongs_to_the_block_of_its_row(tmp_path, make_plan, write_rows, read_codes, ending):
    rng = np.random.default_rng(1)
    latitude, longitude = rng.uniform(0, 8, 3000).tolist(), rng.uniform(0, 12, 3000).tolist()
    data = write_rows(tmp_path / "people.csv", {"latitude": latitude, "longitude": longitude})
    plan = make_plan(MAP)
    privatize_table(plan, data, tmp_path / f"r{ending}")
    # Tiles of 5 x 5 cells, cut at the northern and eastern edge; a code is a mask of the tile's cells.
    parts = json.loads(plan.bytes)["queries"][0]["mechanism"]["inner"]
    assert {part["name"] for part in parts} == {"subset"}
    codes_of = {part["k"]: 1 << part["k"] for part in parts}
    held = {part["k"]: part["size"] for part in parts}
    first, start = {}, 0
    for (bottom, left), size in {(0, 0): 25, (0, 1): 25, (0, 2): 10, (1, 0): 15, (1, 1): 15, (1, 2): 6}.items():
        first[bottom, left] = range(start, start + codes_of[size])
        start += codes_of[size]
    for y, x, code in zip(latitude, longitude, read_codes(tmp_path / f"r{ending}")[1].tolist(), strict=True):
        codes = first[int(y) // 5, int(x) // 5]
        assert code in codes
        assert (code - codes.start).bit_count() == held[len(codes).bit_length() - 1]


def test_randomized_response_has_the_promised_odds(tmp_path, make_plan, write_rows, read_codes):
    n, odds = 200_000, np.exp(2)
    plan = make_plan({"categories": 4}, epsilon="2")
    assert plan.document.queries[0].mechanism["name"] == "randomized"
    privatize_table(plan, write_rows(tmp_path / "p.parquet", {"value": [2] * n}), tmp_path / "r.parquet")
    counts = np.bincount(read_codes(tmp_path / "r.parquet")[1], minlength=4).tolist()
    for code, count in enumerate(counts):
        share = (odds if code == 2 else 1) / (odds + 3)
        assert binomtest(count, n, share).pvalue > 1e-9
        assert binomtest(count, n, 0.7 * share).pvalue < 1e-9


@pytest.mark.parametrize("value", [0, 6, 99])
def test_cyclic_subsets_have_the_promised_odds(tmp_path, make_plan, write_rows, read_codes, value):
    n = 50_000
    plan = make_plan({"categories": 100}, "ln 2")
    part = plan.document.queries[0].mechanism
    assert part["name"] == "cyclic"
    privatize_table(plan, write_rows(tmp_path / "p.parquet", {"value": [value] * n}), tmp_path / "r.parquet")
    codes = read_codes(tmp_path / "r.parquet")[1]
    on = np.array([value in block for block in blocks(part["prime"], part["order"], part["size"])])
    told = on.sum() * 2 / (on.sum() * 2 + (~on).sum())
    assert binomtest(int(on[codes].sum()), n, told).pvalue > 1e-9
    assert binomtest(int(on[codes].sum()), n, 0.9 * told).pvalue < 1e-9
    # The blocks that hold the value are equally likely.
    assert chisquare(np.bincount(codes, minlength=len(on))[on]).pvalue > 1e-9


def blocks(p, order, size):
    """All translates of the multiples of some classes of a subgroup, and of 0 where the size is one more."""
    root = next(g for g in range(1, p) if len({pow(g, n, p) for n in range(p - 1)}) == p - 1)
    families = (p - 1) // order
    base = [pow(root, families * n + a, p) for a in range(size // order) for n in range(order)] + [0] * (size % order)
    return [{(c + pow(root, a, p) * d) % p for d in base} for a in range(families) for c in range(p)]


def test_rows_of_many_batches_are_privatized_alike(tmp_path, make_plan, write_rows, read_codes):
    n = 300_000
    plan = make_plan({"categories": 2}, epsilon="1")
    data = write_rows(tmp_path / "p.parquet", {"value": [i // 150_000 for i in range(n)]})
    privatize_table(plan, data, tmp_path / "r.csv")
    codes = read_codes(tmp_path / "r.csv")[1]
    share = np.e / (1 + np.e)
    for part in np.split(codes[:150_000], 3):
        assert binomtest(int((part == 0).sum()), len(part), share).pvalue > 1e-9
    for part in np.split(codes[150_000:], 3):
        assert binomtest(int((part == 1).sum()), len(part), share).pvalue > 1e-9


def test_every_run_is_a_release_of_its_own(tmp_path, numbered, write_rows, read_codes):
    data = write_rows(tmp_path / "people.csv", {"value": [5] * 200})
    for name in ("a.csv", "b.csv"):
        privatize_table(numbered, data, tmp_path / name)
    assert (read_codes(tmp_path / "a.csv")[1] != read_codes(tmp_path / "b.csv")[1]).any()


@pytest.mark.parametrize("content", [b"", b"plan,code\n", b"anything"])
def test_existing_reports_are_never_replaced(tmp_path, numbered, write_rows, listing, ending, content):
    data = write_rows(tmp_path / "people.csv", {"value": [5] * 20})
    (tmp_path / f"r{ending}").write_bytes(content)
    before = listing()
    with pytest.raises(SordinoError, match="second release"):
        privatize_table(numbered, data, tmp_path / f"r{ending}")
    assert listing() == before


@pytest.mark.parametrize("name", ["r.txt", "r", "r.json", "r.csv.zip", "none/r.csv"])
def test_an_output_that_cannot_be_written_is_refused(tmp_path, numbered, write_rows, listing, name):
    data = write_rows(tmp_path / "people.csv", {"value": [5] * 20})
    before = listing()
    with pytest.raises(SordinoError, match=r"must end in|must be a folder|must be possible to write"):
        privatize_table(numbered, data, tmp_path / name)
    assert listing() == before


def test_people_can_be_tallied_without_files(tmp_path, make_plan, write_rows, listing):
    plan = make_plan({"categories": 10, "protect": {"blocks": BLOCKS}}, epsilon="4")
    values = [0] * 500 + [9] * 300 + [3] * 200
    data = write_rows(tmp_path / "people.csv", {"value": values})
    before, steps = listing(), []
    aggregate = tally_people(plan, data, steps.append)
    assert sum(steps) == aggregate.n == len(values)
    # Blocks are numbered as they first appear among the values: 0..2, 3..6, 7..9.
    block = np.split(aggregate.counts, [3, 7])
    assert [int(part.sum()) for part in block] == [500, 200, 300]
    assert listing() == before


def test_a_query_of_seconds_draws_no_bar_on_the_output():
    # DuckDB draws one from the third second on, unless each connection is told not to.
    for database in (engine._database(), engine._read_with(os.getpid())):
        with engine._without_progress_bar(database) as connection:
            assert connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)
    source = Path(engine.__file__).read_text(encoding="utf-8")
    assert source.count("duckdb.connect(") == source.count(".cursor()") == 1
