"""A chain of keys is followed by whoever knows one of them; what is forged, forks or runs in a loop is none."""

from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sordino.document.key_chain import MOST_LINKS, leads_to


class Key:
    """A private key, with what it signs written out again: these bytes are a format."""

    def __init__(self):
        self._key = Ed25519PrivateKey.generate()
        self.public = self._key.public_key().public_bytes_raw().hex()

    def sign(self, content):
        return self._key.sign(content).hex()

    def names(self, other):
        signature = self.sign(b"sordino key 1\n" + f"{self.public}\n{other.public}\n".encode())
        return {"old": self.public, "new": other.public, "signature": signature}


def chain_of(*keys):
    return [first.names(second) for first, second in pairwise(keys)]


A, B, C, D = (Key() for _ in range(4))
CHAIN = chain_of(A, B, C)


def test_a_chain_leads_forward_from_each_of_its_keys():
    for told, start, end in ((CHAIN, A, C), (CHAIN, B, C), (CHAIN, A, B), (CHAIN, C, C), ([], A, A), (None, A, A)):
        assert leads_to(told, start.public, end.public)
    for start, end in ((C, A), (B, A), (D, C), (A, D)):
        assert not leads_to(CHAIN, start.public, end.public)


ab, bc = CHAIN
WRONG = {
    "forged": [ab, {**bc, "signature": D.names(C)["signature"]}],
    "forged before the key that is known": [{**ab, "signature": "00" * 64}, bc],
    "another's signature": [ab, {**bc, "signature": ab["signature"]}],
    "a fork": [ab, bc, B.names(D)],
    "a fork within": [A.names(D), ab, bc],
    "a loop": [ab, bc, C.names(A)],
    "itself": [ab, bc, C.names(C)],
    "a gap": [ab, C.names(D)],
    "backwards": [bc, ab],
    "twice": [ab, ab, bc],
    "no list": {"old": A.public},
    "a text": "chain",
    "no link": [ab, bc, 3],
    "one more field": [ab, {**bc, "more": ""}],
    "a missing field": [ab, {"old": B.public, "new": C.public}],
    "numbers": [ab, {**bc, "signature": 1}],
    "capitals": [ab, {**bc, "signature": bc["signature"].upper()}],
    "a line break": [ab, {**bc, "new": bc["new"] + "\n"}],
    "too long": chain_of(A, *(Key() for _ in range(MOST_LINKS)), B),
}


@pytest.mark.parametrize("told", WRONG.values(), ids=WRONG)
def test_what_is_no_chain_leads_nowhere(told):
    for start in (A, B):
        assert not leads_to(told, start.public, C.public)
