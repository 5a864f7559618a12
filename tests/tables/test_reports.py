"""Report files are tallied whole or not at all: every code of the plan, no report of another, nothing cut off."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError
from sordino.tables.reports import privatize_table, tally_table


def tag_of(plan):
    return int(plan.hash[7:23], 16)


def write_reports(path, plan, codes, tags=None, digits=1):
    """Reports by hand: the documented columns, digits and types."""
    tags = [tag_of(plan)] * len(codes) if tags is None else tags
    if path.suffix == ".parquet":
        columns = {"plan": pa.array(tags, pa.uint64()), "code": pa.array(codes, pa.uint32())}
        pq.write_table(pa.table(columns), path)
        return path
    rows = list(zip(tags, codes, strict=True))
    texts = {(tag, code): f"{tag:020},{code:0{digits}}\n" for tag, code in {*rows}}
    content = "".join(["plan,code\n", *map(texts.get, rows)]).encode()
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def message(plan, *paths):
    with pytest.raises(SordinoError) as caught:
        tally_table(plan, paths)
    return str(caught.value)


def test_the_tally_counts_each_code(tmp_path, numbered, ending):
    codes = np.random.default_rng(1).integers(10, size=300_000)
    steps = []
    aggregate = tally_table(numbered, [write_reports(tmp_path / f"r{ending}", numbered, codes.tolist())], steps.append)
    assert aggregate.counts.tolist() == [int((codes == code).sum()) for code in range(10)]
    assert sum(steps) == aggregate.n == len(codes)


def test_the_tally_of_files_is_the_tally_of_their_concatenation(tmp_path, make_plan, write_rows, read_codes):
    plan = make_plan({"categories": 100}, "ln 2")
    parts, paths = [list(range(100)) * 30, [7], [5] * 1000], []
    for i, (values, ending) in enumerate(zip(parts, (".csv", ".csv.gz", ".parquet"), strict=True)):
        data = write_rows(tmp_path / f"people{i}.csv", {"value": values})
        paths.append(tmp_path / f"r{i}{ending}")
        privatize_table(plan, data, paths[-1])
    codes = np.concatenate([read_codes(path)[1] for path in paths])
    expected = [int((codes == code).sum()) for code in range(309)]
    assert tally_table(plan, paths).counts.tolist() == expected
    apart = [tally_table(plan, [path]) for path in paths]
    assert (apart[0] + apart[1] + apart[2]).counts.tolist() == expected


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("row", [1, 150_000, 200_000])
@pytest.mark.parametrize("what", ["another plan", "code out of range"])
def test_one_wrong_report_is_named_by_its_row(tmp_path, make_plan, ending, row, what):
    plan = make_plan({"categories": 100}, "ln 2")  # codes 0..308
    codes, tags = [99] * 200_000, [tag_of(plan)] * 200_000
    if what == "another plan":
        tags[row - 1] ^= 1
    else:
        codes[row - 1] = 309
    path = write_reports(tmp_path / f"r{ending}", plan, codes, tags, digits=3)
    text = message(plan, path)
    assert f"{path}, row {row}:" in text
    assert ("a different plan" in text) == (what == "another plan")
    assert ("0..308" in text) == (what != "another plan")


@pytest.mark.each_value
@pytest.mark.parametrize("change", [{"categories": 11}, {"categories": 10, "column": "other"}], ids=str)
def test_reports_of_another_plan_are_refused(tmp_path, numbered, make_plan, write_rows, ending, change):
    data = write_rows(tmp_path / "people.csv", {"value": [1, 2, 3], "other": [1, 2, 3]})
    privatize_table(make_plan(change), data, tmp_path / f"r{ending}")
    own = write_reports(tmp_path / f"own{ending}", numbered, [1, 2, 3])
    assert tally_table(numbered, [own]).n == 3
    text = message(numbered, own, tmp_path / f"r{ending}")
    assert f"r{ending}, row 1: a report must belong to the plan" in text


CODES = ["", "1", "12345", "0x1", "1.0", "+12", "-12", " 12", "12 ", "abc", "309", "999", "1e2", "\u0661\u0662\u0663"]


@pytest.mark.parametrize("code", CODES)
def test_a_code_in_csv_has_the_plans_digits(tmp_path, make_plan, code):
    plan = make_plan({"categories": 100}, "ln 2")
    (tmp_path / "r.csv").write_text(f"plan,code\n{tag_of(plan):020},308\n{tag_of(plan):020},{code}\n", encoding="utf-8")
    text = message(plan, tmp_path / "r.csv")
    assert "row 2: a code must be one of the plan's, in 0..308" in text


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"code": ["1"]}, "plan"),
        ({"plan": ["1"]}, "code"),
        ({"Plan": ["1"], "Code": ["1"]}, "did you mean"),
    ],
    ids=["no plan", "no code", "spelling"],
)
def test_a_report_file_has_its_columns(tmp_path, numbered, write_rows, ending, columns, words):
    assert words in message(numbered, write_rows(tmp_path / f"r{ending}", columns))


@pytest.mark.parametrize(
    "code",
    [
        pa.array([3.0, 2.5]),
        pa.array(["3", "2"]),
        pa.array([True, False]),
        pa.array([3, None]),
        pa.array([3, -1]),
        pa.array([3, 10]),
        pa.array([3, 2**40]),
    ],
    ids=["fractions", "texts", "truths", "missing", "below zero", "out of range", "far out of range"],
)
def test_codes_in_parquet_are_whole_numbers_of_the_plan(tmp_path, numbered, code):
    tags = pa.array([tag_of(numbered)] * 2, pa.uint64())
    pq.write_table(pa.table({"plan": tags, "code": code}), tmp_path / "r.parquet")
    assert "code" in message(numbered, tmp_path / "r.parquet")


@pytest.mark.parametrize("kind", [pa.uint8(), pa.int16(), pa.int64(), pa.uint64()], ids=str)
def test_codes_in_parquet_may_be_of_any_whole_type(tmp_path, numbered, kind):
    tags = pa.array([tag_of(numbered)] * 2, pa.uint64())
    columns = {"more": [1, 2], "code": pa.array([3, 9]).cast(kind), "plan": tags}
    pq.write_table(pa.table(columns), tmp_path / "r.parquet")
    assert tally_table(numbered, [tmp_path / "r.parquet"]).counts.tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 1]


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("part", [0.5, 0.999, 0.3, -1, -2, -22], ids=str)
def test_reports_that_were_cut_are_refused(tmp_path, numbered, ending, part):
    path = write_reports(tmp_path / f"r{ending}", numbered, [i % 10 for i in range(150_001)])
    whole = path.read_bytes()
    length = int(part * len(whole)) if isinstance(part, float) else len(whole) + part
    if ending == ".csv" and whole[length - 1 : length] == b"\n":
        length -= 1
    path.write_bytes(whole[:length])
    assert str(path) in message(numbered, path)


@pytest.mark.parametrize("content", [b"", b"plan,code\n", b"\x00" * 100], ids=["empty", "no rows", "zeros"])
def test_files_without_reports_are_refused(tmp_path, numbered, ending, content):
    path = tmp_path / f"r{ending}"
    path.write_bytes(content)
    assert str(path) in message(numbered, path)


def test_a_file_of_no_reports_is_refused(tmp_path, numbered, ending):
    assert "needs reports" in message(numbered, write_reports(tmp_path / f"r{ending}", numbered, []))


def test_no_files_have_no_reports(numbered):
    assert "needs reports" in message(numbered)


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "r.txt", "folder.csv"])
def test_a_file_that_is_no_report_file(tmp_path, numbered, name):
    (tmp_path / "r.txt").write_text("plan,code\n")
    (tmp_path / "folder.csv").mkdir()
    assert name in message(numbered, tmp_path / name)


def test_a_folders_name_is_no_code(tmp_path, numbered, ending):
    folder = tmp_path / "code=5"
    folder.mkdir()
    path = write_reports(folder / f"r{ending}", numbered, [1, 1, 2])
    assert tally_table(numbered, [path]).counts.tolist() == [0, 2, 1, 0, 0, 0, 0, 0, 0, 0]
