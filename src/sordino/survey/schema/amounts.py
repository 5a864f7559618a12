"""Amounts and numbers of a plan, which have one spelling only: one plan, one text."""

from fractions import Fraction
from functools import lru_cache

from sordino.definition.bounds import read_epsilon
from sordino.errors import SordinoError
from sordino.exact.messages import shown
from sordino.exact.nats import Nats

MOST_KEPT = 1 << 8
"""Amounts that were read: most attributes of a plan have one of a few."""


@lru_cache(maxsize=MOST_KEPT)
def canonical_amount(text: str) -> Nats:
    """An amount of a plan.

    Raises:
        SordinoError: unreadable, or in another spelling.
    """
    amount = Nats.of(text)
    if str(amount) != text:
        raise SordinoError("a plan's amounts must be in their canonical form", found=shown(text))
    return amount


@lru_cache(maxsize=MOST_KEPT)
def canonical_epsilon(text: str) -> Nats:
    """An epsilon of a plan: from 0 to 100 nats.

    Raises:
        SordinoError: unreadable, in another spelling, negative or absurd.
    """
    return read_epsilon(canonical_amount(text))


def canonical_number(text: str) -> Fraction:
    """A number of a plan.

    Raises:
        SordinoError: unreadable, in another spelling, or a logarithm.
    """
    amount = canonical_amount(text)
    if amount.ratio != 1:
        raise SordinoError("a plan's numbers must be rational", found=shown(text))
    return amount.rational
