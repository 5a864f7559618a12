"""Within what a question is chosen and estimated, and what a kind gives then: nothing that a device needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sordino.definition.dependence import Dependence
from sordino.errors import SordinoError
from sordino.survey.questions.question import Floats

if TYPE_CHECKING:
    from sordino.estimation.estimate import Method
    from sordino.survey.estimates.coverage import Coverage
    from sordino.survey.estimates.single_moments import SingleMoments


@dataclass(frozen=True)
class ChoiceTerms:
    """Within what a mechanism is chosen.

    Attributes:
        people: how many are expected to answer the survey.
        share: of them, who are asked this question.
        dependence: between the attributes, if each is promised a delta; None where pairs of values are protected.
        unknown: the same, and nothing bounded where attributes have no deltas.
        code_bits: of a report at most.
    """

    people: int
    share: Fraction
    dependence: Dependence | None
    unknown: Dependence
    code_bits: int


@dataclass(frozen=True)
class Chosen:
    """How a question is asked.

    Attributes:
        part: of the plan's document, without the weight.
        protects: what is promised about the values of attributes, by name, in the document's words.
    """

    part: Mapping[str, Any]
    protects: Mapping[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class EstimateTerms:
    """How a question's tally is estimated.

    Attributes:
        method: how distributions are fitted; None for the question's own.
        coverage: what intervals hold against.
        public: numbers that may go with its shares, shape (k,); None without any.
    """

    method: "Method | None"
    coverage: "Coverage"
    public: Floats | None


@dataclass(frozen=True)
class Refusal:
    """Why reports do not answer a question.

    Attributes:
        why: what is missing, and what to do.
        awaiting: how many reports are expected to answer it, of people whom the plan expects.
        suggested: how many of people who are as these reports say; None where they say too little.
        instead: what they do tell of its attributes, each by itself; None where they are too few for that too.
    """

    why: SordinoError
    awaiting: Callable[[], int | None] = field(default=lambda: None, repr=False)
    suggested: Callable[[], int | None] = field(default=lambda: None, repr=False)
    instead: "SingleMoments | None" = field(default=None, repr=False)
