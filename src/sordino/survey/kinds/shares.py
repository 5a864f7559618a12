"""What the kinds of questions about shares of counted values have in common: their channel, forecast and result."""

from typing import TYPE_CHECKING, Any, TypeVar

from sordino.definition.pairwise import PairwiseDefinition
from sordino.document.schema.strict_table import StrictTable
from sordino.mechanism.aggregate import Aggregate
from sordino.survey.frozen.question_part import SharesPart
from sordino.survey.kinds.kind import Kind
from sordino.survey.questions.question import Floats, SharesQuestion

if TYPE_CHECKING:
    from sordino.survey.estimates.shares import HistogramResult
    from sordino.survey.forecasts.fitted_forecast import FittedForecast
    from sordino.survey.forecasts.forecast import Forecast
    from sordino.survey.kinds.terms import EstimateTerms

SettingsT = TypeVar("SettingsT", bound=StrictTable)
PartT = TypeVar("PartT", bound=SharesPart)
QuestionT = TypeVar("QuestionT", bound=SharesQuestion)


def channel_of_shares(k: int, definition: PairwiseDefinition, code_bits: int) -> dict[str, Any]:
    """What a plan holds of the best channel from k values: its record, and whether estimates are shifted to totals."""
    from sordino.design.accuracy import subtracting_helps
    from sordino.design.histograms.best_mechanism import best_mechanism
    from sordino.document.codec import freeze

    mechanism = best_mechanism(k, definition, code_bits)
    return {"mechanism": freeze(mechanism), "subtract_totals": subtracting_helps(mechanism)}


class SharesKind(Kind[SettingsT, PartT, QuestionT]):
    """A kind of question about shares of counted values."""

    def forecast(self, question: QuestionT, expected: Floats | None, fitted: "FittedForecast") -> "Forecast":
        """Of the shares."""
        from sordino.survey.forecasts.shares_forecast import SharesForecast

        return SharesForecast.of(question, expected, fitted)

    def result(self, question: QuestionT, own: Aggregate, terms: "EstimateTerms") -> "HistogramResult":
        """The shares; smoothed ones, where they go with those of neighbours or with public numbers."""
        from sordino.survey.estimates.shares import HistogramResult

        return HistogramResult.of(question, own, terms.method, terms.coverage, terms.public)
