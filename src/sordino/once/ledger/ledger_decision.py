"""Whether a ledger accepts a query, and in which words it refuses: by the promise about all answers, or by a quota.

A function of the terms, of the queries and who asked them, and of the answers that were sent: of no record, and of no
answer that may not have been sent, unless it was taken back.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isinf

from sordino.accounting.joint_filter import JointFilter
from sordino.accounting.quota import OTHERS
from sordino.errors import RefusedError
from sordino.exact.amount_text import loss_text
from sordino.exact.messages import shown
from sordino.exact.nats import in_nats, outward
from sordino.once.ledger.ledger_terms import LedgerTerms

SMALLER = "ask with a smaller epsilon, or not at all"


@dataclass(frozen=True)
class QuotaDecision:
    """What a collector's quota says of a query.

    Attributes:
        key: of the collector; `OTHERS` where it shares a quota.
        loss: nats, rounded up: the most that the answers that the quota bounds would tell by themselves.
    """

    key: str
    accepted: bool
    loss: float


@dataclass(frozen=True)
class LedgerDecision:
    """Whether a query may be asked.

    Attributes:
        by_promise: whether all answers together keep what is promised about them.
        loss: nats, rounded up: the most that all answers would tell.
        by_quota: the same of the collector's quota; None where there are none.
    """

    by_promise: bool
    loss: float
    by_quota: QuotaDecision | None = None

    @property
    def accepted(self) -> bool:
        """Both say yes."""
        return self.by_promise and (self.by_quota is None or self.by_quota.accepted)

    @property
    def refusing_quota(self) -> QuotaDecision | None:
        """The quota, where it alone refuses."""
        return self.by_quota if self.by_promise and not self.accepted else None


@dataclass(frozen=True)
class QuotaLeft:
    """What is left of a quota.

    Attributes:
        collector: as the terms name it; None for all that share a quota.
        quota: in nats, as text.
        spent: nats, rounded up: what the answers told by themselves.
        remaining: nats, rounded down: queries whose epsilons add up to at most this are accepted.
    """

    collector: str | None
    quota: str
    spent: float
    remaining: float


def quota_left(terms: LedgerTerms, key: str, own: JointFilter, joint: JointFilter) -> QuotaLeft:
    """What is left of a quota, at most what is left of the promise about all answers."""
    if terms.quotas is None:
        raise AssertionError("a filter of a collector's answers has a quota")
    name = None if key == OTHERS else terms.quotas.names[key]
    return QuotaLeft(name, str(terms.quotas.amount(key)), own.spent, min(own.remaining, joint.remaining))


def refusal_of(terms: LedgerTerms, decision: LedgerDecision) -> RefusedError:
    """The refusal of a query, and whether the promise about all answers or a quota refuses it."""
    quota, loss = decision.refusing_quota, decision.loss
    if quota is not None and terms.quotas is not None:
        most = loss_text(terms.quotas.amount(quota.key))
        rule = f"the answers to all collectors without a quota of their own must reveal at most {most} together"
        if quota.key != OTHERS:
            rule = f"the answers to {shown(terms.quotas.names[quota.key])} must reveal at most its quota, {most}"
        return RefusedError(rule, found=_up_to(quota.loss), step=SMALLER)
    if isinf(loss):
        rule = "no answer may rule out values that the ledger's terms protect"
        step = "ask through a mechanism whose every code can come from each protected value"
        found = "one with an answer that does, or with too many codes to look at each"
        return RefusedError(rule, found=found, step=step)
    rule = f"all answers together must reveal at most {in_nats(str(terms.epsilon))}"
    if terms.protects:
        rule = "all answers together must keep the bounds of the ledger's terms for every two values"
    return RefusedError(rule, found=_up_to(loss), step=SMALLER)


def _up_to(loss: float) -> str:
    return f"up to {outward(Fraction(loss), 6, up=True)} with this query"
