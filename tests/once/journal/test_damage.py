"""Files that are cut or changed anywhere: what is whole is kept, nothing is answered anew, nothing is drawn again."""

import json
import os
import random
import resource
import sqlite3
import subprocess
from contextlib import closing, suppress
from hashlib import sha256

import pytest

from commands import PATIENCE, in_child
from sordino import Ledger, SordinoError, ask
from sordino.once.journal.journal_file import transaction
from waits import ended

RESENT = ("q0", "q13", "stored")
"""Answers that are asked for again."""


@pytest.fixture(scope="module")
def used(tmp_path_factory, terms, question, record, stop_at, stopped):
    """A ledger with answers that were sent, one that was stored, one that is reserved; and its entries."""
    path = tmp_path_factory.mktemp("used") / "me.ledger"
    ledger = Ledger.make(path, terms)
    for place in range(14):
        ask(ledger, question(f"q{place}", "sleep", "0.01"), record(), lambda _: None)
    for name, point in [("stored", "stored"), ("reserved", "reserved")]:
        with pytest.raises(stopped):
            ask(Ledger(path, step=stop_at(point)), question(name, "both", "0.05"), record(), print)
    assert path.stat().st_size > 20_000
    return path, dict(ledger.entries().by_id)


@pytest.fixture
def copied(used, tmp_path):
    """A function that changes the bytes of a fresh copy."""
    path = tmp_path / "me.ledger"

    def change(edit):
        content = bytearray(used[0].read_bytes())
        edit(content)
        path.write_bytes(content)
        path.chmod(0o600)
        return Ledger(path)

    return change


def examine(ledger, original, question, record):
    """Whether a damaged ledger noticed; whatever it did, it may not ask anew or change an answer."""
    never = [question(name, "both", "0.05") for name in ("reserved", "new")]
    try:
        contents = Ledger(ledger.path).contents()
        entries = ledger.entries().by_id
    except SordinoError:
        contents, entries = None, {}
    whole = contents is not None and contents.damage == ()
    if whole:
        assert dict(entries) == original, "damage that is not noticed has changed nothing"
        return False
    for name, entry in entries.items():
        expected = original[name]
        assert entry.query == expected.query
        assert entry.code in (None, expected.code)
        arrived = []
        if entry.code is not None and name in RESENT:
            ask(ledger, entry.query, record(), arrived.append)
            assert [report.code for report in arrived] == [expected.code]
    for query in never:
        with pytest.raises(SordinoError):
            ask(ledger, query, record(), lambda _: pytest.fail("a damaged ledger may not answer anew"))
    lost = next((entry.query for name, entry in original.items() if name not in entries), None)
    if lost is not None:
        with pytest.raises(SordinoError):
            ask(ledger, lost, record(), lambda _: pytest.fail("a lost answer may not be drawn again"))
    return True


