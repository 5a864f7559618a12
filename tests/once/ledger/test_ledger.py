"""One ledger, step by step: who may open it, what belongs to an id, what a changed record costs, what a clock does."""

import os
import sqlite3
import stat
import sys
from contextlib import closing, contextmanager
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from math import exp, log

import pytest

from sordino import LDP, BayesianFilter, Ledger, RefusedError, SordinoError, ask
from sordino.once.ledger.ledger_query import AskedQuery
from sordino.once.ledger.ledger_terms import LedgerTerms
from sordino.once.ledger.person_record import PersonRecord


def answer(ledger, query, values):
    return ask(ledger, query, values, lambda _: None)


def test_an_answer_is_reserved_drawn_and_sent_in_this_order(ledger, question, record):
    steps = []
    watched = Ledger(ledger.path, step=steps.append)
    ask(watched, question("q"), record(), lambda _: steps.append("SEND"))
    order = ["reserved", "drawn", "stored", "settled", "SEND", "noted"]
    assert [step for step in steps if step in order] == order


def test_the_same_query_has_the_same_answer_for_ever(ledger, question, record):
    queries = [question(f"q{i}", "sleep", "0.02") for i in range(12)]
    first = [answer(ledger, query, record()) for query in queries]
    assert not any(report.again for report in first)
    again = [answer(ledger, query, record(age=20)) for query in reversed(queries)]
    assert [report.code for report in reversed(again)] == [report.code for report in first]
    assert all(report.again for report in again)
    assert len(ledger.entries().versions) == 2, "what is only sent again tells nothing about a changed record"


@pytest.mark.parametrize(
    "other", [{"epsilon": "0.05"}, {"model": "age"}, {"collector": "somebody"}], ids=["epsilon", "model", "collector"]
)
def test_an_id_belongs_to_one_query(ledger, question, record, other):
    answer(ledger, question("q", epsilon="0.1"), record())
    before = ledger.contents()
    with pytest.raises(SordinoError, match="must belong to one query for ever"):
        answer(ledger, question("q", **({"epsilon": "0.1"} | other)), record())
    assert ledger.contents() == before


def test_a_refusal_changes_nothing_and_smaller_queries_still_pass(ledger, question, record):
    answer(ledger, question("a", epsilon="0.9"), record())
    before = ledger.contents()
    for values in (record(), record(age=45)):
        with pytest.raises(RefusedError, match="must reveal at most 1 nat; found up to"):
            answer(ledger, question("b", "age", "0.2"), values)
    assert ledger.contents() == before
    answer(ledger, question("b", "age", "0.05"), record())


OUTSIDE = PersonRecord((44.0, 17.731))


def test_a_record_outside_the_terms_is_refused_before_any_query_is_looked_at(ledger, question, record):
    answer(ledger, question("known", epsilon="0.1"), record())
    for query in (question("known", epsilon="0.1"), question("known", epsilon="0.2"), question("new", "age")):
        with pytest.raises(
            SordinoError, match="'sleep' must lie between 0 and 12; found a number out of range"
        ) as refusal:
            answer(ledger, query, OUTSIDE)
        assert "17.7" not in str(refusal.value)
        with pytest.raises(SordinoError, match="'sleep' must lie"):
            query.draw(OUTSIDE)


def refusals(ledger, query, records):
    """What somebody reads whose record is asked; an answer is the empty text."""
    found = set()
    for values in records:
        try:
            answer(ledger, query, values)
        except SordinoError as error:
            found.add(str(error))
        else:
            found.add("")
    return found


def test_the_words_of_a_refusal_do_not_depend_on_the_record(ledger, terms, record):
    tables = {"version": 1, "id": "q", "collector": "c", "epsilon": "0.1"}
    query = AskedQuery.read(tables | {"linear": {"theta": {"sleep": 1}, "low": 2, "high": 5}}, terms)
    (words,) = refusals(ledger, query, [record(sleep=sleep) for sleep in (0, 2, 4, 6.5, 12)])
    assert words == (
        "the statistic must stay between 2 and 5 on the box; found 0 to 12, 7 too far: "
        "widen low and high, or ask it truncated."
    )
    assert not ledger.contents().events


@contextmanager
def lines_run():
    """The lines of the package that a block runs, one after the other."""
    lines = []

    def trace(frame, event, _):
        if "/sordino/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            lines.append((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(before)


