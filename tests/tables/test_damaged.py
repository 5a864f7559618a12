"""Cut and ragged tables, full disks and users who stop: one message, and nothing is left behind."""

import gzip
import random
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commands import PATIENCE
from sordino import SordinoError
from sordino.tables.damage import require_not_stopped
from sordino.tables.reports import privatize_table, tally_table

MARKER = b"Zebra7731"
LINES = b"".join(b"%d,Zebra7731\n" % (i % 10) for i in range(200_000))

CONTENTS = {
    "empty": (b"", "empty"),
    "header only": (b"value,name\n", "no rows"),
    "header without line feed": (b"value,name", "no rows"),
    "no header": (b"Zebra7731,1\n2,3\n", "value"),
    "other header": (b"Value,name\n1,Zebra7731\n", "did you mean 'Value'?"),
    "semicolons": (b"value;name\n1;Zebra7731\n", "value"),
    "repeated column": (b"value,value\n1,Zebra7731\n", "once"),
    "too few fields": (b"value,name\n1,Zebra7731\n2\n", "columns in line 3"),
    "too many fields": (
        b"value,name\n1,Zebra7731\n2,Zebra7731,3\n",
        "columns in line 3: put values that hold a comma in double quotes, or get",
    ),
    "too few fields late": (b"value,name\n" + LINES + b"2\n" + LINES, "columns in line 200002"),
    "unterminated quote": (b'value,name\n1,x\n2,"Zebra7731\n', "quotation mark"),
    "a row that reads like an interrupt": (b'value,name\n1,x\ninterrupted,"Zebra7731\n', "quotation mark"),
    "unterminated quote early": (b'value,name\n1,"Zebra7731\n' + LINES, "whole .csv table"),
    "text after a quote": (b'value,name\n1,x\n2,"Zebra7731"Zebra7731\n', "whole .csv table"),
    "blank line": (b"value,name\n1,Zebra7731\n\n2,x\n", "blank lines; found line 3"),
    "blank line at the end": (b"value,name\r\n1,Zebra7731\r\n\r\n", "blank lines; found line 3"),
    "blank line late": (b"value,name\n" + LINES + b"\n" + LINES, "blank lines; found line 200002"),
    "a line of three megabytes": (b"value,name\n1," + b"Zebra7731" * 333_333 + b"\n", "too long in line 2"),
    "not UTF-8": (b"value,name\n1,Zebra7731\xff\n", "not UTF-8 text: save it as UTF-8, or get the file again"),
    "not UTF-8 late": (b"value,name\n" + LINES + b"Zebra7731\xff,1\n", "UTF-8 text in line 200002"),
    "not UTF-8 in the header": (b"value,Zebra7731\xff\n1,2\n", "UTF-8"),
    "UTF-16": ("value,name\n1,Zebra7731\n".encode("utf-16"), "UTF-8"),
    "gzip by another name": (gzip.compress(b"value,name\n1,Zebra7731\n"), "UTF-8"),
}


def damaged(run, listing, plan, data, output):
    """Privatize through the command line; returns the message of the refusal."""
    plan.save(data.parent / "plan.json")
    before = listing()
    code, out, err = run("privatize", data.parent / "plan.json", data, "-o", output)
    assert (code in (2, 4), out) == (True, "")
    assert (code == 4) == ("must be a whole" in err)
    assert listing() == before
    assert MARKER.decode() not in err
    assert str(data) in err
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(("content", "words"), CONTENTS.values(), ids=CONTENTS)
def test_a_damaged_csv_file(tmp_path, numbered, run, listing, content, words):
    (tmp_path / "people.csv").write_bytes(content)
    assert words in damaged(run, listing, numbered, tmp_path / "people.csv", tmp_path / "r.csv")


@pytest.mark.each_value
@pytest.mark.parametrize("output", ["r.csv", "r.csv.gz", "r.parquet"])
@pytest.mark.parametrize("part", [1, 18, 0.3, 0.999, -9, -1], ids=str)
def test_a_cut_gzip_file(tmp_path, numbered, run, listing, output, part):
    whole = gzip.compress(b"value,name\n" + LINES, 1)
    length = int(part * len(whole)) if isinstance(part, float) else part
    (tmp_path / "people.csv.gz").write_bytes(whole[:length])
    assert "cut" in damaged(run, listing, numbered, tmp_path / "people.csv.gz", tmp_path / output)


@pytest.mark.parametrize("place", [0.5, -6], ids=["in the middle", "in the checksum"])
def test_a_gzip_file_with_one_wrong_bit(tmp_path, numbered, run, listing, place):
    content = bytearray(gzip.compress(b"value,name\n" + LINES, 0))
    content[int(place * len(content)) if isinstance(place, float) else place] ^= 1
    (tmp_path / "people.csv.gz").write_bytes(content)
    message = damaged(run, listing, numbered, tmp_path / "people.csv.gz", tmp_path / "r.csv")
    assert "whole .csv.gz table" in message


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("seed", range(4))
def test_a_gzip_file_with_wrong_bits_anywhere(tmp_path, numbered, run, listing, seed):
    """In its header, its tables of codes, its text: the decompressor has errors of its own for each."""
    draw = random.Random(seed)
    rows = b"".join(b"%d,Zebra7731 %d\n" % (i % 10, draw.getrandbits(30)) for i in range(2000))
    whole = gzip.compress(b"value,name\n" + rows, 9)
    path, messages = tmp_path / "people.csv.gz", set()
    places = [*range(0, 10, 2), *(draw.randrange(10, len(whole)) for _ in range(8))]
    for place in places:
        content = bytearray(whole)
        content[place] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
        before = listing()
        for command in (privatize_table, lambda plan, data, _: tally_table(plan, [data])):
            try:
                command(numbered, path, tmp_path / "r.csv")
            except SordinoError as error:
                messages.add(str(error))
            else:
                # A wrong time or a flag of the header: the text is whole.
                assert place < 10
                (tmp_path / "r.csv").unlink(missing_ok=True)
            assert listing() == before
    assert not any(MARKER.decode() in message for message in messages)
    assert any("whole .csv.gz table" in message for message in messages)


