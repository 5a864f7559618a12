"""Disks without room: a new file is whole or not there at all, nothing else is left, and the ledger goes on later."""

import os
import resource
import subprocess
from contextlib import suppress
from functools import partial

import pytest

from commands import PATIENCE, in_child
from sordino import Ledger, SordinoError, ask
from sordino.once.agent.answer_store import AnswerStore
from sordino.once.ledger.transcript import export_transcript, import_transcript
from waits import ended

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

REFUSED = 3
"""Exit code of a child whose work was refused."""


@pytest.fixture
def limited():
    """A function that does some work in a child whose files may have so many bytes: whether it was refused."""

    def run(size, work):
        def limit_and_work():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            try:
                work()
            except SordinoError as error:
                os._exit(REFUSED if error.rule.endswith(("possible to write", "possible to use")) else 1)

        status = os.waitstatus_to_exitcode(ended(in_child(limit_and_work)))
        assert status in (0, REFUSED)
        return status == REFUSED

    return run


@pytest.fixture
def small_disk(tmp_path):
    """A function of a size in kB to a file system of that size; to none where nothing may be mounted."""
    mounted = []

    def mount(size):
        folder = tmp_path / f"disk-{size}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", folder]
        with suppress(OSError):
            mounting = partial(subprocess.run, command, capture_output=True, check=False, timeout=PATIENCE)
            if os.geteuid() == 0 and mounting().returncode == 0:
                mounted.append(folder)
                return folder
        return None

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True, timeout=PATIENCE)


@pytest.fixture
def used(ledger, question, record):
    """A ledger with an answer, and its transcript beside it."""
    ask(ledger, question("q", epsilon="0.1"), record(), lambda _: None)
    export_transcript(ledger, ledger.path.with_suffix(".jsonl"))
    return ledger


@pytest.mark.each_value
@pytest.mark.parametrize("size", [*range(0, 28 << 10, 4 << 10), 20479])
@pytest.mark.parametrize("kind", ["new", "copy", "store", "transcript"])
def test_a_new_file_is_whole_or_not_there(used, terms, tmp_path, limited, size, kind):
    folder = tmp_path / "folder"
    folder.mkdir()
    path, source = folder / "made", used.path.with_suffix(".jsonl")
    make = {
        "new": lambda: Ledger.make(path, terms),
        "store": lambda: AnswerStore.open(path),
        "copy": lambda: import_transcript(source, path),
        "transcript": lambda: export_transcript(used, path),
    }[kind]
    if limited(size, make):
        assert list(folder.iterdir()) == []
        make()
    else:
        assert kind == "transcript"
    assert list(folder.iterdir()) == [path]
    if kind == "transcript":
        assert path.read_bytes() == source.read_bytes()
    else:
        opened = AnswerStore.open(path) if kind == "store" else Ledger.open(path)
        assert opened.contents().damage == ()


@pytest.mark.parametrize(
    "sizes", [(16, 48, 80), pytest.param(tuple(range(12, 132, 4)), marks=pytest.mark.long)], ids=["some", "all"]
)
def test_a_new_ledger_on_a_small_disk_is_whole_or_not_there(used, terms, small_disk, sizes):
    made = []
    for size in sizes:
        folder = small_disk(size)
        if folder is None:
            continue
        path = folder / "made"
        try:
            Ledger.make(path, terms)
        except SordinoError as error:
            assert "must be possible" in error.rule  # noqa: PT017 - on some disks only
            assert list(folder.iterdir()) == []
            with pytest.raises(SordinoError, match="must be possible"):
                import_transcript(used.path.with_suffix(".jsonl"), path)
            assert list(folder.iterdir()) == []
        else:
            assert Ledger.open(path).contents().damage == ()
            assert list(folder.iterdir()) == [path]
            made.append(size)
    assert all(size >= 40 for size in made)


def test_an_ask_without_room_changes_nothing_and_goes_on_later(ledger, question, record, limited):
    """A log of two pages fits, one of all that an answer writes does not."""
    query, refused = question("q"), []
    for size in range(0, 64 << 10, 4 << 10):
        refused.append(limited(size, lambda: ask(ledger, query, record(), lambda _: None)))
        assert ledger.contents().damage == ()
        if not refused[-1]:
            break
    assert refused.count(True) >= 3
    assert not refused[-1]
    assert ledger.entries().by_id["q"].state == "sent"
