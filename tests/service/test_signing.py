"""Plans are signed by one key, and whoever knows it sees whose plan it is."""

import json
import subprocess
from dataclasses import replace

import pytest

from commands import PATIENCE, run_here
from reports_sent import make_plan, served
from sordino import RefusedError, SordinoError
from sordino.document.key_chain import is_signed
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.agent.exchange import fetch_plan
from sordino.service.collector import Collector
from sordino.service.signing import Signer
from sordino.service.storage.store import ReportStore


def test_a_key_is_made_once_for_its_owner_and_signs_the_plans_bytes(tmp_path):
    path, content = tmp_path / "key.pem", make_plan(3).bytes
    signer = Signer.of_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    again = Signer.of_file(path)
    assert (again.public, again.signature(content)) == (signer.public, signer.signature(content))
    signature = signer.signature(content)
    assert is_signed(content, signer.public, signature)
    for other, key, signed in (
        (content + b" ", signer.public, signature),
        (content, Signer.of_file(tmp_path / "other.pem").public, signature),
        (content, signer.public, "00" * 64),
        (content, signer.public, "00"),
        (content, "no key", signature),
    ):
        assert not is_signed(other, key, signed)


def test_openssl_knows_the_key_and_the_signature(tmp_path):
    """Another implementation, by the words of the documentation."""
    signer, plan = Signer.of_file(tmp_path / "key.pem"), tmp_path / "plan.json"
    plan.write_bytes(make_plan(3).bytes)
    command = ["openssl", "pkeyutl", "-sign", "-inkey", str(tmp_path / "key.pem"), "-rawin", "-in", str(plan)]
    found = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout
    assert found.hex() == signer.signature(plan.read_bytes())


def test_what_is_no_key_of_this_kind_is_refused(tmp_path):
    path = tmp_path / "key.pem"
    path.write_text("no key")
    path.chmod(0o600)
    with pytest.raises(SordinoError, match="an Ed25519 private key in PEM"):
        Signer.of_file(path)
    Signer.of_file(tmp_path / "open.pem")
    (tmp_path / "open.pem").chmod(0o644)
    with pytest.raises(SordinoError, match="open to its owner only; found mode 0644"):
        Signer.of_file(tmp_path / "open.pem")


def test_a_store_has_one_signer(tmp_path):
    plan = make_plan(3)
    store = ReportStore.open(tmp_path / "reports.sqlite", plan)
    Collector(store, signer=Signer.of_file(tmp_path / "first.pem"))
    Collector(store, signer=Signer.of_file(tmp_path / "first.pem"))
    with pytest.raises(RefusedError, match="must be signed by one key"):
        Collector(store, signer=Signer.of_file(tmp_path / "second.pem"))
    store.close()


def test_a_key_that_was_rotated_is_followed_by_who_knows_the_old_one(tmp_path):
    plan, place = make_plan(3), tmp_path / "reports.sqlite"
    keys = [tmp_path / f"{number}.pem" for number in range(3)]
    first = Signer.of_file(keys[0]).public
    with served(tmp_path, plan, "--key", keys[0]) as (client, _):
        address = CollectorAddress.of(f"http://127.0.0.1:{client.port}/plans/{plan.hash}")
        assert client.ask("GET", "/key").json == {"algorithm": "Ed25519", "key": first, "chain": []}
        code, out, err = run_here("collector", "key", "rotate", place, keys[0], keys[1], "--json")
        assert code == 0, err
        link = json.loads(out)
        # Until it is started anew, the old key signs.
        assert client.ask("GET", "/key").json["key"] == link["old"] == first
        assert fetch_plan(address, first) == plan
    code, _, err = run_here("serve", tmp_path / "plan.json", "--store", place, "--key", keys[0])
    assert (code, "must be signed by one key" in err) == (3, True)
    assert run_here("collector", "key", "rotate", place, keys[1], keys[2])[0] == 0
    newest = Signer.of_file(keys[2]).public
    with served(tmp_path, plan, "--key", keys[2]) as (client, _):
        address = CollectorAddress.of(f"http://127.0.0.1:{client.port}/plans/{plan.hash}")
        told = client.of_plan("GET", "/signature").json
        assert (told["key"], [one["new"] for one in told["chain"]]) == (newest, [link["new"], newest])
        for known in (first, link["new"], newest):
            assert fetch_plan(address, known) == plan
        with pytest.raises(RefusedError, match="signature that does not fit"):
            fetch_plan(address, Signer.of_file(tmp_path / "other.pem").public)
        acts = json.loads(run_here("collector", "record", place, "--json")[1])["acts"]
        assert [(act["act"], act.get("key")) for act in acts[1:]] == [
            ("key rotated", link["new"]),
            ("key rotated", newest),
        ]


def test_a_key_is_rotated_by_the_newest_one_to_a_new_one(tmp_path):
    plan, place = make_plan(3), tmp_path / "reports.sqlite"
    one, two, other = (tmp_path / f"{name}.pem" for name in ("one", "two", "other"))
    store = ReportStore.open(place, plan)
    Signer.of_file(other)
    rotate = lambda old, new: run_here("collector", "key", "rotate", place, old, new)
    store.close()
    # The store has no key yet.
    assert rotate(other, two)[0] == 3
    store = ReportStore.open(place, plan)
    store.require_signer(Signer.of_file(one).public)
    store.close()
    assert rotate(one, two)[0] == 0
    for old, new in ((one, other), (other, one), (two, one), (two, two)):
        code, _, err = rotate(old, new)
        assert (code, "must be named by the newest one" in err) == (3, True)
    code, _, err = rotate(tmp_path / "missing.pem", other)
    assert (code, "must be the file of the newest key" in err) == (2, True)
    store = ReportStore.open(place, plan)
    assert [link.new for link in store.key_chain] == [Signer.of_file(two).public]
    with pytest.raises(RefusedError, match="named by the newest"):
        store.rotate_key(replace(Signer.of_file(two).sign_key("00" * 32), signature="00" * 64))
    store.close()
