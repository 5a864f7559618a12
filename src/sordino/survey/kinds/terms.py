"""Within what a question is chosen and estimated, and what a kind gives then: nothing that a device needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sordino.distinct import DistinctParts
from sordino.errors import SordinoError
from sordino.survey.kinds.question import Floats

if TYPE_CHECKING:
    from sordino.design.numbers.level_limits import LevelLimits
    from sordino.estimation.share_estimate import Method
    from sordino.survey.kinds.coverage import Coverage
    from sordino.survey.kinds.limit_batch import LimitBatch
    from sordino.survey.kinds.numbers.single_moments import SingleMoments


@dataclass(frozen=True)
class ChoiceTerms:
    """Within what a mechanism is chosen.

    Attributes:
        people: how many are expected to answer the survey.
        share: of them, who are asked this question.
        places: of the attributes by name.
        limits: what the deltas of all attributes allow of single answers; without deltas what is promised of those
            that are asked.
        has_deltas: whether each attribute is promised a delta; otherwise pairs of its values are protected.
        code_bits: of a report at most.
        designs: what was chosen for other questions of the survey, by all that a choice depends on.
    """

    people: int
    share: Fraction
    places: Mapping[str, int]
    limits: "LevelLimits"
    has_deltas: bool
    code_bits: int
    designs: DistinctParts


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
        batch: of the questions whose limits are looked for together.
    """

    method: "Method | None"
    coverage: "Coverage"
    public: Floats | None
    batch: "LimitBatch"


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
