"""A plan's signature: Ed25519 over its bytes as they are served, by the key of whoever runs the collector.

A device that knows the public key from elsewhere (an app, a page, paper) sees whether a plan is the institute's; the
hash alone says only that the plan is whole. The private key is a PEM file (PKCS 8) that only its owner can read.
"""

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from sordino.document.files import cannot, replace_whole, sync_folder
from sordino.document.key_chain import KeyLink, signed_bytes
from sordino.document.private_file import HOW_TO_CLOSE, new_private_file, require_private
from sordino.errors import SordinoError


class Signer:
    """Signs plans.

    Attributes:
        public: the public key, 32 bytes as hexadecimal digits.
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()

    @classmethod
    def of_file(cls, path: Path) -> "Signer":
        """The key of a file, a new one if there is none.

        Raises:
            SordinoError: no key of this kind, or one that others can read.
            UnavailableError: the system refuses.
        """
        if not os.path.lexists(path):
            _make(path)
        try:
            content, status = path.read_bytes(), path.stat()
        except OSError as error:
            raise cannot("read", path, error) from None
        require_private(path, status, HOW_TO_CLOSE)
        try:
            key = load_pem_private_key(content, None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            step = "name a new file, and a key is made"
            raise SordinoError(f"{path} must be an Ed25519 private key in PEM, without a password", step=step)
        return cls(key)

    def sign_key(self, new: str) -> KeyLink:
        """Have this key name the one that signs plans from now on."""
        return KeyLink(self.public, new, self.signature(signed_bytes(self.public, new)))

    def signature(self, content: bytes) -> str:
        """Over a plan's bytes, 64 bytes as hexadecimal digits; the same each time."""
        return self._key.sign(content).hex()


def _make(path: Path) -> None:
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with replace_whole(path) as temporary, new_private_file(temporary) as file:
        file.write(pem)
    sync_folder(path)
