"""Where a plan is served: https, or this machine; the address ends in the plan's hash, so that it can be checked.

It may be that of the plan's form in a browser, `.../form#key=...&invitation=...`, whose key must have signed the plan,
and whose invitation goes with the answer, which is of its period if the plan has a series (`&period=2026-01-05`): what
stands behind `#` is no part of a request for a page.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from unicodedata import normalize
from urllib.parse import SplitResult, unquote, urlsplit

from sordino.document.invitation_list import SECRET
from sordino.errors import SordinoError
from sordino.once.ledger.quotas import collector_key

HASH = re.compile(r"sha256:[0-9a-f]{64}")

BEHIND = {"key": re.compile("[0-9a-f]{64}"), "invitation": SECRET, "period": re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")}
"""What may stand behind `#`, each once: an Ed25519 public key, the secret of an invitation, and its period."""

UNCLEAR = re.compile(r"[\\%\s]")
"""Characters in a host by which two programs can read two hosts."""

FORM = "/form"
"""Behind the plan's own address, that of its form."""


@dataclass(frozen=True)
class CollectorAddress:
    """A plan's address at a collector.

    Attributes:
        here: whether it is on this machine.
        key: that must have signed the plan, 64 hexadecimal digits; None where the address names none.
        invitation: by which a report may come, 32 hexadecimal digits; None where the address has none.
        period: in which it may come, by its first day; None where the invitation names none.

    Example:
        >>> CollectorAddress.of(f"http://localhost:8000/plans/sha256:{'0' * 64}/").here
        True
    """

    url: str
    plan: str
    here: bool
    key: str | None = None
    invitation: str | None = None
    period: str | None = None

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
        if "\\" in normalize("NFKC", text) or UNCLEAR.search(normalize("NFKC", parts.netloc)):
            found = "characters by which it can be read as two hosts"
            raise SordinoError("the address must be a plan's at a collector", found=found, step=step)
        if not HASH.fullmatch(plan):
            raise SordinoError("the address must end in the plan's hash", found="a different end", step=step)
        here = _is_this_machine(parts.hostname)
        if parts.scheme == "http" and not here:
            rule = "an answer must travel by https, unless the collector is on this machine"
            raise SordinoError(rule, found="http", step=step)
        behind = _read_fragment(parts.fragment)
        url = f"{parts.scheme}://{_looked_up(parts)}{path}"
        return cls(url, plan, here, behind.get("key"), behind.get("invitation"), behind.get("period"))

    def link(self, invitation: str, period: str | None = None) -> str:
        """The address of the plan's form with an invitation and its period, and with the key if there is one."""
        key = "" if self.key is None else f"key={self.key}&"
        return f"{self.url}{FORM}#{key}invitation={invitation}{'' if period is None else f'&period={period}'}"

    @property
    def collector(self) -> str:
        """Whose address it is: the host as it is looked up, whatever the scheme and the port."""
        return collector_key(self.url)

    @property
    def reports(self) -> str:
        """Where reports go."""
        return f"{self.url}/reports"

    @property
    def erasures(self) -> str:
        """Where a report is taken back."""
        return f"{self.url}/erase"

    @property
    def signature(self) -> str:
        """Where the plan's signature is."""
        return f"{self.url}/signature"


def _read_fragment(fragment: str) -> dict[str, str]:
    """What stands behind `#`, by its name; nothing is quoted, since it may be a secret."""
    parts = [part.partition("=") for part in fragment.split("&")] if fragment else []
    found = {name: text.lower() for name, _, text in parts}
    wrong = any(name not in BEHIND or not BEHIND[name].fullmatch(found[name]) for name in found)
    if wrong or len(found) < len(parts) or ("period" in found and "invitation" not in found):
        rule = "behind # must stand the key that signs the plan, an invitation, or both; with an invitation its period"
        step = "give the whole address: #key= has 64 hexadecimal digits, invitation= has 32"
        raise SordinoError(rule, found=f"{len(fragment)} other characters", step=step)
    return found


def _looked_up(parts: SplitResult) -> str:
    """The host and port of an address: a host beyond ASCII as its collector's key has it, so that both are one host."""
    if parts.netloc.isascii():
        return parts.netloc
    host = collector_key(f"{parts.scheme}://{parts.hostname}")
    if not host.isascii():
        rule, found = "the host of an address must be one that can be looked up", "characters that no name has"
        raise SordinoError(rule, found=found, step="write it as the collector gave it")
    return host if parts.port is None else f"{host}:{parts.port}"


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