@pytest.mark.each_value
@pytest.mark.parametrize("cases", [16, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["cut", "byte", "page"])
def test_damage_anywhere(used, copied, question, record, kind, cases):
    rng = random.Random(kind)
    noticed = kept = 0
    for _ in range(cases):

        def edit(content):
            at = rng.randrange(len(content))
            if kind == "cut":
                del content[at:]
            elif kind == "byte":
                content[at] ^= rng.randrange(1, 256)
            else:
                content[at : at + 4096] = rng.randbytes(min(4096, len(content) - at))

        ledger = copied(edit)
        noticed += examine(ledger, used[1], question, record)
        with suppress(SordinoError):
            kept += bool(ledger.entries().by_id)
        for ending in ("-wal", "-shm"):
            ledger.path.with_name(ledger.path.name + ending).unlink(missing_ok=True)
    assert noticed >= (cases if kind != "byte" else cases // 4)
    assert kept > cases // 10


def flips(content, bits):
    """Some bits of a file turned around."""
    for bit in bits:
        content[bit // 8] ^= 1 << bit % 8


@pytest.mark.parametrize("every", [61, pytest.param(1, marks=pytest.mark.long)])
def test_a_flipped_bit_in_the_header_hides_no_answer(used, copied, question, record, every):
    """What stands there is known, or not needed: each stored answer is sent again, and nothing new is answered."""
    new, answered = [question(name, "both", "0.05") for name in ("reserved", "new")], 0
    for bit in range(0, 800, every):
        ledger = copied(lambda content: flips(content, [bit]))  # noqa: B023 - runs at once
        entries = ledger.entries().by_id
        assert {name: entry.code for name, entry in entries.items()} == {
            name: entry.code for name, entry in used[1].items()
        }
        for name in RESENT:
            arrived = []
            ask(ledger, entries[name].query, record(), arrived.append)
            assert [report.code for report in arrived] == [used[1][name].code]
        if not ledger.contents().damage:
            # What nothing depends on, like the numbers of changes.
            answered += 1
            continue
        for query in new:
            with pytest.raises(SordinoError, match="must be whole"):
                ask(ledger, query, record(), lambda _: pytest.fail("a damaged ledger may not answer anew"))
    assert answered < 800 / every / 2


@pytest.mark.parametrize("bits", [range(800), range(16 * 8, 40 * 8), [60 * 8 + 7], [28 * 8 + 1, 68 * 8]])
def test_a_header_of_other_bits_hides_no_answer(used, copied, question, record, bits):
    ledger = copied(lambda content: flips(content, bits))
    assert examine(ledger, used[1], question, record)
    assert set(ledger.entries().by_id) == set(used[1])


def test_the_memory_of_reading_what_is_damaged_is_a_few_times_the_file(used, copied):
    """A flipped bit says that there are a billion pages."""
    ledger = copied(lambda content: flips(content, [28 * 8 + 6, 60 * 8]))

    def measure():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert len(Ledger(ledger.path).entries().by_id) == len(used[1])
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 << 10

    assert os.waitstatus_to_exitcode(ended(in_child(measure))) == 0


def test_a_lost_last_line_is_noticed(used, copied, question, record):
    """Without its last line a ledger looks whole but for the number of lines."""
    ledger = copied(lambda content: None)
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("DELETE FROM events WHERE sequence = (SELECT MAX(sequence) FROM events)")
        connection.commit()
    assert "missing" in ledger.contents().damage[0]
    assert examine(ledger, used[1], question, record)


def test_a_changed_line_is_noticed(used, copied, question, record):
    ledger = copied(lambda content: None)
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(
            "UPDATE events SET secret = CASE secret WHEN '0' THEN '1' ELSE '0' END WHERE event = 'drawn'"
        )
        connection.commit()
    assert "lines" in ledger.contents().damage[0]
    assert examine(ledger, used[1], question, record)
    with pytest.raises(SordinoError, match="must be whole before anything new is asked; found damage to"):
        ask(ledger, question("new"), record(), print)
    with pytest.raises(SordinoError, match="must be whole"):
        ledger.decide(question("new"))


@pytest.mark.parametrize("last", ["stored", "delivered"])
def test_a_log_that_is_cut_loses_nothing_that_was_sent(tmp_path, ledger, question, record, stop_at, stopped, last):
    """As long as somebody has the file open, the log stays: with what came after the last answer was sent."""
    arrived, folder = [], tmp_path / "cut"
    folder.mkdir()
    log = ledger.path.with_name(ledger.path.name + "-wal")
    with closing(sqlite3.connect(ledger.path)) as reader:
        reader.execute("SELECT * FROM meta").fetchall()
        for place, point in enumerate(["noted", "delivered", "noting", "noted", "reserved", last]):
            query = question(f"q{place}", epsilon="0.01")
            with pytest.raises(stopped):
                ask(Ledger(ledger.path, step=stop_at(point)), query, record(), arrived.append)
        subprocess.run(["cp", ledger.path, log, tmp_path / "cut"], check=True, timeout=PATIENCE)
    whole, others = (folder / log.name).read_bytes(), (folder / ledger.path.name).read_bytes()
    assert (last, len(whole) > 20_000) in {("stored", True), ("delivered", False)}
    assert len(arrived) == 4 + (last == "delivered")
    found = set()
    for end in [0, *range(24, len(whole) + 1, 700), len(whole)]:
        (folder / log.name).write_bytes(whole[:end])
        entries = Ledger(folder / ledger.path.name).entries().by_id
        assert all(entries[report.query.id].code == report.code for report in arrived)
        found.add(len(entries))
        for path in folder.iterdir():
            path.unlink()
        (folder / ledger.path.name).write_bytes(others)
        (folder / ledger.path.name).chmod(0o600)
    # What was only reserved or stored may be lost.
    assert found == ({4, 5, 6} if last == "stored" else {6})


@pytest.mark.each_value
@pytest.mark.parametrize("wrong", [None, 7, "text", [], {}, {"query": 7}, {"query": {"id": "q"}}, {"code": [1]}])
@pytest.mark.parametrize("event", ["asked", "sent"])
def test_a_line_of_another_kind_is_damage_even_where_its_hash_is_right(used, copied, question, record, event, wrong):
    ledger = copied(lambda content: None)
    with closing(sqlite3.connect(ledger.path)) as connection:
        *row, _ = connection.execute("SELECT * FROM events WHERE event = ? LIMIT 1", (event,)).fetchone()
        seal = sha256(json.dumps({"parts": [*row[:3], wrong, *row[4:]]}, separators=(",", ":")).encode()).hexdigest()
        connection.execute("UPDATE events SET body = ?, seal = ? WHERE sequence = ?", (json.dumps(wrong), seal, row[0]))
        connection.commit()
    assert ledger.contents().damage == ("1 of its lines",)
    assert examine(ledger, used[1], question, record)


@pytest.mark.parametrize(("name", "wrong"), [("key", "k"), ("head", "-1"), ("head", "many"), ("copy", "maybe")])
def test_a_text_of_another_form_is_damage_even_where_its_hash_is_right(used, copied, question, record, name, wrong):
    ledger = copied(lambda content: None)
    seal = sha256(json.dumps({"parts": [name, wrong]}, separators=(",", ":")).encode()).hexdigest()
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("UPDATE meta SET value = ?, seal = ? WHERE name = ?", (wrong, seal, name))
        connection.commit()
    assert ledger.contents().damage == (f"its {name}",)
    assert examine(ledger, used[1], question, record)


@pytest.mark.parametrize("wrong", ["", "[]", "{", "[" * 100_000, '{"format":"sordino ledger","version":1}'])
def test_terms_of_another_kind_are_a_clear_error(used, copied, wrong):
    ledger = copied(lambda content: None)
    seal = sha256(json.dumps({"parts": ["terms", wrong]}, separators=(",", ":")).encode()).hexdigest()
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("UPDATE meta SET value = ?, seal = ? WHERE name = 'terms'", (wrong, seal))
        connection.commit()
    with pytest.raises(SordinoError, match=r"terms must be|must be a ledger; found a store of answers"):
        Ledger.open(ledger.path)


def test_no_message_quotes_a_file_whose_tables_are_others(copied):
    def rewrite(content):
        place = content.index(b"CREATE TABLE events (")
        content[place : place + 21] = b"CREATE TABLE Zebra73 "

    ledger = copied(rewrite)
    with (
        pytest.raises(SordinoError, match="must be a whole ledger; found broken tables") as caught,
        transaction(ledger.path, write=False) as connection,
    ):
        connection.execute("SELECT * FROM events").fetchall()
    assert "Zebra" not in str(caught.value)


def test_no_message_quotes_what_is_not_there(used):
    with (
        pytest.raises(SordinoError, match="found tables of another form") as caught,
        transaction(used[0], write=False) as connection,
    ):
        connection.execute("SELECT Zebra73 FROM events")
    assert "Zebra" not in str(caught.value)
