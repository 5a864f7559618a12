"""Small files are read as they are: nested too deep, too large, in little memory; and written whole or not at all."""

import json
import os
import stat
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from sordino import Plan, SordinoError, Survey
from sordino.document.files import LARGEST_FILE, json_object, read_json, read_text, read_toml, replace_whole
from sordino.errors import DamagedError
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.survey.planning.statement import load_statement

DEEP_TOML = {
    "lists": "x = " + "[" * 5000 + "]" * 5000,
    "tables": "x = " + "{ a = " * 5000 + "1" + " }" * 5000,
    "names": ".".join(["a"] * 5000) + " = 1",
    "headers": "[" + ".".join(["a"] * 5000) + "]",
    "a hundred lists": "x = " + "[" * 100 + "]" * 100,
}
DEEP_JSON = {
    "lists": '{"x": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "objects": '{"x": ' * 5000 + "1" + "}" * 5000,
    "a hundred lists": '{"x": ' + "[" * 100 + "]" * 100 + "}",
}
TERMS = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": {"a": {"categories": ["x", "y"]}}})
TOML_READERS = {
    "survey": Survey.load,
    "terms": LedgerTerms.load,
    "query": lambda path: AskedQuery.load(path, TERMS),
    "record": lambda path: PersonRecord.load(path, TERMS),
}
JSON_READERS = {"plan": Plan.load, "statement": load_statement, "json": read_json}


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("text", DEEP_TOML.values(), ids=DEEP_TOML)
@pytest.mark.parametrize("reader", TOML_READERS.values(), ids=TOML_READERS)
def test_deep_toml_is_one_mistake(tmp_path, reader, text):
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(SordinoError, match="64 tables within each other"):
        reader(path)


@pytest.mark.parametrize("text", DEEP_JSON.values(), ids=DEEP_JSON)
@pytest.mark.parametrize("reader", JSON_READERS.values(), ids=JSON_READERS)
def test_deep_json_is_one_mistake(tmp_path, reader, text):
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(SordinoError, match="64 tables within each other"):
        reader(path)


def test_what_people_write_is_not_deep(tmp_path):
    nested = {"x": [[[{"y": [[1]]}]]]}
    (tmp_path / "x.json").write_text(json.dumps(nested))
    (tmp_path / "x.toml").write_text("x = [[[{ y = [[1]] }]]]")
    assert read_json(tmp_path / "x.json") == read_toml(tmp_path / "x.toml") == nested


def test_a_small_file_takes_little_memory(tmp_path):
    (tmp_path / "small").write_text("a" * 1000)
    tracemalloc.start()
    try:
        assert len(read_text(tmp_path / "small")) == 1000
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_an_endless_or_huge_file_is_refused(tmp_path, monkeypatch):
    assert LARGEST_FILE == 256 << 20
    monkeypatch.setattr("sordino.document.files.LARGEST_FILE", 3 << 20)
    (tmp_path / "large").write_bytes(bytes(3 << 20))
    assert len(read_text(tmp_path / "large")) == 3 << 20
    (tmp_path / "huge").write_bytes(bytes((3 << 20) + 1))
    for endless in (tmp_path / "huge", Path("/dev/zero")):
        with pytest.raises(SordinoError, match="256 MiB"):
            read_text(endless)


BOM = "\ufeff"


def test_a_byte_order_mark_is_read_over(tmp_path):
    survey = 'version = 1\nepsilon = "1"\n[attribute.a]\ncategories = ["x", "y"]\n'
    texts = {
        "survey": (Survey.load, survey + '[[ask]]\nhistogram = "a"\n'),
        "terms": (LedgerTerms.load, survey),
        "query": (TOML_READERS["query"], 'version = 1\nid = "1"\ncollector = "c"\nepsilon = "1"\ncategory = "a"\n'),
        "record": (TOML_READERS["record"], 'version = 1\n[record]\na = "x"\n'),
        "json": (read_json, '{"a": 1}'),
    }
    for name, (read, text) in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "marked").write_text(BOM + text, encoding="utf-8")
        marked, plain = read(tmp_path / "marked"), read(tmp_path / name)
        assert marked == plain or repr(marked) == repr(plain), name


def test_a_plan_is_its_bytes_and_has_no_byte_order_mark(tmp_path):
    survey = {"version": 1, "epsilon": "1", "attribute": {"a": {"categories": 2}}, "ask": [{"histogram": "a"}]}
    plan = Plan.of(Survey.read(survey), 9)
    (tmp_path / "plan").write_bytes(plan.bytes)
    assert Plan.load(tmp_path / "plan").hash == plan.hash
    (tmp_path / "plan").write_bytes(BOM.encode() + plan.bytes)
    with pytest.raises(DamagedError, match="must be a JSON file; found a mistake in line 1"):
        Plan.load(tmp_path / "plan")


def test_utf_16_is_named(tmp_path):
    (tmp_path / "survey.toml").write_text("version = 1\n", encoding="utf-16")
    with pytest.raises(SordinoError, match="must be UTF-8 text; found UTF-16: save it as UTF-8"):
        Survey.load(tmp_path / "survey.toml")


@pytest.mark.parametrize("ends_well", [True, False])
def test_what_is_half_written_is_open_to_its_owner_only(tmp_path, ends_well):
    """A process that is killed leaves it so."""
    before = os.umask(0)
    try:
        with suppress(KeyboardInterrupt), replace_whole(tmp_path / "reports.csv") as temporary:
            temporary.write_text("half")
            (kept,) = tmp_path.iterdir()
            assert temporary.is_relative_to(kept)
            assert stat.S_IMODE(kept.stat().st_mode) == 0o700
            if not ends_well:
                raise KeyboardInterrupt
    finally:
        os.umask(before)
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert found == ({"reports.csv": 0o666} if ends_well else {})


@pytest.mark.parametrize("number", [2**64 + 1, -(2**64) - 1, 10**400])
def test_a_whole_number_that_no_field_means_is_refused(number):
    assert json_object(f'{{"a": {2**64}}}', "it") == {"a": 2**64}
    with pytest.raises(DamagedError, match="it must be a JSON file; found an absurd number"):
        json_object(f'{{"a": [{number}]}}', "it")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1\nb = “yes”\n", "found curly quotes at line 2, column 5: put texts in straight quotes"),
        ('a = ["x", „y“]', "found curly quotes at line 1, column 11"),
        ('a = "yes\nb = 1\n', "found a quote that is missing at line 1"),
        ('a = 1\nb = ["yes", "no]', "found a quote that is missing in its last line: put texts in quotes at both ends"),
        ("a = 'yes", "found a quote that is missing"),
        ("a = 0,5", "found a decimal comma at line 1, column 6: write numbers with a point, as 0.5"),
        ("a = yes", "found a text without quotes at line 1, column 5"),
        ('a = ["x", y]', "found a text without quotes at line 1, column 11"),
        ("a: 1", 'found a colon at line 1, column 2: write an equal sign, as title = "Us"'),
        ("""a = "don't" "x" """, "found Expected newline"),
        ("a = 1\na = 2", "found Cannot overwrite a value"),
    ],
)
def test_a_mistake_in_toml_names_what_is_there(tmp_path, text, words):
    path = tmp_path / "survey.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SordinoError) as refused:
        Survey.load(path)
    assert words in str(refused.value)
    # Of a person's own file nothing is named but the place.
    with pytest.raises(SordinoError) as refused:
        read_toml(path, private=True)
    assert refused.value.found.startswith("a mistake")
