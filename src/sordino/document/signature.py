"""Signatures of documents: Ed25519 over their bytes as they are served."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def is_signed(content: bytes, public: str, signature: str) -> bool:
    """Whether bytes were signed by whoever has the private key.

    Args:
        content: the bytes as they are served.
        public: the public key, 32 bytes as hexadecimal digits.
        signature: 64 bytes as hexadecimal digits.
    """
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), content)
    except (ValueError, InvalidSignature):
        return False
    return True
