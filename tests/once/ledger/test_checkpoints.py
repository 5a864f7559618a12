"""Checkpoints: an ask reads little, decides as all lines would, and takes no checkpoint that does not fit."""

import random
import sqlite3
from contextlib import closing, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sordino import Ledger, SordinoError, ask
from sordino.once.journal.checkpoint import chain_hash, read_checkpoint, write_checkpoint
from sordino.once.journal.contents import sealed_meta
from sordino.once.journal.event import Event
from sordino.once.journal.journal_file import transaction
from sordino.once.ledger import reading
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord
from sordino.once.ledger.reading import read_part

OFTEN = 6
"""Lines between checkpoints here, so that short ledgers have them."""


def set_often(patch):
    patch.setattr(reading, "FIRST", OFTEN)
    patch.setattr(reading, "EVERY", OFTEN)


@pytest.fixture
def often(monkeypatch):
    set_often(monkeypatch)


def checkpoint_of(path):
    with transaction(path, write=False) as connection:
        key = reading.read_meta(connection)["key"]
        return read_checkpoint(connection, key)


def by_part(ledger, name="new"):
    """The balance that an ask decides by, and whether it took the checkpoint; an error where it finds damage."""
    with transaction(ledger.path, write=False) as connection:
        found = read_part(connection, ledger.terms, name, to="decide")
        if found.damage:
            raise SordinoError("a ledger must be whole", found="damage")
        return found.balance, found.checkpoint is not None


def assert_as_all_lines(ledger, *, taken=None):
    """Both ways of reading give the balance of all lines, to the last bit."""
    expected = ledger.balance(replay=True).content
    balance, found = by_part(ledger)
    assert balance.content == expected
    assert ledger.balance().content == expected
    assert taken in (None, found)


@pytest.fixture(scope="module")
def template(tmp_path_factory, terms, question, record, stop_at, stopped):
    """A ledger with a checkpoint, sent answers before and after it, and one that is stored."""
    ledger = Ledger.make(tmp_path_factory.mktemp("template") / "me.ledger", terms)
    with pytest.MonkeyPatch.context() as patch:
        set_often(patch)
        for place in range(8):
            values = record(age=44 if place < 3 else 45)
            ask(ledger, question(f"q{place}", ["sleep", "age", "both"][place % 3], "0.03"), values, lambda _: None)
        with pytest.raises(stopped):
            ask(Ledger(ledger.path, step=stop_at("stored")), question("stored", "against", "0.02"), values, print)
        assert 0 < checkpoint_of(ledger.path).lines < ledger.reading().head
    return ledger


@pytest.fixture
def used(template, often, copied_ledger):
    return copied_ledger(template)


def test_a_checkpoint_is_taken_and_says_what_all_lines_say(used):
    assert_as_all_lines(used, taken=True)
    assert used.verify() == "agrees"


CATEGORIES = {"smoker": {"categories": ["yes", "no"]}, "region": {"categories": ["north", "south", "west"]}}
DELTAS = {"smoker": CATEGORIES["smoker"] | {"delta": "0.5"}, "region": CATEGORIES["region"]}
MANY = {f"a{place}": {"categories": ["yes", "no", "other"]} for place in range(7)}


@pytest.mark.parametrize(
    "words",
    [{"attribute": CATEGORIES}, {"attribute": DELTAS, "dependence": {"rest": 0.2}}, {"attribute": MANY}],
    ids=["epsilon", "deltas", "many"],
)
def test_every_kind_of_filter_is_kept_exactly(tmp_path, often, words):
    terms = LedgerTerms.read({"version": 1, "epsilon": "1", **words})
    ledger, names = Ledger.make(tmp_path / "me.ledger", terms), list(terms.names)
    own = {name: words["attribute"][name]["categories"][0] for name in names}
    values = PersonRecord.read({"version": 1, "record": own}, terms)
    for place in range(7):
        tables = {"version": 1, "id": f"q{place}", "collector": "c", "epsilon": "0.05"}
        query = AskedQuery.read(tables | {"category": names[place % len(names)]}, terms)
        ask(ledger, query, values, lambda _: None)
        assert_as_all_lines(ledger)
    assert_as_all_lines(ledger, taken=True)


