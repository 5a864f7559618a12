"""What a definition of privacy promises, in plain words: odds and beliefs.

Numbers round against the promise: the most that can be learned is rounded up, never down. Source: the bounds on
posterior odds of the context-aware LDP paper, Section 3.2, Proposition 3, with the evidence of one report; of the BCDP
paper, Section 2, for single attributes.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil

from sordino.blocks.sentence import Purpose, Sentence, limits
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.definition.product import Amounts
from sordino.definition.rest import Rest
from sordino.exact.nats import FIRST_DIGITS, Nats, exponential, in_nats, outward
from sordino.survey.schema.promise import Definition

PRIOR = 10
"""The example's suspicion, in per cent."""

FEW = 8
"""Values up to which bounds are told pair by pair."""

SAME = Sentence("A second report about the same answer multiplies the factors.", Purpose.REPEATED)


def promise(
    definition: "Definition | CoordinateDP | BayesianCoordinateDP",
    labels: Sequence[str] | None = None,
    report: str = "one report",
) -> tuple[Sentence, ...]:
    """Sentences about a definition.

    Args:
        definition: the promise.
        labels: names of the values, where they are few enough to be spelled out; of the attributes, where the promise
        is about each of them.
        report: what a report is called.
    """
    match definition:
        case CoordinateDP():
            return _coordinates(definition, labels, report)
        case BayesianCoordinateDP():
            return _averages(definition, labels, report)
        case BlockLDP():
            return _blocks(definition, report)
        case HighLowLDP():
            return _high_low(definition, labels, report)
        case MetricLDP() | PairwiseLDP():
            return _pairs(definition, labels, report)
        case LDP():
            whole = (
                f"Whatever else somebody knows, {report} changes the odds between any two answers by a factor of at"
                f" most {factor(definition.epsilon)}."
            )
            return (Sentence(whole), *example_sentences(definition.epsilon, "A suspicion"))


def _high_low(definition: HighLowLDP, labels: Sequence[str] | None, report: str) -> tuple[Sentence, ...]:
    size, k = len(definition.sensitive), definition.k
    names = f" ({', '.join(repr(labels[value]) for value in definition.sensitive.tolist())})" if labels else ""
    most, _ = beliefs(definition.epsilon)
    raised = (
        f"{size:,} of {k:,} values {'is' if size == 1 else 'are'} sensitive{names}: whatever else somebody knows,"
        f" {report} raises the odds of a sensitive answer over any other by a factor of at most"
        f" {factor(definition.epsilon)}."
    )
    example = f"A suspicion of {PRIOR} % that an answer is a given sensitive one rises to at most {most} %."
    others = (
        "The other values are not protected: a report may show such an answer as it is, and so prove that the answer"
        " is not a sensitive one."
    )
    return (Sentence(raised), Sentence(example, Purpose.EXAMPLE), SAME, Sentence(others))


def _pairs(definition: PairwiseLDP | MetricLDP, labels: Sequence[str] | None, report: str) -> tuple[Sentence, ...]:
    if isinstance(definition, MetricLDP):
        return _metric(definition, report)
    return _matrix(definition, labels, report)


def _matrix(definition: PairwiseLDP, labels: Sequence[str] | None, report: str) -> tuple[Sentence, ...]:
    if not labels and (distances := _equal_steps(definition)):
        return _line(distances, report)
    k = definition.k
    names = [repr(labels[value]) if labels else f"value {value}" for value in range(k)]
    pairs = [(x, other) for x in range(k) for other in range(k) if x != other]
    finite = [(bound, x, other) for x, other in pairs if (bound := definition.bounds[x][other]) is not None]
    lines = []
    if finite:
        least, most = min(finite, key=lambda pair: pair[0])[0], max(finite, key=lambda pair: pair[0])[0]
        lines.append(
            f"Whatever else somebody knows, {report} raises the odds of one answer of a protected pair over the other"
            f" by a factor that depends on the pair: at most {factor(least)} for the best protected pair,"
            f" {factor(most)} for the least protected."
        )
    if finite and labels:
        shown = (
            f"{names[x]} over {names[other]} {'any factor' if bound is None else factor(bound)}"
            for x, other in pairs
            for bound in [definition.bounds[x][other]]
        )
        lines.append(f"At most, by pair: {'; '.join(shown)}.")
    if len(finite) < len(pairs):
        lines.append(
            f"{len(pairs) - len(finite):,} of {len(pairs):,} ordered pairs are not protected: a report may prove that"
            " an answer is not the second one."
        )
    if definition.lowered_pairs:
        x, other = definition.lowered_pairs[0]
        given, implied = definition.given[x][other], definition.bounds[x][other]
        lines.append(
            f"{len(definition.lowered_pairs):,} of the bounds are lower than given, because others imply it; for"
            f" example {names[x]} over {names[other]} by {in_nats(implied)} instead of"
            f" {'infinity' if given is None else given}."
        )
    return (*limits(*lines), SAME)


