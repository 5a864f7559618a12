"""Files of every kind with bytes changed, cut out, doubled or from elsewhere: a clear error, and no half file."""

import re
import shutil

import pytest

from commands import run_here
from sordino.cli.exits import EXIT_CODES

pytestmark = pytest.mark.faults

SURVEY = """\
version = 1
epsilon = "1"
[attribute.colour]
categories = ["red", "green", "blue, dark"]
[[ask]]
histogram = "colour"
"""
TERMS = """\
version = 1
[terms]
epsilon = "1"
[attribute.colour]
categories = ["red", "green", "blue, dark"]
"""
RECORD = 'version = 1\n[record]\ncolour = "red"\n'
RARE = "48151623421"
"""Stands in the data, and must stand in no message."""

MADE = [
    "plan survey.toml --people 1000 -o plan.json",
    "privatize plan.json people.csv -o reports.csv --key key --id id",
    "privatize plan.json people.csv -o reports.parquet",
    "aggregate plan.json reports.csv -o tally.json",
]
READERS = {
    "survey.toml": ["plan survey.toml --people 1000 -o new.json"],
    "plan.json": ["certify plan.json", "explain plan.json", "report plan.json record.toml"],
    "people.csv": ["privatize plan.json people.csv -o new.csv --key key --id id"],
    "key": ["privatize plan.json people.csv -o new.csv --key key --id id"],
    "record.toml": ["report plan.json record.toml"],
    "reports.csv": ["aggregate plan.json reports.csv -o new.json", "estimate plan.json reports.csv"],
    "reports.parquet": ["aggregate plan.json reports.parquet -o new.json", "estimate plan.json reports.parquet"],
    "tally.json": ["estimate plan.json tally.json", "aggregate plan.json tally.json -o new.json"],
}
TOKENS = [b"", b"\0", b"\xff\xfe", b"\r", b"\n\n", b'"', b"[", b"{", b"1e999", b"-0", b"nan", b"null", b"\x1b[2J", b","]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A folder with a file of each kind."""
    root = tmp_path_factory.mktemp("good")
    (root / "survey.toml").write_text(SURVEY)
    (root / "record.toml").write_text(RECORD)
    rows = [f"{colour},{RARE}{place}" for place, colour in enumerate(["red", "green", '"blue, dark"'] * 100)]
    (root / "people.csv").write_text("\n".join(["colour,id", *rows, ""]))
    for words in MADE:
        code, _, errors = run_here(*words.split(), folder=root)
        assert code == 0, errors
    return root


def changed(content, other, draw):
    """Some bytes in another way."""
    place, end = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    near = min(place + draw.randrange(1, 9), len(content))
    before, here, after = content[:place], content[place:near], content[near:]
    return draw.choice(
        [
            before,
            before + after,
            content[:end] + content[place:],
            before + draw.randbytes(len(here)) + after,
            before + bytes(byte ^ 1 << draw.randrange(8) for byte in here) + after,
            before + draw.choice(TOKENS) + here + after,
            before + draw.choice(TOKENS) + after,
            before + other[place:],
        ]
    )


def test_a_changed_file_is_read_or_refused_in_words(good, tmp_path, tries, dice):
    for number, draw in enumerate(dice(0.1)):
        name = draw.choice([*READERS])
        folder = tmp_path / str(number % 10)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder)
        other = (good / draw.choice([*READERS])).read_bytes()
        content = (good / name).read_bytes()
        for _ in range(draw.choice([1, 1, 1, 2, 5])):
            content = changed(content, other, draw)
        (folder / name).write_bytes(content)
        words = draw.choice(READERS[name])
        with tries(f"read: {name}").one(f"try {number}, {words}"):
            before = {path.name for path in folder.iterdir()}
            code, _, errors = run_here(*words.split(), folder=folder)
            assert code in (0, *EXIT_CODES.values()), errors
            left = {path.name for path in folder.iterdir()} - before
            assert left <= ({"new.json", "new.csv"} if code == 0 else set()), left
            assert "Traceback" not in errors
            assert RARE not in errors, errors
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", errors), repr(errors)
