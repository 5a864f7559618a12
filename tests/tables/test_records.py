"""Ids of rows: read alike from every format, and refused by row where one is missing or stands twice; never told."""

import gzip
import random
import uuid
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import KeyedSource, SordinoError
from sordino.exact.record_ids import SPREAD, RepeatedWords
from sordino.tables import records
from sordino.tables.frame import Frame
from sordino.tables.release import Release
from sordino.tables.reports import privatize_frame, privatize_table
from sordino.tables.values import read_people

CHOSEN = pow(SPREAD, -1, 2**64)
"""Its multiples all fall into the first bucket of the constant factor."""

KEY, TASK = bytes(range(32)), "somebody's task"
MARKER = "Zebra7731"
BATCH = 131_072
ROWS = 140_000  # more than a batch


def spelt(text):
    """A whole number or a text, by the letter of the rule."""
    usual = text.lstrip("-").isdecimal() and text.isascii() and str(int(text)) == text
    return int(text) if usual and -(2**63) <= int(text) < 2**64 else text


def halves(records):
    return np.stack([records.low, records.high], axis=1).tolist()


def bits(ids):
    """The 128 bits of ids, each taken alone by the library, as (low, high); those of numbers by the letter."""
    alone = [halves(KeyedSource(KEY, TASK).for_records([one]))[0] for one in ids]
    for one, found in zip(ids, alone, strict=True):
        if isinstance(spelt(one), int):
            assert found == [spelt(one) % 2**64, int(spelt(one) < 0)]
    return alone


def read(plan, path, column="who"):
    values, ids, *_ = zip(*read_people(plan, path, column), strict=True)
    source = KeyedSource(KEY, TASK)
    words = [one for own in ids for one in halves(source.for_compared(own))]
    return np.concatenate([own for (own,) in values]).tolist(), words


class Weak:
    """A source of words of ids that many ids share."""

    def __init__(self, bits):
        self._bits, self._source = bits, KeyedSource(KEY, TASK)

    def for_compared(self, ids):
        return SimpleNamespace(low=self._source.for_compared(ids).low >> np.uint64(64 - self._bits))


def compare(path, source=None):
    """The ids of a table alone."""
    comparison = records.IdComparison(path, "who", source or KeyedSource(KEY, TASK))
    for ids, _ in comparison._read():
        comparison.add(comparison._words_of(ids))
    comparison.finish()


TEXTS = ["a", "17", "-17", "017", "17.0", "1e3", " 17", "17 ", "+17", "-0", "0", "\u0663", "gr\u00fcn", "x" * 5000]
TEXTS += [str(edge + step) for edge in (-(2**63), 2**63, 2**64, 2**127, 10**38, 10**40) for step in (-1, 0, 1)]
TEXTS += ["NULL", "nan", "inf", "true", "0x11", "1_7", "a,b", 'say "a"', "\\x00", "2024-01-01"]


def test_texts_are_read_by_the_rule(tmp_path, numbered, write_rows, ending):
    rows = {"value": [i % 10 for i in range(len(TEXTS))], "who": TEXTS}
    values, ids = read(numbered, write_rows(tmp_path / f"people{ending}", rows))
    assert values == rows["value"]
    assert ids == bits(TEXTS)


INTEGERS = {
    "int8": [-128, -1, 0, 127],
    "int64": [-(2**63), -5, 7, 2**63 - 1],
    "uint8": [0, 255],
    "uint64": [0, 2**63, 2**64 - 1],
}


@pytest.mark.parametrize("kind", INTEGERS)
def test_numbers_are_read_as_the_texts_that_spell_them(tmp_path, numbered, kind):
    column = pa.array(INTEGERS[kind], type=getattr(pa, kind)())
    pq.write_table(pa.table({"value": [1] * len(column), "who": column}), tmp_path / "people.parquet")
    assert read(numbered, tmp_path / "people.parquet")[1] == bits(list(map(str, INTEGERS[kind])))


def test_uuids_are_texts(tmp_path, numbered):
    ids = [uuid.UUID(int=i + (7 << 100)) for i in range(5)]
    texts = pa.table({"value": [1] * 5, "who": [str(one) for one in ids]})
    as_uuids = duckdb.from_arrow(texts).project("value, CAST(who AS UUID) AS who")
    as_uuids.write_parquet(str(tmp_path / "people.parquet"))
    assert read(numbered, tmp_path / "people.parquet")[1] == bits(list(map(str, ids)))


@pytest.mark.parametrize(
    "column", [[1.0, 2.0], [True, False], [date(2024, 1, 1), None], [b"a", b"b"], [[1], [2]], [Decimal(5), Decimal(6)]]
)
def test_ids_of_another_type_are_refused(tmp_path, numbered, column, listing):
    pq.write_table(pa.table({"value": [1, 2], "who": column}), tmp_path / "people.parquet")
    refused(tmp_path, numbered, listing, "people.parquet", "must have whole numbers or texts in who; found type")


