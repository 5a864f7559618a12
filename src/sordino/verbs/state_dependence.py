"""The verb `dependence`: how much a survey's attributes tell about one another, from a public sample."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from sordino.design.from_sample import state_dependence
from sordino.design.stated_dependence import Statement, read_confidence
from sordino.document.replace import of_kind, require_free
from sordino.exact.messages import checked
from sordino.survey.planning.questions_for_sample import questions_for_sample
from sordino.survey.planning.statement import save_statement
from sordino.survey.reading.survey_file import Survey
from sordino.tables.frame import table_of
from sordino.tables.public_sample import columns_of_sample, tally_table_of_sample
from sordino.tables.reports import Progress


@checked
def dependence(
    survey: Survey | Mapping[str, Any] | Path | str,
    sample: Any,
    confidence: float | str | Fraction = "0.99",
    *,
    shift: float | str | Fraction = 0,
    population: str = "",
    date: str | None = None,
    output: Path | str | None = None,
    progress: Progress | None = None,
) -> Statement:
    """Bound how much the statistics that a survey asks tell about each attribute.

    Args:
        survey: whose attributes and questions count; its tables as TOML gives them, or the path of its file.
        sample: independent records of the population of those who will answer, none of them one who will: a frame, or
            the path of a CSV or Parquet file.
        confidence: that all bounds hold at once, in (0, 1); fixed before the sample was seen.
        shift: how far respondents' conditional shares may be off, in total variation.
        population: whom the sample was drawn from, for the statement.
        date: when, as YYYY-MM-DD, for the statement.
        output: the file of the statement to write, never over another one; `[dependence]` of a survey names it.
        progress: called with the number of rows done since the last call.

    Returns:
        The statement: its `bounds`, each with its reason, and all of them as `dependence`.

    Raises:
        SordinoError: a confidence outside (0, 1), a shift outside [0, 1], no date of that form, or a sample that cannot
            be read or has values outside their domains (named by row, never by value).

    Example:
        >>> import pyarrow as pa
        >>> yes_no = {"categories": ["yes", "no"]}
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": yes_no, "vegan": yes_no}}
        >>> survey = Survey.read({**asked, "ask": [{"histogram": "smoker"}, {"histogram": "vegan"}]})
        >>> sample = pa.table({"smoker": ["yes", "no"] * 50_000, "vegan": ["yes", "yes", "no", "no"] * 25_000})
        >>> float(dependence(survey, sample).dependence.of(0, (1,)))
        0.010293996
    """
    asked = questions_for_sample(Survey.of(survey))
    # Mistakes in them are told before a large sample is read.
    sure = read_confidence(confidence)
    if output is not None:
        require_free(Path(output), "a statement about dependence", of_kind("statement"), force=False)
    held = table_of(sample, columns_of_sample(asked))
    tally = tally_table_of_sample(asked, held, progress or (lambda _: None))
    statement = state_dependence(asked, tally, sure, shift=shift, population=population, date=date)
    if output is not None:
        save_statement(statement, Path(output), overwrite=False)
    return statement
