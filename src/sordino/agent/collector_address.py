"""Where a plan is served: https, or this machine; the address ends in the plan's hash, so that it can be checked.

It may be that of the plan's form in a browser, `.../form#key=...`, whose key must have signed the plan: what stands
behind `#` is sent to nobody.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from sordino.errors import SordinoError

HASH = re.compile(r"sha256:[0-9a-f]{64}")

KEY = re.compile(r"key=([0-9a-fA-F]{64})")
"""Behind `#`: an Ed25519 public key."""

FORM = "/form"
"""Behind the plan's own address, that of its form."""


@dataclass(frozen=True)
class CollectorAddress:
    """A plan's address at a collector.

    Attributes:
        url: of the plan.
        plan: its hash.
        here: whether it is on this machine.
        key: that must have signed the plan, 64 hexadecimal digits; None where the address names none.

    Example:
        >>> CollectorAddress.of(f"http://localhost:8000/plans/sha256:{'0' * 64}/").here
        True
    """

    url: str
    plan: str
    here: bool
    key: str | None = None

    @classmethod
    def of(cls, text: str) -> "CollectorAddress":
        """Read an address.

        Raises:
            SordinoError: another kind of address, one without a plan's hash, one over a network without TLS, or another
                fragment than a key.
        """
        step = "write it as the collector gave it: https://HOST/plans/sha256:..."
        try:
            parts = urlsplit(text)
            _ = parts.port
        except ValueError:
            raise SordinoError(
                "the address must be a plan's at a collector", found="text that is no address", step=step
            ) from None
        path = parts.path.rstrip("/").removesuffix(FORM)
        plan = unquote(path.rpartition("/")[2])
        plain = not parts.username and not parts.password and not parts.query
        if parts.scheme not in ("https", "http") or not parts.hostname or not plain or not text.isprintable():
            raise SordinoError("the address must be a plan's at a collector", found="a different address", step=step)
        if not HASH.fullmatch(plan):
            raise SordinoError("the address must end in the plan's hash", found="a different end", step=step)
        here = _is_this_machine(parts.hostname)
        if parts.scheme == "http" and not here:
            rule = "an answer must travel by https, unless the collector is on this machine"
            raise SordinoError(rule, found="http", step=step)
        key = KEY.fullmatch(parts.fragment)
        if parts.fragment and key is None:
            rule = "behind # must stand the key that signs the plan"
            found = f"{len(parts.fragment)} characters that are no key"
            raise SordinoError(rule, found=found, step="give #key= and its 64 hexadecimal digits, or no #")
        return cls(f"{parts.scheme}://{parts.netloc}{path}", plan, here, key and key[1].lower())

    @property
    def reports(self) -> str:
        """Where reports go."""
        return f"{self.url}/reports"

    @property
    def signature(self) -> str:
        """Where the plan's signature is."""
        return f"{self.url}/signature"


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