def test_a_refusal_takes_the_same_steps_for_all_records_and_undelivered_answers(tmp_path, terms, question, record):
    """How long it takes tells nothing of them: counted in lines, whatever was drawn and did not arrive."""
    refused, given = question("b", "age", "0.5"), question("a", "both", "0.9")

    def lost(_):
        raise ConnectionError

    found, codes = [], set()
    records = [record(age, sleep) for age, sleep in ((18, 0), (44, 7.5), (44.25, 12), (90, 1e-9))]
    for place, values in enumerate([records[0], *records * 5]):
        ledger = Ledger.make(tmp_path / f"{place:02}.ledger", terms)
        with pytest.raises(ConnectionError):
            ask(ledger, given, values, lost)
        codes.add(ledger.find("a").code)
        with lines_run() as lines, pytest.raises(RefusedError, match="must reveal at most 1 nat"):
            answer(Ledger(ledger.path), refused, values)
        found.append(tuple(lines))
    # What is worked out once and kept, the first one worked out.
    assert len(set(found[1:])) == 1
    assert len(found[1]) > 100
    assert codes == {0, 1}


def test_a_ledger_is_not_read_by_refusals(tmp_path):
    """A search by halves: the statistic of records above t, and of no others, was rounded beyond its upper end."""
    tables = {"version": 1, "epsilon": "1", "attribute": {"x": {"number": {"low": 0, "high": 1}}}}
    terms = LedgerTerms.read(tables)
    ledger = Ledger.make(tmp_path / "x.ledger", terms)
    records = [PersonRecord((secret,)) for secret in (0.731234567891, 0.9199, 0.5123)]
    for step, limit in enumerate((0.5, 0.75, 0.625, 0.6875, 0.71875, 0.734375)):
        model = {"theta": {"x": 128 / limit}, "intercept": 2.0**60, "low": 2.0**60 - 2**20, "high": 2.0**60}
        asked = {"version": 1, "id": f"q{step}", "collector": "c", "epsilon": "0.000001", "linear": model}
        (words,) = refusals(ledger, AskedQuery.read(asked, terms), records)
        assert "known to a billionth of its range" in words
    assert not ledger.contents().events


def test_whole_numbers_of_any_size_are_answered_alike(tmp_path):
    """numpy takes integers from 2^64 up for objects: such a record was refused once its query was reserved."""
    tables = {"version": 1, "epsilon": "1", "attribute": {"x": {"number": {"low": 0, "high": 1e40}}}}
    terms = LedgerTerms.read(tables)
    model = {"theta": {"x": 1}, "low": 0, "high": 1e40}
    asked = {"version": 1, "id": "q", "collector": "c", "epsilon": "0.1", "linear": model}
    query = AskedQuery.read(asked, terms)
    for place, number in enumerate((0, 1.5, 2**31, 2**63, 2**64, 10**30, 10**40)):
        assert answer(Ledger.make(tmp_path / f"{place}.ledger", terms), query, PersonRecord((number,))).code in {0, 1}


@pytest.mark.parametrize("value", [True, Fraction(44), Decimal(44), "44", None, 10**400])
def test_what_is_no_number_is_refused_before_anything_is_reserved(ledger, question, value):
    with pytest.raises(SordinoError, match="the record's 'age' must"):
        answer(ledger, question("q", "both"), PersonRecord((value, 7.5)))
    assert not ledger.contents().events


def of_two(codes, epsilon):
    """What two answers about the same number tell: as much as both, or how far the middle is from the ends."""
    high = 1 / (1 + exp(-epsilon))
    return 2 * epsilon if codes[0] == codes[1] else log(0.25 / (high * (1 - high)))


def test_versions_of_a_record_add_and_never_cancel(ledger, question, record):
    codes = [answer(ledger, question(f"q{i}", epsilon="0.3"), record()).code for i in range(2)]
    first = ledger.balance().joint.spent
    assert first == pytest.approx(of_two(codes, 0.3), abs=1e-6)
    changed = record(sleep=7.25)
    codes = [answer(ledger, question(f"r{i}", epsilon="0.2"), changed).code for i in range(2)]
    assert ledger.balance().joint.spent == pytest.approx(first + of_two(codes, 0.2), abs=1e-6)
    assert [entry.record for entry in ledger.entries().by_id.values()] == [1, 1, 2, 2]


