"""Addresses: of a plan, by https or on this machine."""

import pytest

from sordino import SordinoError
from sordino.once.agent.collector_address import CollectorAddress

HASH = "sha256:" + "0123456789abcdef" * 4


def test_an_address_tells_the_plan_and_where_reports_go():
    for text, here in (
        (f"https://collector.example/plans/{HASH}", False),
        (f"https://collector.example:8443/a/b/{HASH.replace(':', '%3A')}/", False),
        (f"http://127.0.0.1:8000/plans/{HASH}", True),
        (f"http://[::1]:8000/plans/{HASH}", True),
        (f"http://localhost/plans/{HASH}", True),
    ):
        address = CollectorAddress.of(text)
        assert (address.plan, address.here) == (HASH, here)
        assert address.reports == text.rstrip("/") + "/reports"
        assert address.signature == text.rstrip("/") + "/signature"


def test_other_addresses_are_refused():
    for text, words in (
        (f"http://collector.example/plans/{HASH}", "must travel by https"),
        (f"http://127.0.0.1.example/plans/{HASH}", "must travel by https"),
        (f"http://localhost.example/plans/{HASH}", "must travel by https"),
        (f"ftp://collector.example/plans/{HASH}", "found a different address"),
        (f"file:///plans/{HASH}", "found a different address"),
        (f"https:///plans/{HASH}", "found a different address"),
        (f"https://me:secret@collector.example/plans/{HASH}", "found a different address"),
        (f"https://collector.example/plans/{HASH}?x=1", "found a different address"),
        *(
            (f"https://collector.example/plans/{HASH}#{fragment}", "must stand the key that signs the plan, an inv")
            for fragment in ("x", "key=", "key=12", f"key={'0' * 63}g", f"key={'0' * 64}&a", f"KEY={'0' * 64}")
        ),
        (f"https://collector.example:99999/plans/{HASH}", "found text that is no address"),
        (f"https://[collector/plans/{HASH}", "found text that is no address"),
        ("https://collector.example/plans/", "must end in the plan's hash"),
        (f"https://collector.example/plans/{HASH[:-1]}", "must end in the plan's hash"),
        (f"https://collector.example/plans/{HASH.upper()}", "must end in the plan's hash"),
    ):
        with pytest.raises(SordinoError, match=words) as caught:
            CollectorAddress.of(text)
        assert "secret" not in str(caught.value)


def test_the_key_behind_an_address_is_the_one_that_must_have_signed():
    """As in a browser, whose form's address serves too; what stands behind # goes to nobody."""
    key = "0123456789ABCDEF" * 4
    for text in (f"https://c.example/plans/{HASH}#key={key}", f"https://c.example/plans/{HASH}/form#key={key}"):
        address = CollectorAddress.of(text)
        assert address.key == key.lower()
        assert address.url == f"https://c.example/plans/{HASH}"
    assert CollectorAddress.of(f"https://c.example/plans/{HASH}/form").key is None


def test_an_invitation_behind_an_address_goes_with_the_answer():
    key, secret, url = "0123456789abcdef" * 4, "fedcba9876543210" * 2, f"https://c.example/plans/{HASH}"
    for fragment in (f"key={key}&invitation={secret.upper()}", f"invitation={secret}&key={key}"):
        address = CollectorAddress.of(f"{url}/form#{fragment}")
        assert (address.url, address.key, address.invitation) == (url, key, secret)
        assert address.link("1" * 32) == f"{url}/form#key={key}&invitation={'1' * 32}"
    address = CollectorAddress.of(f"{url}#invitation={secret}")
    assert (address.key, address.invitation) == (None, secret)
    assert CollectorAddress.of(address.link(secret)) == address
    for fragment in (
        f"invitation={secret[:-1]}",
        f"invitation={secret}&",
        f"&invitation={secret}",
        f"invitation={secret}&invitation={'1' * 32}",
        f"key={key}invitation={secret}",
        f"invitation={secret}&other=1",
    ):
        with pytest.raises(SordinoError, match="behind # must stand") as caught:
            CollectorAddress.of(f"{url}/form#{fragment}")
        assert secret[:-1] not in str(caught.value)
