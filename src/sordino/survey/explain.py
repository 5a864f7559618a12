"""What a promise means, in plain words: odds, beliefs, and what is not protected. One function for any of them.

Numbers round against the promise: the most that can be learned is rounded up, never down. Source: the bounds on
posterior odds of the context-aware LDP paper, Section 3.1, with the evidence of one report.
"""

from fractions import Fraction
from math import ceil, floor

from sordino.audit.certify import Certificate
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.errors import SordinoError
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential
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
    alone = int((sizes == 1).sum())
    size = f"{sizes.min()} values each" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()} values"
    lines = [
        f"The block of an answer (one of {definition.partition.m}, {size}) is public: every report tells it as it is.",
        (
            "Within the block, whatever else somebody knows, one report changes the odds between any two answers by a"
            f" factor of at most {_factor(definition.epsilon)}."
        ),
        *_common(definition.epsilon, "For somebody who already knows the block, a suspicion"),
    ]
    if alone:
        lines.insert(1, f"{alone} blocks have a single value: such an answer is told as it is, without any protection.")
    return tuple(lines)


def _certificate(certificate: Certificate) -> tuple[str, ...]:
    if certificate.witness is None:
        return ("No two values are protected from each other, so nothing can be broken.",)
    witness = certificate.witness
    where = f"code {witness.code}, between the values {witness.value} and {witness.other}"
    if witness.loss is None:
        return (f"The promise is broken without bound: {where}, the second can never cause the code.",)
    verdict = "The promise holds" if certificate.holds else "The promise is BROKEN"
    return (
        f"{verdict}: checked on every output in exact integers.",
        f"The largest loss of a report is {witness.loss.ceil():.12g} nats, at {where}.",
        f"What is left of epsilon there: {certificate.slack.floor():.3g} nats.",
    )


def _mechanism(mechanism: Mechanism) -> tuple[str, ...]:
    return (
        f"A report is one of {mechanism.outputs} codes: {mechanism.code_bits} bits.",
        f"One forged report can weigh as much as {_up(Fraction(mechanism.leverage), 1)} people in an estimate.",
    )


def _plan(plan: Plan) -> tuple[str, ...]:
    name = plan.query.attribute
    lines = [f"Each person is asked once for {name!r}, one of {plan.domain.k} values, and sends one report."]
    if plan.attribute.blocks and plan.attribute.blocks.tiles:
        height, width = plan.attribute.blocks.tiles
        lines.append(f"A block is {height} x {width} cells of the map.")
    if plan.attribute.missing is not None:
        lines.append(f"A missing answer counts as {plan.attribute.missing!r} and is protected like any other.")
    return (*lines, *explain(plan.definition), *explain(plan.query.mechanism))


def beliefs(epsilon: Nats) -> tuple[str, str]:
    """What a suspicion of 1 in 10 can become: the N of "at most 1 in N" and "at least 1 in N", rounded outward.

    A belief p moves between p / (p + (1 - p) e^eps) and p e^eps / (1 - p + p e^eps).
    """
    _, high = _enclosed(epsilon)
    most, least = 1 + (PRIOR - 1) / high, 1 + (PRIOR - 1) * high
    # "1 in N" is the larger the smaller N: N rounds down for the most, up for the least.
    return _down(most, 2 if most < 2 else 1), _up(least, 1)


def _factor(epsilon: Nats) -> str:
    return _up(_enclosed(epsilon)[1], 2)


def _enclosed(epsilon: Nats) -> tuple[Fraction, Fraction]:
    """Bounds of e^epsilon; exact where it is rational."""
    if epsilon.rational == 0:
        return epsilon.ratio, epsilon.ratio
    low, high = exponential(epsilon.rational, FIRST_DIGITS)
    return low * epsilon.ratio, high * epsilon.ratio


def _up(value: Fraction, digits: int) -> str:
    return _number(Fraction(ceil(value * 10**digits), 10**digits))


def _down(value: Fraction, digits: int) -> str:
    return _number(Fraction(floor(value * 10**digits), 10**digits))


def _number(value: Fraction) -> str:
    """A short decimal, with thousands apart."""
    text = f"{float(value):,.2f}" if value < 10**6 else f"{float(value):.3g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