def test_a_changed_record_cannot_make_up_for_what_was_told(ledger, question, record, told):
    """One answer of 0.7 about each version: against the same record they may cancel, here they add to 1.4."""
    answer(ledger, question("a", epsilon="0.7"), record())
    with pytest.raises(RefusedError):
        answer(ledger, question("b", "against", "0.7"), record(sleep=3))
    answer(ledger, question("b", "against", "0.299"), record(sleep=3))
    assert told(ledger.entries().by_id.values()) == pytest.approx(0.999)


def test_a_record_that_changes_back_is_another_version_again(ledger, question, record):
    for place, values in enumerate([record(), record(age=45), record()]):
        answer(ledger, question(f"q{place}", epsilon="0.3"), values)
    assert [entry.record for entry in ledger.entries().by_id.values()] == [1, 2, 3]
    assert ledger.balance().joint.spent == pytest.approx(0.9)


def test_open_answers_about_an_earlier_version_are_spent_in_full(ledger, question, record, stop_at, stopped):
    asked = [("a", "sleep"), ("b", "against")]
    for name, model in asked:
        with pytest.raises(stopped):
            ask(Ledger(ledger.path, step=stop_at("stored")), question(name, model, "0.3"), record(), print)
    answer(ledger, question("c", "age", "0.1"), record(age=45))
    assert ledger.balance().joint.spent == pytest.approx(0.7)
    with pytest.raises(RefusedError):
        ledger.reserve(question("d", "age", "0.35"), record(age=45))
    # They can still be delivered, and then tell what they tell.
    codes = [answer(ledger, question(name, model, "0.3"), record(age=45)).code for name, model in asked]
    told = of_two([codes[0], 1 - codes[1]], 0.3)
    assert ledger.balance().joint.spent == pytest.approx(0.1 + told, abs=1e-6)


def test_a_reservation_is_never_answered_about_another_record(ledger, question, record, stop_at, stopped):
    with pytest.raises(stopped):
        ask(Ledger(ledger.path, step=stop_at("reserved")), question("a"), record(), print)
    for values in (record(age=45), record(sleep=1)):
        with pytest.raises(SordinoError, match="about the record that it was reserved for"):
            answer(ledger, question("a"), values)
    assert not answer(ledger, question("a"), record()).again


def test_a_clock_that_goes_backwards_changes_no_order(ledger, question, record):
    times = iter(["2030-01-01T00:00:00+00:00", "1999-12-31T23:59:59+00:00"] * 10)
    shaken = Ledger(ledger.path, clock=lambda: next(times))
    for place in range(3):
        answer(shaken, question(f"q{place}", epsilon="0.05"), record())
    assert list(ledger.entries().by_id) == ["q0", "q1", "q2"]
    assert [event.sequence for event in ledger.contents().events] == list(range(1, 11))
    assert ledger.contents().damage == ()


def test_only_the_owner_can_open_it(ledger, question, record, tmp_path):
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    modes = []

    def look(step):
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir())

    ask(Ledger(ledger.path, step=look), question("q"), record(), lambda _: None)
    assert set(modes) == {0o600}
    assert len(modes) > 20
    ledger.path.chmod(0o640)
    with pytest.raises(SordinoError, match="open to its owner only; found mode 0640: chmod 600 it"):
        Ledger.open(ledger.path)


def test_a_second_name_is_refused(ledger, tmp_path):
    os.link(ledger.path, tmp_path / "other.ledger")
    with pytest.raises(SordinoError, match="must have one name; found 2"):
        ledger.contents()


def test_nothing_is_overwritten(ledger, terms):
    with pytest.raises(SordinoError, match="must not exist yet"):
        Ledger.make(ledger.path, terms)
    assert [path.name for path in ledger.path.parent.iterdir()] == ["me.ledger"]


REFUSED = {
    2: "which an older Sordino wrote: use the Sordino that wrote it",
    4: "which a newer Sordino wrote: use a newer",
}


@pytest.mark.parametrize("in_header", [2, 3, 4])
@pytest.mark.parametrize("version", REFUSED)
def test_another_version_is_refused(ledger, version, in_header):
    """It stands in the header, and sealed beside the lines, so that a damaged header is not taken for one."""
    seal = sha256(f'{{"parts":["version","{version}"]}}'.encode()).hexdigest()
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(f"PRAGMA user_version = {in_header}")
        connection.execute("UPDATE meta SET value = ?, seal = ? WHERE name = 'version'", (str(version), seal))
        connection.commit()
    with pytest.raises(SordinoError, match=f"of version 3; found version {version}, {REFUSED[version]}"):
        Ledger.open(ledger.path)


