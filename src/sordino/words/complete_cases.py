"""Of whom covariances and coefficients are told where numbers may be missing, in words."""

from collections.abc import Iterator

from sordino.estimation.missing.complete_cases import COMPLETE
from sordino.survey.results.questions.numbers import NumbersResult


def complete_cases_in_words(result: NumbersResult) -> Iterator[str]:
    """Of whom a result is, and of how many; nothing where it is of everybody, or of each number by itself."""
    if result.complete is not None:
        low, high = (100 * result.numbers[end][-1] for end in ("low", "high"))
        yield (
            f"All of this is of those who have all these numbers, {low:.1f} to {high:.1f} % of the people (the row"
            f" {COMPLETE!r}), and says nothing of the others."
        )
