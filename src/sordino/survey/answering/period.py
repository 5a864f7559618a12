"""The period in which a person answers: a uniform choice below the number of periods, on which nothing else depends."""

from sordino.domain.answers.series import Series
from sordino.exact.source import Source, SystemSource, uniform_below


def draw_period(series: Series, source: Source | None = None) -> int:
    """The period of one person, each with the same probability; every call is another draw.

    Args:
        series: of the plan.
        source: of random words; fresh ones of the operating system by default.

    Example:
        >>> from datetime import date
        >>> draw_period(Series(2, "week", date(2026, 1, 5))) in (0, 1)
        True
    """
    words = (SystemSource() if source is None else source).public(1, "period")
    return int(uniform_below(series.periods, words)[0])