def test_a_gzip_file_that_is_none(tmp_path, numbered, run, listing):
    (tmp_path / "people.csv.gz").write_bytes(b"value,name\n1,Zebra7731\n")
    assert "whole .csv.gz table" in damaged(run, listing, numbered, tmp_path / "people.csv.gz", tmp_path / "r.csv")


@pytest.mark.parametrize("part", [0, 3, 100, 0.5, 0.99, -1], ids=str)
def test_a_cut_parquet_file(tmp_path, numbered, run, listing, part):
    table = pa.table({"value": [i % 10 for i in range(20_000)], "name": [MARKER.decode()] * 20_000})
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=1000)
    whole = (tmp_path / "people.parquet").read_bytes()
    (tmp_path / "people.parquet").write_bytes(whole[: int(part * len(whole)) if isinstance(part, float) else part])
    message = damaged(run, listing, numbered, tmp_path / "people.parquet", tmp_path / "r.parquet")
    assert "whole .parquet table" in message


def test_a_parquet_file_with_damaged_pages(tmp_path, numbered, run, listing):
    pq.write_table(pa.table({"value": list(range(10)) * 20_000}), tmp_path / "people.parquet", use_dictionary=False)
    whole = bytearray((tmp_path / "people.parquet").read_bytes())
    whole[50:5_000] = bytes(len(whole[50:5_000]))
    (tmp_path / "people.parquet").write_bytes(whole)
    damaged(run, listing, numbered, tmp_path / "people.parquet", tmp_path / "r.parquet")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"Value": [1]}, "did you mean"),
        ({"name": [1]}, "value"),
        ({"value": pa.array([], pa.int64())}, "no rows"),
        ({"value": [True]}, "number"),
        ({"value": [[1]]}, "number"),
        ({"value": pa.array([1]).cast(pa.timestamp("s"))}, "number"),
    ],
    ids=["spelling", "another column", "no rows", "truths", "lists", "times"],
)
def test_a_parquet_file_of_other_columns(tmp_path, numbered, run, listing, columns, words):
    pq.write_table(pa.table(columns), tmp_path / "people.parquet")
    assert words in damaged(run, listing, numbered, tmp_path / "people.parquet", tmp_path / "r.csv")


@pytest.mark.parametrize("name", ["none.csv", "folder.csv", "people.txt", "people", "people[1].csv", "people*.csv"])
def test_a_file_that_is_no_table(tmp_path, numbered, name):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "people1.csv").write_text("value\n1\n")
    for other in ("people.txt", "people", "people[1].csv", "people*.csv"):
        (tmp_path / other).write_text("value\n1\n")
    with pytest.raises(SordinoError, match=r"must be a file|must end in|must have no"):
        privatize_table(numbered, tmp_path / name, tmp_path / "r.csv")
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.parametrize("error", [duckdb.InterruptException("INTERRUPT Error"), RuntimeError("Query interrupted")])
def test_an_interrupt_of_duckdb_is_the_users(error):
    with pytest.raises(KeyboardInterrupt):
        require_not_stopped(error)
    require_not_stopped(duckdb.InvalidInputException("Query interrupted"))


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_stopped_in_the_middle_nothing_is_left(tmp_path, numbered, write_rows, listing, ending, error):
    data = write_rows(tmp_path / "people.csv", {"value": [1] * 300_000})
    before, seen = listing(), []

    def stop(rows):
        seen.append(rows)
        if len(seen) == 2:
            raise error

    with pytest.raises(error):
        privatize_table(numbered, data, tmp_path / f"r{ending}", stop)
    assert sum(seen) == 2 * 131_072
    assert listing() == before


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from sordino.cli.main import main
sys.argv = ["sordino", *sys.argv[1:]]
main()
"""


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("ending", [".csv", pytest.param(".csv.gz", marks=pytest.mark.long), ".parquet"])
def test_a_full_disk_leaves_nothing(tmp_path, numbered, write_rows, listing, ending):
    # A limit on the size of files stands in for a full disk.
    numbered.save(tmp_path / "plan.json")
    data = write_rows(tmp_path / "people.csv", {"value": [i % 10 for i in range(300_000)]})
    before = listing()
    command = [sys.executable, "-c", FULL, "privatize", tmp_path / "plan.json", data, "-o", tmp_path / f"r{ending}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (5, "")
    assert f"r{ending} must be possible to write; found file too large" in done.stderr
    assert listing() == before
