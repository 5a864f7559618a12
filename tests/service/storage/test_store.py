"""A store of reports: each once, none lost that was acknowledged."""

import sqlite3
import sys

import numpy as np
import pytest

from commands import started
from reports_sent import make_plan, uploaded
from sordino import RefusedError, SordinoError
from sordino.errors import DamagedError, UnavailableError
from sordino.service.storage.database import VERSION
from sordino.service.storage.store import ReportStore
from sordino.service.storage.uploaded_reports import MOST_NAMED, Upload
from waits import line_of


@pytest.fixture
def store(opened, plan):
    return opened(plan)


@pytest.fixture
def in_file(tmp_path, plan):
    """A store in a file, whatever others are in."""
    held = ReportStore.open(tmp_path / "reports.sqlite", plan)
    yield held
    held.close()


def held_by(store):
    (found,) = store.collections.values()
    return found


def counts(store):
    return held_by(store).aggregate.counts.tolist()


def test_reports_are_counted_once_however_often_they_come(store):
    first, second = uploaded([0, 1, 1, 3]), uploaded([2, 2], first=4)
    (receipt,) = held_by(store).add([first])
    assert (receipt.accepted, receipt.repeated, receipt.failed) == (4, 0, ())
    again, new, part = held_by(store).add([first, second, uploaded([3, 3], first=3)])
    assert (again.accepted, again.repeated) == (0, 4)
    assert (new.accepted, new.repeated) == (2, 0)
    # Report 3 is known with this code, report 4 with another.
    assert (part.accepted, part.repeated, part.failed) == (0, 1, ((1, "an id must belong to one report"),))
    assert counts(store) == [1, 2, 2, 1]


def test_one_id_twice_in_an_upload_is_one_report_if_its_code_is_one(store):
    ids = [bytes(16), bytes(16), bytes(15) + b"\1", bytes(15) + b"\1"]
    (receipt,) = held_by(store).add([Upload(b"".join(ids), np.array([1, 1, 2, 3], dtype=np.uint64))])
    assert (receipt.accepted, receipt.repeated) == (2, 1)
    assert [place for place, _ in receipt.failed] == [3]
    assert counts(store) == [0, 1, 1, 0]


def test_a_receipt_names_the_first_failures_and_counts_all(store):
    held_by(store).add([uploaded([1] * 1000)])
    codes = [(1, 9, 2, 2)[place % 4] for place in range(1000)]
    (receipt,) = held_by(store).add([uploaded(codes)])
    assert (receipt.accepted, receipt.repeated, receipt.failures) == (0, 250, 750)
    assert [place for place, _ in receipt.failed] == [place for place in range(1000) if place % 4][:MOST_NAMED]
    rules = {9: "a code must be one that the plan can send", 2: "an id must belong to one report"}
    assert [rule for _, rule in receipt.failed] == [rules[codes[place]] for place, _ in receipt.failed]


def test_what_no_report_can_be_fails_alone(store):
    (receipt,) = held_by(store).add([uploaded([0, 4, 2**64 - 1, 2])])
    assert (receipt.accepted, [place for place, _ in receipt.failed]) == (2, [1, 2])
    assert counts(store) == [1, 0, 1, 0]


def test_codes_of_64_bits_come_back_as_they_were(opened):
    plan = make_plan(64, "0.5")
    assert plan.sampled.code_bits == 64
    codes = plan.questions[0].query.mechanism.privatize(np.arange(64))
    held = opened(plan)
    held_by(held).add([Upload(b"".join(bytes([n] * 16) for n in range(64)), codes)])
    assert np.concatenate(list(held_by(held).codes())).tolist() == codes.tolist()
    assert counts(opened(plan)) == plan.sampled.tally(codes).counts.tolist()


def test_a_store_that_is_opened_again_goes_on(opened, plan, store):
    held_by(store).add([uploaded([0, 1, 2])])
    again = opened(plan)
    assert counts(again) == [1, 1, 1, 0]
    assert held_by(again).add([uploaded([0, 1, 2, 3])])[0].accepted == 1
    assert [each.plan for each in again.served_plans] == [plan.hash]


def test_a_closed_store_takes_nothing_for_ever(opened, plan, store):
    held_by(store).add([uploaded([0])])
    held_by(store).close_to_reports()
    with pytest.raises(RefusedError, match="closed plan takes no reports"):
        held_by(store).add([uploaded([1], first=1)])
    again = opened(plan)
    with pytest.raises(RefusedError, match="closed plan takes no reports"):
        held_by(again).add([uploaded([1], first=1)])
    assert counts(again) == [1, 0, 0, 0]


