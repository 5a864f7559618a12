"""A certificate of this machine that it signed itself."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def self_signed(path):
    """A file with a new key and its certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *plain) + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path
