"""What a promise means, in plain words: odds, beliefs, and what is not protected. One function for any of them.

Numbers round against the promise: the most that can be learned is rounded up, never down. Source: the bounds on
posterior odds of the context-aware LDP paper, Section 3.1, with the evidence of one report.
"""

from fractions import Fraction
from math import isfinite

from sordino.audit.certify import Certificate
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.estimation.unbiased import leverage
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential, outward
from sordino.mechanism.base import Mechanism
from sordino.survey.plan import Plan

PRIOR = 10
"""The example's suspicion: 1 in 10."""


def explain(thing: object) -> tuple[str, ...]:
    """Sentences about a definition, a mechanism, a certificate or a plan.

    Raises:
        SordinoError: nothing that can be explained.

    Example:
        >>> for line in explain(LDP("ln 1.8")): print(line)
        Whatever else somebody knows, one report changes the odds between any two answers by a factor of at most 1.8.
        A suspicion of 1 in 10 becomes at most 1 in 6 and at least 1 in 17.2.
        A second report about the same answer multiplies the factors.
    """
    match thing:
        case LDP():
            return (
                (
                    "Whatever else somebody knows, one report changes the odds between any two answers by a factor of"
                    f" at most {_factor(thing.epsilon)}."
                ),
                *_common(thing.epsilon, "A suspicion"),
            )
        case BlockLDP():
            return _blocks(thing)
        case Certificate():
            return _certificate(thing)
        case Mechanism():
            return _mechanism(thing)
        case Plan():
            return _plan(thing)
        case _:
            raise SordinoError(
                "only a definition, a mechanism, a certificate or a plan can be explained", found=type(thing).__name__
            )


def _common(epsilon: Nats, suspicion: str) -> tuple[str, ...]:
    most, least = beliefs(epsilon)
    return (
        f"{suspicion} of 1 in {PRIOR} becomes at most 1 in {most} and at least 1 in {least}.",
        "A second report about the same answer multiplies the factors.",
    )


def _blocks(definition: BlockLDP) -> tuple[str, ...]:
    sizes = definition.partition.sizes
    size = f"{sizes.min()} values each" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()} values"
    alone = int((sizes == 1).sum())
    count = definition.partition.m
    public = f"The block of an answer (one of {count}, {size}) is public: every report tells it as it is."
    told = "such an answer is told as it is, without any protection."
    single = f"1 block has a single value: {told}" if alone == 1 else f"{alone} blocks have a single value: {told}"
    within = (
        "Within the block, whatever else somebody knows, one report changes the odds between any two answers by a"
        f" factor of at most {_factor(definition.epsilon)}."
    )
    protected = (within, *_common(definition.epsilon, "For somebody who already knows the block, a suspicion"))
    return (public, *((single,) if alone else ()), *(protected if alone < len(sizes) else ()))


def _certificate(certificate: Certificate) -> tuple[str, ...]:
    if certificate.witness is None:
        return ("No two values are protected from each other, so nothing can be broken.",)
    witness = certificate.witness
    code = "one of its codes" if witness.code is None else f"code {witness.code}"
    where = f"{code}, between the values {witness.value} and {witness.other}"
    if witness.loss is None:
        return (f"The promise is broken without bound: {where}, the second can never cause the code.",)
    verdict = "The promise holds" if certificate.holds else "The promise is BROKEN"
    return (
        f"{verdict}: checked on every output in exact integers.",
        f"The largest loss of a report is {outward(Fraction(witness.loss.ceil()), 9, up=True)} nats, at {where}.",
        f"What is left of epsilon there: {outward(Fraction(certificate.slack.floor()), 3, up=False)} nats.",
    )


def _mechanism(mechanism: Mechanism) -> tuple[str, ...]:
    return (
        f"A report is one of {mechanism.outputs} codes: {mechanism.code_bits} bits.",
        _forged(leverage(mechanism)),
    )


def _forged(people: float) -> str:
    if not isfinite(people):
        return "Nothing can be estimated from its reports: they do not depend on the values."
    return f"One forged report can weigh as much as {_short(Fraction(people), up=True)} people in an estimate."


def _plan(plan: Plan) -> tuple[str, ...]:
    query, mechanism = plan.query, plan.query.mechanism
    lines = [f"Each person is asked once for {query.attribute!r}, one of {plan.domain.k} values, and sends one report."]
    if plan.attribute.blocks and plan.attribute.blocks.tiles:
        height, width = plan.attribute.blocks.tiles
        divides = isinstance(plan.domain, Grid) and not plan.domain.rows % height and not plan.domain.columns % width
        lines.append(f"A block is {'' if divides else 'at most '}{height} x {width} cells of the map.")
    if plan.attribute.missing is not None:
        lines.append(f"A missing answer counts as {plan.attribute.missing!r} and is protected as that category is.")
    return (
        *lines,
        *explain(plan.definition),
        f"A report is one of {mechanism.outputs} codes: {mechanism.code_bits} bits.",
        _forged(leverage(mechanism, subtract_totals=query.subtract_totals)),
    )


def beliefs(epsilon: Nats) -> tuple[str, str]:
    """What a suspicion of 1 in 10 can become: the N of "at most 1 in N" and "at least 1 in N", rounded outward.

    A belief p moves between p / (p + (1 - p) e^eps) and p e^eps / (1 - p + p e^eps).
    """
    high = _enclosed(epsilon)[1]
    # "1 in N" is the larger the smaller N: N rounds down for the most, up for the least.
    return _short(1 + (PRIOR - 1) / high, up=False), _short(1 + (PRIOR - 1) * high, up=True)


def _factor(epsilon: Nats) -> str:
    return _short(_enclosed(epsilon)[1], up=True)


def _short(value: Fraction, *, up: bool) -> str:
    """Hundredths up to a million, then three significant digits; rounded as told."""
    whole = len(str(int(value)))
    return outward(value, 3 if whole > 6 else whole + 2, up=up)


def _enclosed(epsilon: Nats) -> tuple[Fraction, Fraction]:
    """Bounds of e^epsilon; exact where it is rational."""
    if epsilon.rational == 0:
        return epsilon.ratio, epsilon.ratio
    low, high = exponential(epsilon.rational, FIRST_DIGITS)
    return low * epsilon.ratio, high * epsilon.ratio
