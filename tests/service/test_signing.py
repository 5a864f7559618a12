"""Plans are signed by one key, and whoever knows it sees whose plan it is."""

import subprocess

import pytest

from commands import PATIENCE
from reports_sent import make_plan
from sordino import RefusedError, SordinoError
from sordino.document.signature import is_signed
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
