"""A blank line is found wherever it stands, whatever is read at once; of any other file all bytes are handed on."""

import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino import SordinoError
from sordino.tables import csv_file
from sordino.tables.csv_file import CsvFile

BLANK = re.compile(rb"(?:\A|\n)(?=\r?\n)")


def found(path):
    """The bytes of a file, or the line that is refused."""
    try:
        with CsvFile(path) as file, file.pipe() as name, open(name, "rb") as pipe:  # noqa: PTH123 - a pipe
            return pipe.read()
    except SordinoError as error:
        return int(re.search(r"blank lines; found line (\d+)", str(error))[1])


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@given(
    content=st.lists(st.sampled_from([b"\n", b"\r", b"a", b"a\n", b"bc\r\n"]), max_size=12),
    sizes=st.tuples(*[st.integers(1, 9)] * 3),
)
def test_the_first_blank_line_is_named(tmp_path_factory, ending, content, sizes):
    text = b"".join(content)
    path = tmp_path_factory.getbasetemp() / f"lines{ending}"
    path.write_bytes(gzip.compress(text, 1) if ending == ".csv.gz" else text)
    first = BLANK.search(text)
    with pytest.MonkeyPatch.context() as patch:
        for name, size in zip(("HEAD", "PIECE", "LONGEST"), sizes, strict=True):
            patch.setattr(csv_file, name, size)
        read = found(path)
        if first is not None:
            assert read == text.count(b"\n", 0, first.end()) + 1
        else:
            assert read in (text, text.replace(b"\r\n", b"\n"))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize(
    "text", [b'a,b\r\n1,yes\n2,"no\nway"\n', b"a,b\n1,yes\r\n2,no\n", b"a,b\r\n1,yes\r\n2,no\n"], ids=range(3)
)
def test_lines_that_end_in_two_ways_are_read(tmp_path, ending, text):
    """A header of one program above the rows of another."""
    path = tmp_path / f"mixed{ending}"
    path.write_bytes(gzip.compress(text, 1) if ending == ".csv.gz" else text)
    assert found(path) == text.replace(b"\r\n", b"\n")
    # Where all lines end alike no byte is changed, of a quoted value neither.
    alike = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    path.write_bytes(gzip.compress(alike, 1) if ending == ".csv.gz" else alike)
    assert found(path) == alike