def _line(distances: Sequence[Nats], report: str) -> tuple[Sentence, ...]:
    """Of values in order, by how far two of them lie apart: the first distance that comes to a nat, or the longest."""
    k = len(distances)
    apart = next((steps for steps in range(1, k) if distances[steps] >= 1), k - 1)
    whom = "two neighbouring values" if apart == 1 else f"two values {apart:,} apart"
    line = (
        f"The {k:,} values are protected by their distance: whatever else somebody knows, {report} changes the odds"
        f" between {whom} by a factor of at most {factor(distances[apart])}; at twice the distance by at most its"
        " square, at half the distance by at most its square root, and so on."
    )
    return (Sentence(line, Purpose.LIMIT), SAME)


def _metric(definition: MetricLDP, report: str) -> tuple[Sentence, ...]:
    far = (
        f"The {definition.k:,} values are protected by their distance: whatever else somebody knows, {report} changes"
        f" the odds between the two closest values by a factor of at most {factor(definition.least)}, and between the"
        f" two furthest apart by at most {factor(definition.epsilon)}; along a path between two values, the factors of"
        " its steps multiply."
    )
    return (Sentence(far, Purpose.LIMIT), SAME)


def _equal_steps(definition: PairwiseLDP) -> list[Nats]:
    """Bounds by how far two values lie apart, if each is as many times that of two neighbours; else none."""
    bounds = definition.bounds
    step = bounds[0][1] if definition.k > FEW else None
    if step is None:
        return []
    distances = list(accumulate([step] * (definition.k - 1), initial=Nats.of(0)))
    rows = enumerate(bounds)
    alike = all(bound == distances[abs(x - other)] for x, row in rows for other, bound in enumerate(row))
    return distances if alike else []


def _coordinates(definition: CoordinateDP, labels: Sequence[str] | None, report: str) -> tuple[Sentence, ...]:
    others = (
        "These factors do not hold for somebody who does not know all other attributes: what a report reveals about"
        " those it also reveals about this one, as far as they depend on each other."
    )
    each = _attributes(definition.budgets, labels, report, "For somebody who already knows all other attributes")
    return (*limits(*each, others, _whole(definition.ldp_level, report)), SAME)


def _averages(definition: BayesianCoordinateDP, labels: Sequence[str] | None, report: str) -> tuple[Sentence, ...]:
    believer = "For somebody whose beliefs before any report about all others, given this one, are the stated prior"
    own = "(their beliefs about the attribute itself may be any)"
    if isinstance(definition.beliefs, Rest):
        # A smaller bound promises less: rounded down.
        bounds = [outward(bound, 6, up=False) for bound in definition.beliefs.bounds]
        alike = len({*bounds}) == 1
        which = "any attribute" if alike else "each attribute in turn"
        believer = (
            "For somebody who believes, before any report, that the distribution of all other attributes together"
            f" differs between two values of {which} by at most {bounds[0] if alike else ', '.join(bounds)} in total"
            " variation"
        )
    each = _attributes(definition.deltas, labels, report, f"{believer} {own}")
    again = (
        f"{'' if definition.epsilon is None else 'That factor multiplies with a second report. '}"
        "The factors of the single attributes do not: two reports that each reveal nothing about an attribute may"
        " reveal it together, so all reports must be checked together."
    )
    return (*limits(*each, _whole(definition.epsilon, report)), Sentence(again, Purpose.REPEATED))


