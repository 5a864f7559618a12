"""A blank line is found wherever it stands, whatever is read at once."""

import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sordino.errors import SordinoError
from sordino.tables import damage

BLANK = re.compile(rb"(?:\A|\n)(?=\r?\n)")


def found(path):
    """The line that is refused; 0 if none is."""
    try:
        damage.refuse_blank_lines(path)
    except SordinoError as error:
        return int(re.search(r"blank lines; found line (\d+)", str(error))[1])
    return 0


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@given(content=st.lists(st.sampled_from([b"\n", b"\r", b"a", b"a\n", b"bc\r\n"]), max_size=12), piece=st.integers(1, 9))
def test_the_first_blank_line_is_named(tmp_path_factory, ending, content, piece):
    text = b"".join(content)
    path = tmp_path_factory.getbasetemp() / f"lines{ending}"
    path.write_bytes(gzip.compress(text, 1) if ending == ".csv.gz" else text)
    first = BLANK.search(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(damage, "PIECE", piece)
        assert found(path) == (0 if first is None else text.count(b"\n", 0, first.end()) + 1)
