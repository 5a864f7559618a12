"""A Parquet file whose columns have names that are no text is damaged, whoever looks at it."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sordino import SordinoError
from sordino.errors import DamagedError
from sordino.tables.duckdb import header
from sordino.tables.jobs.pieces import pieces_of
from sordino.tables.table_file import count_rows


@pytest.fixture(params=[0, 1, 2, 3])
def path(request, tmp_path):
    """A file in which one of the places where a name stands has a byte that is no UTF-8."""
    made = tmp_path / "people.parquet"
    pq.write_table(pa.table({"unlikely": [1, 2]}), made)
    content = made.read_bytes()
    places = [place for place in range(len(content)) if content.startswith(b"unlikely", place)]
    place = places[min(request.param, len(places) - 1)]
    made.write_bytes(content[:place] + b"\xd0" + content[place + 1 :])
    return made


def test_its_rows_are_counted_or_not(path):
    assert count_rows(path) in (2, None)


@pytest.mark.parametrize("look", [pieces_of, header])
def test_it_is_refused_in_words_or_read(path, look):
    try:
        look(path)
    except SordinoError as error:
        assert isinstance(error, DamagedError)  # noqa: PT017 - by some of its readers only
