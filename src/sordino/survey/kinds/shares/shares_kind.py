"""What the kinds of questions about shares of counted values have in common: their channel, forecast and result."""

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sordino.definition.pairwise import PairwiseDefinition
from sordino.distinct import DistinctParts
from sordino.document.schema.strict_table import StrictTable
from sordino.mechanism.channel import Aggregate
from sordino.survey.kinds.kind import Kind
from sordino.survey.kinds.question import Floats, SharesPart, SharesQuestion

if TYPE_CHECKING:
    from sordino.survey.kinds.question_forecast import Forecast
    from sordino.survey.kinds.shares.fitted_forecast import FittedForecast
    from sordino.survey.kinds.shares.shares_result import HistogramResult
    from sordino.survey.kinds.terms import ChoiceTerms, EstimateTerms

SettingsT = TypeVar("SettingsT", bound=StrictTable)
PartT = TypeVar("PartT", bound=SharesPart)
QuestionT = TypeVar("QuestionT", bound=SharesQuestion)


class SharesDesign(NamedTuple):
    """All that the choice of a channel depends on.

    Attributes:
        k: how many values it takes.
        definition: that it keeps.
        code_bits: of a report at most.
    """

    k: int
    definition: PairwiseDefinition
    code_bits: int


def channel_of_shares(k: int, definition: PairwiseDefinition, terms: "ChoiceTerms") -> dict[str, Any]:
    """What a plan holds of the best channel from k values: its record, and whether estimates are shifted to totals."""
    return designed_channel(k, definition, terms.code_bits, terms.designs)


def designed_channel(k: int, definition: PairwiseDefinition, code_bits: int, designs: DistinctParts) -> dict[str, Any]:
    """What a plan holds of the best channel from k values, with codes of at most so many bits; designed once."""

    def choose() -> dict[str, Any]:
        from sordino.design.accuracy import subtracting_helps
        from sordino.design.shares.best_mechanism import best_mechanism
        from sordino.document.codec import encode

        mechanism = best_mechanism(k, definition, code_bits)
        return {"mechanism": encode(mechanism), "subtract_totals": subtracting_helps(mechanism)}

    return designs.of(SharesDesign(k, definition, code_bits), choose)


class SharesKind(Kind[SettingsT, PartT, QuestionT]):
    """A kind of question about shares of counted values."""

    def forecast(self, question: QuestionT, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        from sordino.survey.kinds.shares.shares_forecast import SharesForecast

        return SharesForecast.of(question, expected, fitted)

    def result(self, question: QuestionT, own: Aggregate, terms: "EstimateTerms") -> "HistogramResult":
        """The shares; smoothed ones, where they go with those of neighbours or with public numbers."""
        from sordino.survey.kinds.shares.shares_result import HistogramResult

        return HistogramResult.of(question, own, terms.method, terms.coverage, terms.public, terms.batch)
