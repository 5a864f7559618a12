"""What one collector's answers may reveal by themselves: quotas by name, on top of the promise about all answers.

[quota]
"https://a.example" = "0.3"
"Institute of Sleep" = "0.2"
others = "0.2"

All collectors that are not named share `others`. A name is a web address or any other text. A collector with an address
is its host, whatever scheme, port, path or user stand beside it, in letters of either case or width, with or without a
last dot, in its own letters or as it is looked up. What cannot be seen is that different hosts or texts are of one
collector: together they get at most their own quotas and that of the others. Amounts are in nats.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import Annotated, Any
from unicodedata import normalize
from urllib.parse import unquote

from sordino.accounting.quota import OTHERS
from sordino.definition.pairwise import LDP
from sordino.document.schema.limits import Parse
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats
from sordino.survey.schema.protect_table import read_positive

REST = "others"
"""Key of what all collectors share that the table does not name."""

MOST_LETTERS = 200
"""Longest name, as in the file of a query."""

MOST_QUOTAS = 100
"""Collectors with a quota of their own at most: each has a filter of its own."""

ADDRESS = re.compile(
    r"https?:/*(?P<authority>[^/?#]*)|(?P<bare>[^\s/?#@:]+\.[^\s/?#@:]+|localhost|\[[0-9a-f:.]+\])(:[0-9]*)?([/?#].*)?$"
)
"""With a scheme, or as a host that has a dot, and perhaps a port and a path."""

PORT = re.compile(r":[0-9]*$")


def collector_key(name: str) -> str:
    """The same for all names that can be seen to be of one collector: a host, or folded text.

    Example:
        >>> collector_key("HTTPS://A.Example:8443/"), collector_key(" a.example "), collector_key("Institute  of Sleep")
        ('a.example', 'a.example', 'institute of sleep')
    """
    text = " ".join(normalize("NFKC", normalize("NFKC", name).casefold()).split())
    # Browsers read both slashes in addresses as one.
    address = ADDRESS.match(text.replace("\\", "/"))
    if address is None:
        return text.rstrip("/. ")
    authority = unquote(address["authority"] or "").rpartition("@")[2].strip().lower()
    return _host(address["bare"] or PORT.sub("", authority))


def _host(text: str) -> str:
    try:
        return ip_address(text.strip("[]")).compressed
    except ValueError:
        pass
    try:
        return text.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        return text.rstrip(".")


@dataclass(frozen=True)
class Quotas:
    """A quota for each of some collectors, and one that all others share.

    Attributes:
        amounts: by the collectors' names, as the terms write them.
    """

    amounts: Mapping[str, Nats]
    others: Nats

    @classmethod
    def read(cls, table: Any) -> "Quotas":
        """From the table of a file, or frozen words.

        Raises:
            SordinoError: no table, none for the others, an amount that is none, or two names of one collector.
        """
        step = 'write "https://a.example" = "0.3", and others = "0.2"'
        if not isinstance(table, Mapping) or not all(type(name) is str for name in table):
            raise SordinoError("quotas must be amounts by collectors' names", found=shown(table), step=step)
        if REST not in table:
            rule = "quotas must say what all other collectors share, since anybody can ask under another name"
            raise SordinoError(rule, found=f"no {REST}", step=f"add {REST} = with the ledger's epsilon, or with less")
        if len(table) > MOST_QUOTAS + 1:
            rule = f"at most {MOST_QUOTAS} collectors must have quotas of their own"
            raise SordinoError(rule, found=f"{len(table) - 1:,}", step="let some of them share others")
        amounts = {name: _amount(amount) for name, amount in sorted(table.items())}
        quotas = cls({name: amount for name, amount in amounts.items() if name != REST}, amounts[REST])
        quotas._require_names()
        return quotas

    @property
    def words(self) -> dict[str, str]:
        """As they are frozen, in the order of the alphabet."""
        return {name: str(amount) for name, amount in sorted({**self.amounts, REST: self.others}.items())}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Those with a quota of their own, by the keys of their names."""
        return {collector_key(name): name for name in self.amounts}

    def key(self, collector: str) -> str:
        """Whose quota a collector has: by its own key, or `OTHERS`."""
        key = collector_key(collector)
        return key if key in self.names else OTHERS

    def amount(self, key: str) -> Nats:
        """Of a collector with a quota, or of `OTHERS`."""
        return self.others if key == OTHERS else self.amounts[self.names[key]]

    @property
    def definitions(self) -> dict[str, LDP]:
        """What the answers to each may reveal by themselves, by key, the others last."""
        return {key: LDP(self.amount(key)) for key in (*self.names, OTHERS)}

    def require_at_most(self, epsilon: Nats) -> None:
        """Refuse a quota beyond the promise about all answers, which would bound nothing.

        Raises SordinoError: one of them.
        """
        for name, amount in {**self.amounts, REST: self.others}.items():
            if amount > epsilon:
                rule = f"a quota must be at most epsilon, {epsilon}"
                raise SordinoError(rule, found=f"{amount} for {shown(name)}", step="lower it")

    def _require_names(self) -> None:
        first: dict[str, str] = {}
        for name in self.amounts:
            if not name.isprintable() or len(name) > MOST_LETTERS:
                rule = f"a collector's name must be one line of at most {MOST_LETTERS} letters"
                raise SordinoError(rule, found=shown(name), step="write it as the ledger shows it")
            key = collector_key(name)
            if key in (OTHERS, REST):
                rule = "a quota must be for a collector's name"
                raise SordinoError(rule, found=shown(name), step=f"name it; {REST} are all that are not named")
            if key in first:
                rule = "a collector must have one quota, however its name is written"
                found = f"{shown(first[key])} and {shown(name)}"
                raise SordinoError(rule, found=found, step="leave one of them out")
            first[key] = name


def _amount(amount: object) -> Nats:
    try:
        return read_positive(amount)
    except SordinoError as error:
        raise SordinoError(error.rule.replace("epsilon", "a quota"), found=error.found, step=error.step) from None


QuotaTable = Annotated[Quotas, Parse(Quotas.read)]
"""The table of quotas in the file of terms."""
