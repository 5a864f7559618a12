"""Reports as rows of bytes: those of the documented form are read at once, whatever else stands as any table is."""

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_one import in_one
from sordino import SordinoError
from sordino.tables import reports
from sordino.tables.reports import HEADER, OtherRowsError, ReportRows, privatize_table, tally_table

TAG = 98_765
LASTS = [0, 120, 99_999_999, 10**8, 10**16 - 1, 10**16, 2**64 - 1]


def documented(rows, codes):
    """Rows by the letter of the reference: 20 digits, a comma, as many digits as the largest code has."""
    return "".join(f"{rows.tag:020},{code:0{len(str(rows.last))}}\n" for code in codes).encode()


def read(rows, content, at_once=7):
    """The codes of all rows before one that is no row of the plan, and whether there is one."""
    found = []
    try:
        for codes in rows.read(io.BytesIO(HEADER + content), at_once):
            assert codes.dtype == np.uint64
            found += codes.tolist()
    except OtherRowsError:
        return found, True
    return found, False


@pytest.mark.parametrize("last", LASTS)
@settings(max_examples=settings.default.max_examples // 2)
@given(st.data())
def test_rows_are_written_and_read_as_documented(last, data):
    rows = ReportRows(data.draw(st.integers(0, 2**64 - 1)), last)
    edges = st.sampled_from([0, last, last // 2, last // 10])
    codes = data.draw(st.lists(st.integers(0, last) | edges, max_size=30))
    content = rows.encode_rows(np.array(codes, dtype=np.uint64))
    assert content == documented(rows, codes)
    assert read(rows, content, data.draw(st.integers(1, 40))) == (codes, False)


@pytest.mark.parametrize("last", LASTS)
@settings(max_examples=settings.default.max_examples // 2)
@given(st.data())
def test_one_wrong_byte_anywhere_is_noticed(last, data):
    rows = ReportRows(TAG, last)
    codes = data.draw(st.lists(st.integers(0, last), min_size=1, max_size=9))
    content = bytearray(documented(rows, codes))
    place, byte = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 255))
    row, at = divmod(place, rows.width)
    before = content[place]
    content[place] = byte
    digits = bytes(content[row * rows.width + 21 : (row + 1) * rows.width - 1])
    if at > 20 and place % rows.width < rows.width - 1 and digits.isdigit() and int(digits) <= last:
        # Another code of the plan: no row tells that it was another.
        codes[row] = int(digits)
        assert read(rows, bytes(content)) == (codes, False)
    else:
        assert read(rows, bytes(content)) == ((codes[:row], True) if byte != before else (codes, False))


@pytest.mark.parametrize("digits", [1, 9, 17])
def test_every_sign_that_is_no_digit_is_noticed(digits):
    rows = ReportRows(TAG, min(10**digits - 1, 2**64 - 1))
    for at in range(digits):
        right = documented(rows, [0])
        others = [right[: 21 + at] + bytes([byte]) + right[22 + at :] for byte in range(256) if not 48 <= byte <= 57]
        assert all(read(rows, other) == ([], True) for other in others)
        for byte in range(48, 58):
            code = (byte - 48) * 10 ** (digits - 1 - at)
            good = code <= rows.last
            assert read(rows, right[: 21 + at] + bytes([byte]) + right[22 + at :]) == ([code] * good, not good)


@in_one("last", LASTS[1:])
def test_codes_beyond_the_last_are_noticed(last):
    rows = ReportRows(TAG, last)
    largest = 10 ** len(str(last)) - 1
    for code in {min(last + 1, largest), min(last + 10**16, largest), min(last + 2**64, largest), largest} - {last}:
        assert read(rows, documented(rows, [last, code, 0])) == ([last], True)


@in_one("cut", range(1, 24))
def test_a_part_of_a_row_is_noticed(cut):
    rows = ReportRows(TAG, 99)
    content = documented(rows, [5] * 10)
    assert read(rows, content[:-cut]) == ([5] * 9, True)
    assert read(rows, content + content[: rows.width - cut]) == ([5] * 10, True)


@in_one("header", [b"", b"plan,code", b"plan,code\r\n", b"\xef\xbb\xbfplan,code\n", b"code,plan\n"])
def test_another_header_is_noticed(header):
    with pytest.raises(OtherRowsError):
        list(ReportRows(TAG, 9).read(io.BytesIO(header), 5))


def pack(path, content):
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def quoted(line):
    return ",".join(f'"{field}"' for field in line.split(","))


FORMS = {
    "as written": lambda lines: "\n".join(lines) + "\n",
    "carriage returns": lambda lines: "\r\n".join(lines) + "\r\n",
    "byte order mark": lambda lines: "\ufeff" + "\n".join(lines) + "\n",
    "quoted": lambda lines: "\n".join(map(quoted, lines)) + "\n",
    "quoted names": lambda lines: "\n".join([quoted(lines[0]), *lines[1:]]) + "\n",
    "one quoted row": lambda lines: "\n".join([*lines[:900], quoted(lines[900]), *lines[901:]]) + "\n",
    "another column before": lambda lines: "".join(f"{i or 'n'},{line}\n" for i, line in enumerate(lines)),
    "another column after": lambda lines: (
        "\n".join(f"{line},{'when' if i == 0 else i}" for i, line in enumerate(lines)) + "\n"
    ),
    "columns in another order": lambda lines: "\n".join(",".join(line.split(",")[::-1]) for line in lines) + "\n",
    "tags without zeros": lambda lines: "\n".join(line.lstrip("0") for line in lines) + "\n",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_the_same_reports_in_any_form_have_one_tally(tmp_path, numbered, monkeypatch, ending, form):
    monkeypatch.setattr(reports, "ROWS", 700)
    codes = np.random.default_rng(1).integers(10, size=3000)
    lines = ["plan,code", *(f"{numbered.tag:020},{code}" for code in codes.tolist())]
    path = pack(tmp_path / f"r{ending}", form(lines).encode())
    assert tally_table(numbered, [path]).counts.tolist() == np.bincount(codes, minlength=10).tolist()


DAMAGES = {
    "a short row": (lambda row: row[:-1], "a code must be one of the plan's"),
    "a long row": (lambda row: row + "7", "a code must be one of the plan's"),
    "a row of one column": (lambda row: row[:20], "must be a whole"),
    "a row of three columns": (lambda row: row + ",7", "must be a whole"),
    "a letter": (lambda row: row[:-1] + "x", "a code must be one of the plan's"),
    "another plan": (lambda row: row[:19] + str((int(row[19]) + 1) % 10) + row[20:], "must belong to the plan"),
    "nothing": (lambda row: row[:0], "must have no blank lines; found line"),
}


@pytest.mark.each_value
@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("row", [1, 700, 701, 2999, 3000])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_damaged_row_is_named(tmp_path, numbered, monkeypatch, ending, row, damage, words):
    monkeypatch.setattr(reports, "ROWS", 700)
    lines = ["plan,code", *[f"{numbered.tag:020},{code % 10}" for code in range(3000)]]
    lines[row] = damage(lines[row])
    path = pack(tmp_path / f"r{ending}", "\n".join([*lines, ""]).encode())
    with pytest.raises(SordinoError) as caught:
        tally_table(numbered, [path])
    assert words in str(caught.value)
    assert f"row {row}:" in str(caught.value) or f"line {row + 1}" in str(caught.value)


def test_rows_as_written_are_read_as_bytes_alone(tmp_path, numbered, write_rows, monkeypatch):
    """Once, and without the parser of tables."""
    data = write_rows(tmp_path / "people.csv", {"value": [i % 10 for i in range(3000)]})
    for ending in (".csv", ".csv.gz"):
        privatize_table(numbered, data, tmp_path / f"r{ending}")
    monkeypatch.setattr(reports, "read_batches", None)
    assert tally_table(numbered, [tmp_path / "r.csv", tmp_path / "r.csv.gz"]).n == 6000