def refused(folder, plan, listing, name, *words):
    before = listing()
    with pytest.raises(SordinoError) as caught:
        privatize_table(plan, folder / name, folder / "r.csv", release=Release("who"))
    assert [word for word in words if word not in str(caught.value)] == []
    assert "7731" not in str(caught.value)
    assert listing() == before


PLACES = {
    "adjacent": (1, 2),
    "far apart": (5, ROWS),
    "on both sides of a batch": (BATCH, BATCH + 1),
    "in the second batch": (BATCH + 3, BATCH + 9),
}


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["number", "text"])
@pytest.mark.parametrize(("first", "second"), PLACES.values(), ids=PLACES)
def test_an_id_that_stands_twice_is_named_by_row(tmp_path, numbered, write_rows, listing, ending, kind, first, second):
    ids = list(range(10**6, 10**6 + ROWS)) if kind == "number" else [f"person {i}" for i in range(ROWS)]
    ids[first - 1] = ids[second - 1] = 7731 if kind == "number" else MARKER
    write_rows(tmp_path / f"people{ending}", {"value": [3] * ROWS, "who": ids})
    rule = f"row {second}, who: each row must have a different id; found that of row {first} again"
    refused(tmp_path, numbered, listing, f"people{ending}", rule)


@pytest.mark.parametrize("kind", ["number", "text"])
@pytest.mark.parametrize(("first", "second"), [(1, 20_000), (4096, 4097), (5000, 12_289)])
def test_an_id_that_stands_twice_is_found_in_any_group_of_rows(tmp_path, numbered, listing, kind, first, second):
    ids = list(range(20_000)) if kind == "number" else [f"person {i}" for i in range(20_000)]
    ids[first - 1] = ids[second - 1] = 10**6 + 7731 if kind == "number" else MARKER
    pq.write_table(pa.table({"value": [3] * 20_000, "who": ids}), tmp_path / "p.parquet", row_group_size=4096)
    refused(tmp_path, numbered, listing, "p.parquet", f"row {second}, who: each row", f"that of row {first} again")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_texts_of_any_arrow_type_are_the_same_ids(numbered, kind):
    table = pa.table({"value": [i % 10 for i in range(len(TEXTS))], "who": pa.array(TEXTS).cast(kind)})
    assert read(numbered, Frame.of(table, ["value", "who"]))[1] == bits(TEXTS)


def test_texts_of_a_frame_that_are_no_utf_8_are_ids_too(numbered):
    """Arrow does not look at them, nor does DuckDB; Python's words about them would tell them."""
    ids = pa.array([b"\xff7731", b"\xfe7731", b"7731", b"\xff7731"], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(ids), ids.buffers())
    frame = Frame.of(pa.table({"value": [1] * len(ids), "who": texts}), ["value", "who"])
    with pytest.raises(SordinoError, match=r"row 4, who: .* that of row 1 again"):
        privatize_frame(numbered, frame, release=Release("who"))
    different = Frame(frame.names, frame.table[:3], "the frame")
    assert len(privatize_frame(numbered, different, release=Release("who"))) == len(different.table)


def test_a_number_and_the_text_that_spells_it_are_one_id(tmp_path, numbered, write_rows, listing):
    write_rows(tmp_path / "people.csv", {"value": [1, 2, 3], "who": ["5", '"05"', "5"]})
    refused(tmp_path, numbered, listing, "people.csv", "row 3", "that of row 1 again")


@pytest.mark.each_value
@pytest.mark.parametrize("missing", [None, ""])
@pytest.mark.parametrize("row", [1, BATCH + 2, ROWS])
def test_a_missing_id_is_named_by_row(tmp_path, numbered, write_rows, listing, ending, missing, row):
    ids = [str(i) for i in range(ROWS)]
    ids[row - 1] = missing
    write_rows(tmp_path / f"people{ending}", {"value": [3] * ROWS, "who": ids})
    refused(
        tmp_path,
        numbered,
        listing,
        f"people{ending}",
        f"row {row}, who: each row must have a different id",
        "found no id",
    )


def test_a_missing_number_is_named_by_row(tmp_path, numbered, listing):
    pq.write_table(pa.table({"value": [1, 2], "who": pa.array([1, None], type=pa.int64())}), tmp_path / "p.parquet")
    refused(tmp_path, numbered, listing, "p.parquet", "row 2, who", "found no id")


def test_a_column_that_is_not_there_is_refused(tmp_path, numbered, listing):
    (tmp_path / "people.csv").write_bytes(b"value,Who\n1,1\n")
    refused(
        tmp_path,
        numbered,
        listing,
        "people.csv",
        "the column who; found 2 columns, but not who, only value, Who: did you mean 'Who'?",
        "`id_column`",
    )
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(b"value,who,WHO\n1,1,1\n"))
    refused(tmp_path, numbered, listing, "people.csv.gz", "each column once")


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["id_low", "id_missing", "index", "missing", "two words", 'a "quoted" name', "value"])
def test_ids_in_columns_of_unusual_names(tmp_path, numbered, write_rows, ending, name):
    path = write_rows(tmp_path / f"people{ending}", {"value": [3, 1], name: [4, 5]})
    assert read(numbered, path, name)[1] == [[4, 0], [5, 0]]


