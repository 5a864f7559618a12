"""Addresses: of a plan, by https or on this machine."""

import pytest

from in_one import in_one
from sordino import SordinoError
from sordino.once.agent.collector_address import CollectorAddress
from sordino.once.ledger.quotas import collector_key

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


def test_a_collector_is_its_host():
    for text, host in (
        (f"https://Collector.Example/plans/{HASH}", "collector.example"),
        (f"https://collector.example.:8443/plans/{HASH}/form", "collector.example"),
        (f"https://bücher.example/plans/{HASH}", "xn--bcher-kva.example"),
        (f"http://127.0.0.1:8000/plans/{HASH}", "127.0.0.1"),
        (f"http://[::1]:8000/plans/{HASH}", "::1"),
        (f"http://LOCALHOST:1/plans/{HASH}", "localhost"),
    ):
        assert CollectorAddress.of(text).collector == host
        # What a journal keeps of it names the same one.
        assert collector_key(host) == host


@in_one(
    ("host", "asked"),
    [
        ("bücher.example", "xn--bcher-kva.example"),
        ("почта.example:8443", "xn--80a1acny.example:8443"),
        # Python's own rules read another host there than who compares hosts does.
        ("ᵃa.example", "aa.example"),
    ],
)
def test_what_is_asked_is_the_host_that_is_compared(host, asked):
    address = CollectorAddress.of(f"https://{host}/plans/{HASH}")
    assert address.url == f"https://{asked}/plans/{HASH}"
    assert address.collector == collector_key(asked)


def test_a_host_that_no_name_can_have_is_refused():
    with pytest.raises(SordinoError, match="must be one that can be looked up"):
        CollectorAddress.of(f"https://{'ü' * 80}.example/plans/{HASH}")


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
            (f"https://{host}/plans/{HASH}", "by which it can be read as two hosts")
            for host in (
                r"b.example\.a.example",
                "b.example%2f.a.example",
                "b.example\uff3c.a.example",
                "b.example .a.example",
            )
        ),
        (rf"https://b.example\@a.example/plans/{HASH}", "found a different address"),
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
