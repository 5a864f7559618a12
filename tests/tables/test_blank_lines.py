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
        assert found(path) == (text if first is None else text.count(b"\n", 0, first.end()) + 1)