def _attributes(amounts: Amounts, labels: Sequence[str] | None, report: str, believer: str) -> Iterator[str]:
    """Each attribute's line; the first says for whom, and the others the same."""
    whom = believer
    for i, amount in enumerate(amounts):
        name = repr(labels[i]) if labels else f"attribute {i}"
        if amount is None:
            yield f"Nothing is promised about {name} by itself."
            continue
        most, least = beliefs(amount)
        yield (
            f"{whom}, {report} changes the odds between any two values of {name} by a factor of at most"
            f" {factor(amount)}: a suspicion of {PRIOR} % rises to at most {most} % and falls no lower than {least} %."
        )
        whom = "For the same observer"


def _whole(epsilon: Nats | None, report: str) -> str:
    """What holds of whole records, whatever is believed of them."""
    if epsilon is None:
        return "For anybody else, for example with side information about this person, nothing is promised."
    return (
        f"For anybody else, whatever they know about this person, {report} changes the odds between any two records,"
        f" and so between any two values of an attribute, by a factor of at most {factor(epsilon)}."
    )


def beliefs(epsilon: Nats, suspicion: int = PRIOR) -> tuple[str, str]:
    """The most and the least that a suspicion of so many per cent can become, in per cent and rounded outward.

    A belief p moves between p / (p + (1 - p) e^eps) and p e^eps / (1 - p + p e^eps).

    Example:
        >>> beliefs(Nats.of("ln 3"), 50)
        ('75', '25')
    """
    high, rest = _factor_bounds(epsilon)[1], 100 - suspicion
    return short(100 * suspicion * high / (suspicion * high + rest), up=True), short(
        100 * suspicion / (suspicion + rest * high), up=False
    )


def chance_afterwards(epsilon: Nats) -> int:
    """What a chance of 10 % can become at most, in whole per cent, rounded up.

    Example:
        >>> chance_afterwards(Nats.of(2)), chance_afterwards(Nats.of(3))
        (46, 70)
    """
    high = _factor_bounds(epsilon)[1]
    return ceil(100 * high / (high + PRIOR - 1))


def factor(epsilon: Nats) -> str:
    """e^epsilon, rounded up."""
    return short(_factor_bounds(epsilon)[1], up=True)


def short(value: Fraction, *, up: bool) -> str:
    """Hundredths up to a million, then three significant digits; rounded as told."""
    whole = len(str(int(value)))
    text = outward(value, 3 if whole > 6 else whole + 2, up=up)
    units, point, rest = text.partition(".")
    return f"{int(units):,}{point}{rest}" if units.isdigit() else text


def _factor_bounds(epsilon: Nats) -> tuple[Fraction, Fraction]:
    """Bounds of e^epsilon; exact where it is rational."""
    low, high = exponential(epsilon.rational, FIRST_DIGITS)
    return low * epsilon.ratio, high * epsilon.ratio


def example_sentences(epsilon: Nats, suspicion: str) -> tuple[Sentence, ...]:
    """What becomes of a suspicion, and what a second report adds."""
    most, least = beliefs(epsilon)
    example = f"{suspicion} of {PRIOR} % rises to at most {most} % and falls no lower than {least} %."
    return (Sentence(example, Purpose.EXAMPLE), SAME)


def _blocks(definition: BlockLDP, report: str) -> tuple[Sentence, ...]:
    sizes = definition.partition.sizes
    size = (
        f"{sizes.min():,} values each" if sizes.min() == sizes.max() else f"{sizes.min():,} to {sizes.max():,} values"
    )
    alone = int((sizes == 1).sum())
    count = definition.partition.m
    public = f"The block of an answer (one of {count:,}, {size}) is public: every report shows it as it is."
    shown = "such an answer is reported as it is, without any protection."
    single = f"1 block has a single value: {shown}" if alone == 1 else f"{alone:,} blocks have a single value: {shown}"
    within = (
        f"Within the block, whatever else somebody knows, {report} changes the odds between any two answers by a"
        f" factor of at most {factor(definition.epsilon)}."
    )
    told_as_it_is = limits(public, single) if alone else limits(public)
    if alone == len(sizes):
        return told_as_it_is
    suspicion = "For somebody who already knows the block, a suspicion"
    return (*told_as_it_is, Sentence(within), *example_sentences(definition.epsilon, suspicion))