@pytest.mark.parametrize("version", REFUSED)
@pytest.mark.parametrize("change", ["ALTER TABLE meta RENAME TO other", "UPDATE meta SET seal = upper(seal)"])
def test_another_version_of_other_tables_is_refused(ledger, change, version):
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(change)
        connection.commit()
    with pytest.raises(SordinoError, match=f"of version 3; found version {version}, {REFUSED[version]}"):
        Ledger.open(ledger.path)


def test_other_files_are_no_ledgers(tmp_path, terms):
    path = tmp_path / "other"
    with pytest.raises(SordinoError, match="must be possible to read; found no such file"):
        Ledger.open(path)
    path.write_text("a text")
    path.chmod(0o600)
    with pytest.raises(SordinoError, match="must be"):
        Ledger.open(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    path.chmod(0o600)
    with pytest.raises(SordinoError, match="must be a ledger; found a different file"):
        Ledger.open(path)
    with pytest.raises(SordinoError, match="must be a ledger"):
        Ledger.open(tmp_path)


def test_the_record_is_nowhere_in_the_file(ledger, question, record):
    values = record(age=41.123456789, sleep=7.987654321)
    answer(ledger, question("q"), values)
    content = ledger.path.read_bytes()
    for value in values.values:
        assert repr(value).encode() not in content
        assert value.hex().encode() not in content
    assert "41.1" not in repr(values)


def test_the_hash_of_the_record_is_keyed(ledger, terms, question, record, tmp_path):
    other = Ledger.make(tmp_path / "other.ledger", terms)
    digests = set()
    for each in (ledger, other):
        answer(each, question("q"), record())
        digests.add(each.entries().versions[-1].digest)
    assert len(digests) == 2


def test_a_query_of_another_ledger_is_refused(ledger, record):
    """The same words about other ranges, or about attributes in another order, build another channel."""
    tables = {"age": {"number": {"low": 18, "high": 90}}, "zest": {"number": {"low": 0, "high": 12}}}
    terms = LedgerTerms.read({"version": 1, "epsilon": "1", "attribute": tables})
    model = {"linear": {"theta": {"age": 1}, "low": 18, "high": 90}}
    query = AskedQuery.read({"version": 1, "id": "q", "collector": "c", "epsilon": "0.1", **model}, terms)
    for use in (lambda: answer(ledger, query, record()), lambda: ledger.decide(query)):
        with pytest.raises(SordinoError, match="read by the ledger's own terms"):
            use()


def test_a_record_outside_its_ranges_is_refused(ledger, question):
    """Evidence is bounded over the ranges only."""
    outside = PersonRecord((17.0, 7.5))
    before = ledger.contents()
    with pytest.raises(SordinoError, match="'age' must lie between 18 and 90"):
        answer(ledger, question("q", "both"), outside)
    assert ledger.contents() == before


def test_a_statistic_that_can_leave_its_range_is_refused_by_how_much(ledger, terms, record):
    tables = {"version": 1, "id": "q", "collector": "c", "epsilon": "0.1"}
    query = AskedQuery.read(tables | {"linear": {"theta": {"sleep": 1}, "low": 0, "high": 10}}, terms)
    with pytest.raises(SordinoError, match="found 0 to 12, 2 too far: widen low and high, or ask it truncated"):
        answer(ledger, query, record())
    assert ledger.entries().by_id == {}


def test_decisions_that_would_be_others_today_close_a_ledger(ledger, question, record, monkeypatch):
    """As after an update of the filter that proves less: what was asked stays asked, nothing new is."""
    first = [answer(ledger, question(f"q{i}", "both", "0.4"), record()).code for i in range(2)]
    with monkeypatch.context() as patch:
        patch.setattr(LedgerTerms, "filter", lambda terms: BayesianFilter(terms.domain, LDP("0.5")))
        assert "its decisions" in ledger.trouble()[0]
        with pytest.raises(SordinoError, match="must be accepted by the filter as they were"):
            answer(ledger, question("new", "age", "0.01"), record())
        again = [answer(ledger, question(f"q{i}", "both", "0.4"), record()) for i in range(2)]
        assert [(report.code, report.again) for report in again] == [(code, True) for code in first]
    assert ledger.trouble() == ()
