"""A copied file of reports is noticed, in any format; files that are equal by chance are not refused."""

import shutil
from itertools import pairwise, product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError, SordinoWarning, aggregate
from sordino.survey.results.aggregate_file import save_aggregate
from sordino.survey.results.sourced_aggregate import sources_of, with_sources
from sordino.tables.reports import CERTAIN, Copies, privatize_table, tally_table


@pytest.fixture
def bits(make_plan):
    """A plan of one-bit reports that are nearly always true."""
    return make_plan({"categories": ["yes", "no"]}, epsilon="30")


def write(path, plan, codes):
    if path.suffix == ".parquet":
        columns = {"plan": pa.array([plan.tag] * len(codes), pa.uint64()), "code": pa.array(codes, pa.uint32())}
        pq.write_table(pa.table(columns), path)
    else:
        path.write_text("plan,code\n" + "".join(f"{plan.tag:020},{code}\n" for code in codes))
    return path


def tally(plan, *paths):
    notes = []
    return tally_table(plan, paths, note=notes.append).n, notes


def test_a_copy_is_refused(tmp_path, numbered, write_rows, ending):
    people = write_rows(tmp_path / "people.csv", {"value": [i % 10 for i in range(1000)]})
    for name in ("a", "b"):
        privatize_table(numbered, people, tmp_path / f"{name}{ending}")
    shutil.copyfile(tmp_path / f"a{ending}", tmp_path / f"copy{ending}")
    files = [tmp_path / f"{name}{ending}" for name in ("a", "b", "copy")]
    assert tally(numbered, *files[:2]) == (2000, [])
    with pytest.raises(SordinoError, match=r"must hold other reports than .*the same 1,000 in the same order: a copy"):
        tally_table(numbered, files)


def test_a_copy_in_another_format_is_a_copy(tmp_path, bits):
    codes = np.random.default_rng(1).integers(0, 2, 30_000)
    files = [write(tmp_path / name, bits, codes) for name in ("a.csv", "b.parquet")]
    with pytest.raises(SordinoError, match="30,000 in the same order"):
        tally_table(bits, files)


@pytest.mark.parametrize("codes", [[1], [0, 1, 0], [0, 1] * (CERTAIN - 1), [0] * 5000, [0] * 5000 + [1] * 5000])
def test_what_may_be_chance_is_told_and_counted(tmp_path, bits, codes):
    files = [write(tmp_path / name, bits, codes) for name in ("a.csv", "b.csv")]
    n, notes = tally(bits, *files)
    assert n == 2 * len(codes)
    (note,) = notes
    assert note.startswith(f"{files[1]} holds the same {len(codes):,} reports as {files[0]}, by chance or as a copy")


def test_the_same_counts_in_another_order_are_no_copy(tmp_path, bits):
    codes = [0, 1] * 500
    files = [write(tmp_path / "a.csv", bits, codes), write(tmp_path / "b.csv", bits, codes[::-1])]
    assert tally(bits, *files) == (2000, [])


def pairs_of(batches):
    """How many pairs are counted, by what two files of these codes come to."""
    counted = []

    class Counting(Copies):
        def _compare(self, path, digest, n, pairs):
            counted.append((digest, n, pairs))

    list(Counting(None).note_copies(None, iter([np.array(batch, dtype=np.uint64) for batch in batches])))
    return counted[0]


def test_pairs_that_fall_do_not_overlap_however_files_are_read():
    for codes in product(range(3), repeat=5):
        *same, pairs = pairs_of([codes])
        for cut in range(1, 5):
            for batches in ([codes[:cut], codes[cut:]], [[code] for code in codes], [codes[:cut], [], codes[cut:]]):
                assert pairs_of(batches) == (*same, pairs), batches
        # By hand: the first fall of each run of falls.
        falls = [a > b for a, b in pairwise(codes)]
        expected = sum(fall and not before for before, fall in zip([False, *falls], falls, strict=False))
        assert pairs == expected, codes


def test_copied_aggregates_are_told(tmp_path, numbered, run, write_rows):
    people = write_rows(tmp_path / "people.csv", {"value": [i % 10 for i in range(1000)]})
    plan = tmp_path / "plan.json"
    numbered.save(plan)
    privatize_table(numbered, people, tmp_path / "r.csv")
    assert run("aggregate", plan, tmp_path / "r.csv", "-o", tmp_path / "a.json")[0] == 0
    shutil.copyfile(tmp_path / "a.json", tmp_path / "b.json")
    code, out, err = run("aggregate", plan, tmp_path / "a.json", tmp_path / "b.json", "-o", tmp_path / "c.json")
    assert code == 0
    assert "2,000 reports" in out
    assert err.startswith(f"sordino: note: {tmp_path / 'b.json'} holds the same counts as {tmp_path / 'a.json'}")
    code, _, err = run("estimate", plan, tmp_path / "a.json", "--json")
    assert (code, err) == (0, "")


def test_aggregates_of_the_same_collectors_count_each_once(tmp_path, numbered, run):
    plan, none = tmp_path / "plan.json", numbered.sampled.tally([])
    numbered.save(plan)
    own, early, late = (numbered.sampled.tally([0] * count) for count in (2, 3, 5))
    save_aggregate(numbered, with_sources(none, {"a" * 32: own, "b" * 32: early}), tmp_path / "a.json")
    save_aggregate(numbered, with_sources(none, {"b" * 32: late}), tmp_path / "b.json")
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for words in (files, files[::-1]):
        code, out, err = run("aggregate", plan, *words, "-o", tmp_path / "c.json", "--force")
        assert code == 0
        assert "7 reports" in out
        held = "holds reports of 1 collector that another aggregate holds too; each counts once"
        assert err == f"sordino: note: {words[1]} {held}\n"
        found = aggregate(numbered, tmp_path / "c.json")
        assert {source: part.n for source, part in sources_of(found).items()} == {"a" * 32: 2, "b" * 32: 5}
    with pytest.warns(SordinoWarning, match="each counts once"):
        assert aggregate(numbered, tmp_path / "c.json", tmp_path / "a.json").n == 7