@settings(max_examples=settings.default.max_examples // 10, suppress_health_check=list(HealthCheck))
@given(
    asked=st.lists(
        st.tuples(
            st.sampled_from(["sleep", "against", "age", "both"]),
            st.sampled_from(["0.02", "0.2"]),
            st.sampled_from([44, 45]),
            st.sampled_from([None, None, None, "reserved", "stored", "noted"]),
        ),
        min_size=6,
        max_size=9,
    )
)
def test_the_standing_by_a_checkpoint_is_that_of_all_lines(
    tmp_path_factory, terms, often, question, record, stop_at, stopped, asked
):
    ledger = Ledger.make(tmp_path_factory.mktemp("any") / "me.ledger", terms)
    for place, (model, epsilon, age, point) in enumerate(asked):
        stopping = Ledger(ledger.path, step=stop_at(point))
        with suppress(stopped, SordinoError):
            ask(stopping, question(f"q{place}", model, epsilon), record(age=age), lambda _: None)
        assert_as_all_lines(ledger)


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_stop_between_any_two_steps_leaves_a_checkpoint_that_fits(
    ledger, often, question, record, stop_at, stopped, points, times
):
    taken = 0
    for place, point in enumerate([*points] * times):
        query = question(f"q{place}", "sleep", "0.01")
        with suppress(stopped):
            ask(Ledger(ledger.path, step=stop_at(point)), query, record(), lambda _: None)
        assert_as_all_lines(ledger)
        taken += by_part(ledger)[1]
        ask(ledger, query, record(), lambda _: None)
    assert taken > times * len(points) / 2


def rewritten(path, **changes):
    """A checkpoint with other words under a seal that fits."""
    with transaction(path, write=True) as connection:
        key = reading.read_meta(connection)["key"]
        found = read_checkpoint(connection, key)
        for name, value in changes.items():
            object.__setattr__(found, name, value)
        write_checkpoint(connection, key, found)


def execute(path, command, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(command, values)
        connection.commit()


@pytest.mark.parametrize("bits", [3, pytest.param(8, marks=pytest.mark.long)])
@pytest.mark.parametrize("part", ["state", "marks", "head"])
def test_a_checkpoint_with_a_flipped_bit_anywhere_is_not_taken(used, part, bits):
    with closing(sqlite3.connect(used.path)) as connection:
        ((content,),) = connection.execute(f"SELECT CAST({part} AS BLOB) FROM checkpoint").fetchall()  # noqa: S608
    rng = random.Random(part)
    for bit in rng.sample(range(8 * len(content)), bits):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        execute(used.path, f"UPDATE checkpoint SET {part} = ?", bytes(changed))  # noqa: S608 - a constant
        assert_as_all_lines(used, taken=False)


def test_a_checkpoint_of_another_state_than_was_sealed_is_not_taken(used):
    execute(used.path, "UPDATE checkpoint SET state = ?", used.balance().with_record("0" * 64).content)
    assert_as_all_lines(used, taken=False)


def test_a_checkpoint_without_its_seal_is_not_taken(used):
    execute(used.path, "UPDATE checkpoint SET seal = ''")
    assert_as_all_lines(used, taken=False)


def test_a_checkpoint_under_another_ledgers_key_is_not_taken(used):
    found = checkpoint_of(used.path)
    with transaction(used.path, write=True) as connection:
        write_checkpoint(connection, "00" * 32, found)
    assert_as_all_lines(used, taken=False)


def test_a_checkpoint_of_another_program_or_filter_is_not_taken(used, question, monkeypatch):
    rewritten(used.path, basis=f"other {checkpoint_of(used.path).basis}")
    assert_as_all_lines(used, taken=False)
    assert used.verify() == "differed"
    assert_as_all_lines(used, taken=True)
    monkeypatch.setattr(reading, "_versions", lambda: ("newer",))
    assert_as_all_lines(used, taken=False)


def test_a_checkpoint_that_differs_does_not_stay_where_none_can_be_kept(used, monkeypatch):
    rewritten(used.path, basis=f"other {checkpoint_of(used.path).basis}")
    monkeypatch.setattr(reading, "LARGEST", 0)
    assert used.verify() == "differed"
    assert checkpoint_of(used.path) is None
    assert used.verify() == "none"


@pytest.mark.parametrize("change", [{"last": "0" * 64}, {"lines": 7}, {"marks": b""}])
def test_a_checkpoint_of_other_lines_is_not_taken(used, change):
    rewritten(used.path, **change)
    assert_as_all_lines(used, taken=False)


def test_a_checkpoint_of_another_ledger_is_not_taken(used, tmp_path, terms, question, record):
    """Both have as many lines: what differs is what was asked."""
    other = Ledger.make(tmp_path / "other.ledger", terms)
    for place in range(8):
        ask(other, question(f"q{place}", "sleep", "0.01"), record(), lambda _: None)
    with closing(sqlite3.connect(other.path)) as connection:
        row = connection.execute("SELECT * FROM checkpoint").fetchone()
    execute(used.path, "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?, ?)", *row)
    assert_as_all_lines(used, taken=False)


def test_a_checkpoint_of_changed_lines_is_not_taken_by_who_reads_them_all(used):
    """A line is another one, under a seal that fits; all seals in turn give another hash."""
    code = Event.of_row(line(used.path, "event = 'sent' AND id = 'q0'")).body["code"]
    for event, body, secret in (("drawn", {}, str(1 - int(code))), ("sent", {"code": str(1 - int(code))}, "")):
        old = Event.of_row(line(used.path, "event = ? AND id = 'q0'", event))
        new = Event(old.sequence, event, "q0", body, secret, old.time)
        execute(used.path, "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", *new.row)
    assert used.contents().damage == ()
    assert chain_hash(used.contents().events[: checkpoint_of(used.path).lines]) != checkpoint_of(used.path).chain
    assert used.balance().content == used.balance(replay=True).content
    assert used.verify() == "differed"
    assert used.verify() == "agrees"
    assert_as_all_lines(used, taken=True)


def line(path, where, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return connection.execute(f"SELECT * FROM events WHERE {where}", values).fetchone()  # noqa: S608


def test_an_older_checkpoint_is_followed_by_the_lines_since(used, question, record):
    with closing(sqlite3.connect(used.path)) as connection:
        row = connection.execute("SELECT * FROM checkpoint").fetchone()
    for place in range(4):
        ask(used, question(f"later{place}", "both", "0.02"), record(age=45), lambda _: None)
    execute(used.path, "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?, ?)", *row)
    assert_as_all_lines(used, taken=True)


def test_a_checkpoint_ahead_of_the_lines_tells_that_lines_are_missing(used, question, record):
    """As if an older copy of the lines were put beside it: with the number of lines that they had."""
    head = checkpoint_of(used.path).lines - 1
    execute(used.path, "DELETE FROM events WHERE sequence > ?", head)
    with transaction(used.path, write=True) as connection:
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", sealed_meta({"head": str(head)}))
    assert "missing" in used.contents().damage[0]
    with pytest.raises(SordinoError, match="must be whole before anything new is asked"):
        ask(used, question("new", epsilon="0.01"), record(age=45), lambda _: pytest.fail("lines are missing"))


@pytest.mark.parametrize("event", ["asked", "drawn", "sent", "%"])
@pytest.mark.parametrize("lost", ["gone", "changed"])
def test_no_answer_that_is_lost_is_drawn_again(used, question, record, event, lost):
    """A line about the query that is asked again is read, wherever it stands; if it is lost, that is noticed."""
    known = used.entries().by_id["q0"]
    command = {
        "gone": "DELETE FROM events WHERE id = 'q0' AND event LIKE ?",
        "changed": "UPDATE events SET time = 'then' WHERE id = 'q0' AND event LIKE ?",
    }[lost]
    execute(used.path, command, event)
    arrived = []
    with suppress(SordinoError):
        ask(used, known.query, record(), arrived.append)
    assert [report.code for report in arrived] in ([], [known.code])
    assert not arrived or event != "%"
    assert used.contents().damage


def test_damage_to_an_old_line_is_counted_by_the_checkpoint(used, question, record):
    """Whoever does not need the line goes on, by a balance that counts it; whoever reads all finds the damage."""
    expected = used.balance().content
    execute(used.path, "UPDATE events SET body = '{}' WHERE id = 'q1' AND event = 'sent'")
    balance, taken = by_part(used)
    assert taken
    assert balance.content == expected
    assert used.trouble()


@pytest.mark.parametrize("times", [5, pytest.param(25, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["cut", "byte", "page"])
def test_damage_anywhere_gives_the_right_standing_or_none(used, tmp_path, record, kind, times):
    """Also where the damage is not noticed: nothing that was told is forgotten, no answer is another one."""
    expected, entries = used.balance().content, dict(used.entries().by_id)
    rng, whole = random.Random(kind), used.path.read_bytes()
    path = tmp_path / "copy.ledger"
    for _ in range(times):
        content = bytearray(whole)
        at = rng.randrange(len(content))
        if kind == "cut":
            del content[at:]
        elif kind == "byte":
            content[at] ^= rng.randrange(1, 256)
        else:
            at -= at % 4096
            content[at : at + 4096] = rng.randbytes(4096)
        path.write_bytes(content)
        path.chmod(0o600)
        ledger = Ledger(path)
        with suppress(SordinoError):
            assert by_part(ledger)[0].content == expected
        for name in ("q0", "q7", "stored"):
            arrived = []
            with suppress(SordinoError):
                ask(ledger, entries[name].query, record(age=45), arrived.append)
            assert [report.code for report in arrived] in ([], [entries[name].code])
        for each in tmp_path.glob("copy.ledger*"):
            each.unlink()


def test_a_page_of_an_earlier_time_gives_the_right_standing_or_none(used, tmp_path, question, record):
    path = tmp_path / "copy.ledger"
    before = used.path.read_bytes()
    for place in range(3):
        ask(used, question(f"later{place}", "both", "0.02"), record(age=45), lambda _: None)
    after, expected = used.path.read_bytes(), used.balance().content
    for at in range(0, len(before), 4096):
        path.write_bytes(after[:at] + before[at : at + 4096] + after[at + 4096 :])
        path.chmod(0o600)
        with suppress(SordinoError):
            assert by_part(Ledger(path))[0].content == expected
        for each in tmp_path.glob("copy.ledger*"):
            each.unlink()


def test_a_refusal_keeps_a_checkpoint_and_no_line(used, question, record):
    execute(used.path, "DROP TABLE checkpoint")
    before = used.contents()
    with pytest.raises(SordinoError, match="all answers together must reveal at most"):
        ask(used, question("large", epsilon="0.99"), record(age=45), print)
    assert used.contents() == before
    assert_as_all_lines(used, taken=True)


@pytest.fixture
def long_ledger(tmp_path, terms, question, record):
    """A function of a number to a ledger with so many answers."""

    def make(number):
        path = tmp_path / f"{number}.ledger"
        ledger = Ledger.make(path, terms)
        asked = [question(f"q{place}", "sleep", "0.0001") for place in range(number)]
        digest = record().digest(bytes.fromhex(ledger.contents().meta["key"]))
        events = [Event(1, "record", "1", {}, digest, "then")]
        for place, query in enumerate(asked):
            body, code = {"query": dict(query.document), "channel": query.fingerprint, "record": 1}, str(place % 2)
            for event, words, secret in (("asked", body, ""), ("drawn", {}, code), ("sent", {"code": code}, "")):
                events.append(Event(len(events) + 1, event, query.id, words, secret, "then"))
        with transaction(path, write=True) as connection:
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", [each.row for each in events])
            meta = sealed_meta({"head": str(len(events))})
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", meta)
        ask(ledger, question("first", "sleep", "0.0001"), record(), lambda _: None)
        return ledger

    return make


def test_the_work_of_an_ask_does_not_grow_with_a_ledgers_age(long_ledger, question, record, monkeypatch):
    """Lines that are read, and channels that are built, by one ask after few answers and after many."""
    counts = {"lines": 0, "channels": 0}
    of_row, of_document = Event.of_row.__func__, AskedQuery.of_document.__func__

    def counted_row(cls, row):
        counts["lines"] += 1
        return of_row(cls, row)

    def counted_document(cls, document, terms):
        counts["channels"] += 1
        return of_document(cls, document, terms)

    ledgers = {number: long_ledger(number) for number in (20, 80)}
    monkeypatch.setattr(Event, "of_row", classmethod(counted_row))
    monkeypatch.setattr(AskedQuery, "of_document", classmethod(counted_document))
    found = {}
    for number, ledger in ledgers.items():
        counts.update(lines=0, channels=0)
        for place in range(3):
            ask(Ledger(ledger.path), question(f"new{place}", "sleep", "0.0001"), record(), lambda _: None)
        found[number] = dict(counts)
    assert found[20] == found[80]
    assert found[80]["channels"] < 10
