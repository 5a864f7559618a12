"""What a page shows of means, covariance matrices and regressions."""

import numpy as np

from sordino.survey.digits import rounded
from sordino.survey.result import NumbersResult
from sordino.view.correlations import correlations
from sordino.view.intervals import points
from sordino.view.page import Figure, Section, Table


def numbers_sections(result: NumbersResult) -> list[Section]:
    """The figure and the table of a question about numbers."""
    name = result.question.name
    title = name[0].upper() + name[1:]
    sections: list[Section] = []
    if result.question.part.asked == "mean":
        sections.append(_means(result, title))
    elif result.question.part.asked == "regression":
        sections.append(_coefficients(result, title))
    else:
        sections.append(_correlations(result, title))
    return [*sections, _table(result, title)]


def _note(result: NumbersResult) -> str:
    return f"Intervals hold for each number by itself with {100 * result.confidence:.15g}% confidence."


def _means(result: NumbersResult, title: str) -> Figure:
    """Each mean on its own range, from the lowest to the highest value."""
    ends = result.question.intervals
    low, high = result.interval
    starts, widths = np.array([end.low for end in ends]), np.array([end.width for end in ends])
    value, low, high = (100 * (number - starts) / widths for number in (result.estimate.value, low, high))
    unit = "% of the way from the lowest to the highest value"
    png = points(result.question.asked, (value, low, high), unit, _texts(result), zero=False)
    note = f"On the right the means in their own units. {_note(result)}"
    return Figure(title, png, f"Points of {len(ends)} means with their intervals.", note)


def _coefficients(result: NumbersResult, title: str) -> Figure:
    """Each coefficient times its feature's range: all in the target's unit, so that they can be compared."""
    *features, target = result.question.asked
    widths = np.array([end.width for end in result.question.intervals[:-1]])
    low, high = result.interval
    value, low, high = (widths * numbers[1:] for numbers in (result.estimate.value, low, high))
    unit = f"change of {target} over the whole range of the feature"
    png = points(features, (value, low, high), unit, _texts(result)[1:], zero=True)
    note = (
        "A point is a coefficient times the range of its feature, so that features can be compared; on the right the"
        f" coefficients in their own units. {_note(result)}"
    )
    return Figure(title, png, f"Points of {len(features)} coefficients with their intervals.", note)


def _correlations(result: NumbersResult, title: str) -> Figure:
    """The correlations of the fitted matrix, which noise cannot have made impossible."""
    names = result.question.asked
    fitted = np.zeros((len(names), len(names))) if result.fitted is None else result.fitted
    note = (
        "Correlations of the fitted covariances, without intervals: those below tell how sure each is. A number whose"
        " fitted variance is zero has none."
    )
    return Figure(f"{title}: correlations", correlations(names, fitted), "A heat map of correlations.", note)


def _texts(result: NumbersResult) -> list[str]:
    """The estimates in their own units."""
    return [rounded(row)["estimate"] for row in result.rows()]


def _table(result: NumbersResult, title: str) -> Table:
    fitted = [] if result.fitted is None else ["fitted"]
    header = (result.about, result.noun, "std. error", "from", "to", *fitted)
    rows = tuple((str(row["value"]), *rounded(row).values()) for row in result.rows())
    why = " The fitted ones are the nearest that some data can have, since noise can make the others impossible."
    return Table(f"{title}: all numbers", header, rows, _note(result) + (why if fitted else ""))
