"""Plans, tables written by others' writers, and reports read by others' readers."""

import csv
import gzip
import io
import os

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from surveys import planned

ENDINGS = (".csv", ".csv.gz", ".parquet")


def make_plan(attribute, epsilon="1", name="value"):
    tables = {"version": 1, "epsilon": epsilon, "attribute": {name: attribute}, "ask": [{"histogram": name}]}
    return planned(tables)


def make_plan_of(attributes, epsilon="1", people=1000, **weights):
    asks = [{"histogram": name, "weight": weights.get(name, 1)} for name in attributes]
    return planned({"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": asks}, people)


def write_rows(path, columns):
    """Write a mapping of names to lists: quoted where needed by the standard library, or by pyarrow."""
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
        return path
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def read_codes(path):
    """Tags and codes of a report file as Python whole numbers, and its raw table."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
    else:
        texts = pc.ConvertOptions(column_types={"plan": pa.string(), "code": pa.string()})
        table = pc.read_csv(path, convert_options=texts)
    assert table.column_names == ["plan", "code"]
    tags, codes = ([int(item) for item in table[name].to_pylist()] for name in table.column_names)
    return tags, np.array(codes), table


@pytest.fixture(name="make_plan", scope="session")
def make_plan_fixture():
    """A plan for one attribute."""
    return make_plan


@pytest.fixture(name="make_plan_of", scope="session")
def make_plan_of_fixture():
    """A plan for several attributes, each asked with its weight."""
    return make_plan_of


@pytest.fixture(name="write_rows", scope="session")
def write_rows_fixture():
    """Write columns as a table."""
    return write_rows


@pytest.fixture(name="read_codes", scope="session")
def read_codes_fixture():
    """Read reports without Sordino."""
    return read_codes


@pytest.fixture(params=[pytest.param(each, marks=pytest.mark.long if each == ".csv.gz" else ()) for each in ENDINGS])
def ending(request):
    """Each format of tables."""
    return request.param


@pytest.fixture(scope="session")
def numbered():
    """Ten numbered values."""
    return make_plan({"categories": 10}, epsilon="4")


@pytest.fixture(scope="session")
def named():
    """Four names that need care."""
    return make_plan({"categories": ["red, dark", 'the "blue"', "gr\u00fcn \u2603", " none"]})


@pytest.fixture(scope="session")
def grid():
    """Five by five cells of two degrees."""
    return make_plan({"grid": {"south": 0, "north": 10, "west": -10, "east": 0, "rows": 5, "columns": 5}})


@pytest.fixture
def listing(tmp_path):
    """What stands in the test's folder: names, hidden ones too, and contents."""
    return lambda: {name: (tmp_path / name).read_bytes() for name in sorted(os.listdir(tmp_path))}  # noqa: PTH208