def test_a_store_is_of_one_plan_and_of_one_collector(tmp_path, plan, other, in_file):
    with pytest.raises(UnavailableError, match="another process that has it open"):
        ReportStore.open(tmp_path / "reports.sqlite", plan)
    in_file.close()
    with pytest.raises(SordinoError, match="those of another"):
        ReportStore.open(tmp_path / "reports.sqlite", other)
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at" * 100)
    with pytest.raises(DamagedError, match="whole SQLite file"):
        ReportStore.open(tmp_path / "text", plan)
    for name, statement, words in (
        ("other", "CREATE TABLE things (x)", "a different database"),
        (
            "newer",
            f"PRAGMA user_version = {VERSION + 1}",
            f"version {VERSION}; found {VERSION + 1}: serve it by the ver",
        ),
        (
            "older",
            f"PRAGMA user_version = {VERSION - 1}",
            f"version {VERSION}; found {VERSION - 1}: serve it by the ver",
        ),
    ):
        if name != "other":
            ReportStore.open(tmp_path / name, plan).close()
        connection = sqlite3.connect(tmp_path / name)
        connection.execute(statement)
        connection.close()
        with pytest.raises(SordinoError, match=words):
            ReportStore.open(tmp_path / name, plan)


def test_the_token_is_told_once_and_never_kept(tmp_path, in_file):
    token = in_file.new_token()
    assert in_file.new_token() is None
    assert in_file.tokens.holder_of(token).role == "operator"
    assert in_file.tokens.holder_of(token[:-1]) is None
    assert in_file.tokens.holder_of("") is None
    in_file.close()
    assert token.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


WRITING = """
import sys, resource
import numpy as np
from pathlib import Path
from sordino.service.storage.uploaded_reports import MOST_NAMED, Upload
from sordino.service.storage.store import ReportStore
from sordino.survey.planning.plan import Plan
store = ReportStore.open(Path(sys.argv[1]), Plan.load(sys.argv[2]))
for n in range(int(sys.argv[3]), 10**9):
    ids = [(1000 * n + i).to_bytes(16, "big") for i in range(1000)]
    store.collections[store.served_plans[0].plan].add([Upload(b"".join(ids), np.full(1000, n % 4, dtype=np.uint64))])
    print(n, flush=True)
"""


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.long)])
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path, plan, kills):
    plan.save(tmp_path / "plan.json")
    path, begun = tmp_path / "reports.sqlite", 0
    for _ in range(kills):
        command = [sys.executable, "-c", WRITING, str(path), str(tmp_path / "plan.json"), str(begun)]
        with started(command, stderr=None) as process:
            said = [int(line_of(process)) for _ in range(4)]
            process.kill()
            said += [int(line) for line in process.stdout.read().split()]
        store = ReportStore.open(path, plan)
        # What was told is there; what was being written is there whole, or not at all.
        assert held_by(store).aggregate.n % 1000 == 0
        assert held_by(store).aggregate.n // 1000 - 1 in (said[-1], said[-1] + 1)
        begun = held_by(store).aggregate.n // 1000
        store.close()


def test_a_disk_without_room_keeps_what_was_acknowledged(tmp_path, plan, in_file):
    held_by(in_file).add([uploaded([0, 1])])
    in_file._database._connection.execute("PRAGMA max_page_count = 60")
    uploads = (uploaded([n % 4] * 1000, first=2 + 1000 * n) for n in range(100))
    with pytest.raises(UnavailableError, match="full"):
        all(held_by(in_file).add([upload]) for upload in uploads)
    kept = held_by(in_file).aggregate.n
    in_file.close()
    again = ReportStore.open(tmp_path / "reports.sqlite", plan)
    assert held_by(again).aggregate.n == kept > 2
    again.close()


def test_a_place_where_no_store_can_be_is_refused_by_name(tmp_path, plan):
    missing = tmp_path / "missing"
    with pytest.raises(SordinoError, match=f"the folder {missing} must be there; found none: make it, or name"):
        ReportStore.open(missing / "reports.sqlite", plan)
    (tmp_path / "file").touch()
    with pytest.raises(SordinoError, match="file must be there; found a file of that name"):
        ReportStore.open(tmp_path / "file" / "reports.sqlite", plan)
    with pytest.raises(SordinoError, match="must be a file; found a folder: name a file in it"):
        ReportStore.open(tmp_path, plan)


def test_a_folder_that_may_not_be_written_is_named_when_a_store_is_opened(tmp_path, plan, monkeypatch):
    def refuse(*_, **__):
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(sqlite3, "connect", refuse)
    with pytest.raises(UnavailableError, match=f"mend the rights of {tmp_path}, and start again"):
        ReportStore.open(tmp_path / "reports.sqlite", plan)


@pytest.mark.parametrize("scheme", ["mysql", "sqlite", "PostgreSQL", "https"])
def test_another_address_is_no_path(plan, scheme, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = f"{scheme}://ada:secret@localhost/x"
    for opened in (lambda: ReportStore.open(place, plan), lambda: ReportStore.open_beside(place)):
        with pytest.raises(
            SordinoError, match=f"must be a SQLite file, .* found an address at {scheme}://[.]"
        ) as refused:
            opened()
        assert "secret" not in str(refused.value)
    assert not list(tmp_path.iterdir())
