"""What a page shows of means, covariance matrices and regressions."""

import numpy as np

from sordino.domain.interval import Interval
from sordino.page.descriptions import correlations_in_words, points_in_words
from sordino.page.figures.correlations import correlations
from sordino.page.figures.intervals import points
from sordino.page.page import Figure, PageTable, Section
from sordino.survey.results.questions.numbers import NumbersResult
from sordino.survey.results.questions.single_moments import SingleMoments
from sordino.words.coverage import complete_cases_in_words, coverage_in_words, instead_in_words
from sordino.words.digits import rounded


def numbers_section(result: NumbersResult) -> Section:
    """The figure and the table of a question about numbers."""
    name = result.question.whose
    match result.question.part.asked:
        case "mean":
            figure = _means(result)
        case "regression":
            figure = _coefficients(result)
        case "covariance":
            figure = _correlations(result)
    return Section(name[0].upper() + name[1:], (figure, _table(result)))


def _means(result: NumbersResult) -> Figure:
    """Numbers of one range on one axis; of several, whose units may differ, each on a scale of its own."""
    # Of numbers that may be missing the shares of those who lack them follow.
    ends = [*result.question.intervals, *(Interval(0, 1) for _ in result.question.missing)]
    names, told = [name for name, _ in result.labels], [ends[place[0]] for _, place in result.labels]
    rows, columns = _rounded(result), result.numbers
    numbers = columns["estimate"], columns["low"], columns["high"]
    about = "means and shares" if result.question.missing else "means"
    words, texts = points_in_words(f"{len(names)} {about}", names, rows), [row["estimate"] for row in rows]
    if len({(end.low, end.high) for end in told}) == 1:
        note = f"The numbers on the right are the {about}."
        return Figure(points(names, numbers, "mean", texts, zero=False), words, note=note)
    scales = [(end.low, end.high) for end in told]
    drawing = points(names, numbers, "each on its own scale, over its whole range", texts, scales=scales, zero=False)
    note = f"The numbers on the right are the {about}. Each line is a scale of its own; rows are not to be compared."
    return Figure(drawing, words, note=note)


def _coefficients(result: NumbersResult) -> Figure:
    """Each coefficient times its feature's range: all in the target's unit, so that they can be compared."""
    *features, target = result.question.ranges.names
    widths = 2 * result.question.ranges.half[:-1]
    low, high = result.interval
    value, low, high = (widths * numbers[1:] for numbers in (result.estimate.value, low, high))
    unit = f"change of {target} over the whole range of the feature"
    rows = _rounded(result)[1 : 1 + len(features)]
    drawing = points(features, (value, low, high), unit, [row["estimate"] for row in rows], zero=True)
    note = (
        "A point is a coefficient times the range of its feature, so that features can be compared; on the right the"
        " coefficients in their own units."
    )
    if result.question.part.base:
        note += " Of a category it is the difference from the one that it is against, all else equal."
    words = points_in_words(f"{len(features)} coefficients that explain {target}", features, rows)
    return Figure(drawing, words, note=note)


def _correlations(result: NumbersResult) -> Figure:
    """The correlations of the fitted matrix, which noise cannot have made impossible."""
    names = result.question.asked
    fitted = np.zeros((len(names), len(names))) if result.fitted is None else result.fitted
    note = (
        "Correlations of the fitted covariances, without intervals: those of the covariances tell how sure each is. A"
        " number whose fitted variance is zero has none."
    )
    return Figure(correlations(names, fitted), correlations_in_words(names, fitted), note=note)


def _rounded(result: NumbersResult) -> list[dict[str, str]]:
    """The estimates and their limits in their own units."""
    return [rounded(row) for row in result.rows()]


def _table(result: NumbersResult) -> PageTable:
    fitted = [] if result.fitted is None else ["fitted"]
    moved = ["moved at most"] if result.coverage.forged else []
    header = (result.about, result.noun, "std. error", "from", "to", *fitted, *moved)
    rows = tuple((str(row["value"]), *rounded(row).values()) for row in result.rows())
    note = coverage_in_words("number", result.coverage, result.together)
    note = " ".join([note, *(f"{untold}." for untold in result.notes), *complete_cases_in_words(result)])
    why = " The fitted ones are the nearest that some data can have, since noise can make the others impossible."
    return PageTable(header, rows, note + (why if fitted else ""))


def instead_table(result: SingleMoments) -> PageTable:
    """What is given of a question that is refused."""
    rows = tuple((result.label(place), *rounded(row).values()) for place, row in enumerate(result.rows()))
    said = instead_in_words(result)
    note = f"{said[0].upper()}{said[1:]}. {coverage_in_words('number', result.coverage, result.together)}"
    return PageTable(("attribute", "estimate", "std. error", "from", "to"), rows, note)
