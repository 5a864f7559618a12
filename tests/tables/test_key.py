"""A key file is its owner's alone, whole, and never replaced; any other is refused, and its contents are not told."""

import os
import stat
import threading

import pytest

from sordino import SordinoError
from sordino.tables.key import TITLE, make_key, read_key
from waits import SOON, joined

DIGITS = "5a" * 32
GOOD = f"{TITLE}\n{DIGITS}\n"


@pytest.fixture
def write(tmp_path):
    """Write a key file, for its owner only."""

    def write_key(content=GOOD, mode=0o600):
        path = tmp_path / "key"
        path.write_text(content)
        path.chmod(mode)
        return path

    return write_key


def refused(path, *words):
    with pytest.raises(SordinoError) as caught:
        read_key(path)
    assert [word for word in words if word not in str(caught.value)] == []
    assert "5a5a" not in str(caught.value)


def test_a_key_is_made_once_for_its_owner_and_read_again(tmp_path):
    path = tmp_path / "key"
    assert read_key(path) is None
    assert not path.exists()
    umask = os.umask(0)
    try:
        key = make_key(path)
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (len(key), read_key(path), path.read_text().splitlines()[1]) == (32, key, key.hex())
    before = path.read_bytes()
    with pytest.raises(SordinoError, match="must not exist yet"):
        make_key(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["key"]


def test_every_key_is_another(tmp_path):
    keys = {make_key(tmp_path / str(i)) for i in range(20)}
    assert len(keys) == 20
    assert all(len(set(key)) > 16 for key in keys)


def test_a_key_is_on_disk_before_it_is_used(tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_ino), real(handle))[1])
    make_key(tmp_path / "key")
    assert synced == [(tmp_path / "key").stat().st_ino, tmp_path.stat().st_ino]


def test_of_many_that_make_a_key_one_does(tmp_path):
    made, refusals, barrier = [], [], threading.Barrier(8)

    def work():
        barrier.wait(SOON)
        try:
            made.append(make_key(tmp_path / "key"))
        except SordinoError as refusal:
            refusals.append(refusal)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        joined(thread)
    assert (len(made), len(refusals)) == (1, 7)
    assert read_key(tmp_path / "key") == made[0]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666, 0o777])
def test_a_key_that_others_can_open_is_refused(write, mode):
    refused(write(mode=mode), "owner only", f"mode {mode:04o}", "chmod 600")


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_key_that_only_its_owner_can_open_is_read(write, mode):
    assert read_key(write(mode=mode)) == bytes.fromhex(DIGITS)


DAMAGED = {
    "empty": "",
    "title only": TITLE + "\n",
    "no title": DIGITS + "\n",
    "cut": GOOD[:-3],
    "no line feed": GOOD[:-1],
    "longer": GOOD + DIGITS + "\n",
    "16 bytes": f"{TITLE}\n{DIGITS[:32]}\n",
    "33 bytes": f"{TITLE}\n{DIGITS}5a\n",
    "capitals": f"{TITLE}\n{DIGITS.upper()}\n",
    "no digits": f"{TITLE}\n{'xy' * 32}\n",
    "another version": GOOD.replace("key 1", "key 2"),
    "carriage returns": GOOD.replace("\n", "\r\n"),
    "a large file": GOOD + "x" * 100_000,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_file_that_is_no_whole_key_is_refused(write, content):
    refused(write(content), "must be a key file", "different text, or a part of a key", "name a new file")


def test_a_link_a_folder_and_a_pipe_are_no_keys(tmp_path, write):
    (tmp_path / "link").symlink_to(write())
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe", 0o600)
    refused(tmp_path / "link", "a link")
    refused(tmp_path / "nowhere", "a link")
    refused(tmp_path, "a folder")
    refused(tmp_path / "pipe", "must be a key file")
    refused(tmp_path / "none" / "key", "must be a folder")


def test_somebody_elses_key_is_refused(write, monkeypatch):
    path = write()
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    refused(path, "somebody else's")


def test_a_refusal_of_the_system_is_told(tmp_path, write, monkeypatch):
    path = write()

    def denied(*_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", denied)
    refused(path, "must be possible to read", "permission denied")
    with pytest.raises(SordinoError, match="must be possible to write; found permission denied"):
        make_key(tmp_path / "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["key"]


def test_a_key_with_a_byte_order_mark_is_read(write):
    assert read_key(write("\ufeff" + GOOD)) == bytes.fromhex(DIGITS)