@pytest.mark.each_value
@pytest.mark.parametrize("most", [1500, 4000, 9999])
@pytest.mark.parametrize("twice", [None, (0, 1), (0, 9999), (4999, 5000)])
def test_more_ids_than_fit_are_compared_part_by_part(tmp_path, write_rows, monkeypatch, most, twice):
    monkeypatch.setattr(records, "MOST", most)
    monkeypatch.setattr("sordino.tables.duckdb.ROWS", 2048)
    # Always the same parts.
    monkeypatch.setattr(records.secrets, "randbits", lambda bits: SPREAD % 2**bits)
    ids = [f"person {i}" if i % 2 else str(i * 2**40 - 2**50) for i in range(10_000)]
    if twice:
        ids[twice[1]] = ids[twice[0]]
    path = write_rows(tmp_path / "people.parquet", {"who": ids})
    if twice is None:
        compare(path)
        return
    with pytest.raises(SordinoError, match=f"row {twice[1] + 1}, who: .* that of row {twice[0] + 1} again"):
        compare(path)


def test_ids_that_were_chosen_to_share_a_bucket_are_compared_part_by_part(monkeypatch):
    """By the constant that anybody can read; the one that counts is drawn for each comparison."""
    monkeypatch.setattr(records, "MOST", 1000)
    monkeypatch.setattr("sordino.tables.duckdb.ROWS", 1024)
    frame = Frame.of(pa.table({"who": pa.array(np.arange(20_000, dtype=np.uint64) * np.uint64(CHOSEN))}), ["who"])
    one, other = (records.IdComparison(frame, "who", KeyedSource(KEY, TASK)) for _ in range(2))
    assert one._compared.factor != other._compared.factor
    kept, add = [], RepeatedWords.add

    def counted(words, more):
        add(words, more)
        kept.append(words.count)

    monkeypatch.setattr(RepeatedWords, "add", counted)
    draw = random.Random(5)
    monkeypatch.setattr(records.secrets, "randbits", draw.getrandbits)
    compare(frame)
    assert max(kept) < 1000 + 2 * 1024


def test_equal_low_words_are_no_equal_ids(tmp_path, write_rows):
    path = write_rows(tmp_path / "people.csv", {"who": ["-1", str(2**64 - 1), "-2", str(2**64 - 2)]})
    compare(path)


@pytest.mark.parametrize("twice", [None, 0, 101, 199])
def test_of_ids_with_equal_words_some_are_looked_at_at_a_time(monkeypatch, twice):
    monkeypatch.setattr(records, "MOST_AGAIN", 10)
    looked, among = [], records.IdComparison._require_different_among

    def counted(comparison, words):
        looked.append(len(words))
        among(comparison, words)

    monkeypatch.setattr(records.IdComparison, "_require_different_among", counted)
    ids = [text for i in range(1, 101) for text in (str(-i), str(2**64 - i))]
    ids += [] if twice is None else [ids[twice]]
    frame = Frame.of(pa.table({"who": ids}), ["who"])
    if twice is None:
        compare(frame)
        assert looked == [10] * 10
        return
    with pytest.raises(SordinoError, match=f"row 201, who: .* that of row {twice + 1} again"):
        compare(frame)
    assert max(looked) == 10


@pytest.mark.each_value
@pytest.mark.parametrize("bits", [1, 2, 8])
@pytest.mark.parametrize("kind", ["number", "text", "uuid"])
def test_ids_whose_words_are_equal_are_looked_at_again(tmp_path, write_rows, monkeypatch, bits, kind):
    """Ids are refused where they are equal, not where something short about them is."""
    monkeypatch.setattr("sordino.tables.duckdb.ROWS", 2048)
    make = {"number": lambda i: i - 40, "text": lambda i: f"person {i}", "uuid": lambda i: str(uuid.UUID(int=i))}[kind]
    ids = [make(i) for i in range(5000)]
    for twice in (None, (17, 18), (0, 4999), (2047, 2048)):
        mine = ids.copy()
        if twice:
            mine[twice[1]] = mine[twice[0]]
        path = write_rows(tmp_path / "people.parquet", {"who": mine})
        if kind == "uuid":
            as_uuids = duckdb.from_arrow(pa.table({"who": mine})).project("CAST(who AS UUID) AS who")
            as_uuids.write_parquet(str(path))
        if twice is None:
            compare(path, Weak(bits))
            continue
        with pytest.raises(SordinoError, match=f"row {twice[1] + 1}, who: .* that of row {twice[0] + 1} again"):
            compare(path, Weak(bits))
