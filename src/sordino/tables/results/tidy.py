"""Estimates in files: one row a quantity, in columns that are the same whatever was asked.

The names are those of broom's `tidy()` in R; what a row does not have is empty. The columns always stand in one order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from sordino.blocks.tables import QuantityTable
from sordino.document.files import replace_whole
from sordino.errors import SordinoError
from sordino.extras import naming_extra
from sordino.show.estimate_rows import FULL, MADE, TESTS, estimate_batches, estimate_schema
from sordino.tables.csv_file import FORMATS, ending_of
from sordino.tables.duckdb import begins_with, write_table
from sordino.tables.results.spreadsheet_cells import as_cell

COLUMNS = {
    "question": "question",
    "attribute": "attribute",
    "term": "value",
    "group": "group",
    "period": "period",
    "kind": "kind",
    "given": "given",
    "within": "within",
    "minus": "minus",
    "estimate": "estimate",
    "std.error": "stderr",
    "conf.low": "low",
    "conf.high": "high",
    "conf.level": "",
    "fitted": "fitted",
    "fitted.low": "fitted_low",
    "fitted.high": "fitted_high",
    "moved": "moved",
    "statistic": "statistic",
    "df": "degrees",
    "p.value": "p",
    "p.adjusted": "p_adjusted",
    "question.text": "question_text",
    "label": "label",
}
"""Each column, and that of `to_arrow()` which it is."""

LABELS = {
    "question": "Question, or questions, that it is estimated from",
    "attribute": "What the term is of: an attribute, several, or the question",
    "term": "Value, number, coefficient, range or quantile",
    "group": "Public group",
    "period": "First day of the period",
    "kind": "What the row is",
    "given": "Attribute that the people have in common",
    "within": "Value of it that they have",
    "minus": "Value that is subtracted",
    "estimate": "Unbiased estimate",
    "std.error": "Standard error",
    "conf.low": "Lower limit of the interval",
    "conf.high": "Upper limit of the interval",
    "conf.level": "Confidence of the interval",
    "fitted": "Closest valid distribution",
    "fitted.low": "Lower limit of the interval of what is fitted",
    "fitted.high": "Upper limit of the interval of what is fitted",
    "moved": "How far forged reports may have moved the estimate",
    "statistic": "Chi squared of a test",
    "df": "Degrees of freedom of a test",
    "p.value": "P-value of a test",
    "p.adjusted": "P-value adjusted for looking at all tests",
    "question.text": "Question as people read it, in the language of the results",
    "label": "Term as people read it",
}
"""What each column is, in files that say it."""

TEXTS = {
    "question",
    "attribute",
    "term",
    "group",
    "period",
    "kind",
    "given",
    "within",
    "minus",
    "question.text",
    "label",
}

SCHEMA = pa.schema([(name, pa.string() if name in TEXTS else pa.float64()) for name in COLUMNS])

ARROW, SPSS = ".arrow", ".sav"
"""An IPC file of Arrow, and a file of SPSS, beside the tables that are read too."""


def tidy(rows: pa.Table, confidence: float) -> pa.Table:
    """The rows of `to_arrow()` in these columns.

    Args:
        rows: as it gives them.
        confidence: of their intervals.
    """
    # Its functions take longer to load than most commands take, which need none of them.
    from pyarrow import compute

    have = {name: rows[own] for name, own in COLUMNS.items() if own in rows.schema.names}
    have["question"] = compute.coalesce(have.get("question", rows["attribute"]), rows["attribute"])
    nothing = pa.scalar(None, pa.float64())
    have["conf.level"] = compute.if_else(compute.is_valid(rows["low"]), pa.scalar(confidence), nothing)
    return pa.table([have.get(one.name, pa.nulls(len(rows), one.type)) for one in SCHEMA], SCHEMA)


def file_format(path: Path) -> str:
    """The format of estimates that a file's name tells.

    Raises:
        SordinoError: another ending than a table's, Arrow's or SPSS's.
    """
    endings = (*FORMATS, ARROW, SPSS)
    if ending := ending_of(path, endings):
        return ending
    if path.is_fifo():
        return ".csv"
    rule = f"a table of estimates must end in {', '.join(endings)}, or .geojson for a map"
    raise SordinoError(rule, found=repr(path.name), step="name it so")


def write_tidy(
    found: Sequence[QuantityTable],
    made: Iterable[Mapping[str, Any]],
    confidence: float,
    path: Path,
    *,
    overwrite: bool = False,
) -> None:
    """Write all rows: .csv, .csv.gz, .parquet, .arrow (an IPC file) or .sav (SPSS).

    In a CSV file a name that a spreadsheet would run as a formula has an apostrophe before it (`as_cell`). But for SPSS
    some rows at a time are in memory.

    Args:
        found: the tables of all questions.
        made: what is made of their results.
        confidence: of the intervals.
        path: of the file.
        overwrite: whether an existing file may be replaced.

    Raises:
        SordinoError: another ending, a file that may not be overwritten, or the system refuses to write.
        UnavailableError: SPSS without the extra for it.
    """
    written = estimate_batches(found, made, FULL)
    batches = chain.from_iterable(tidy(pa.Table.from_batches([one]), confidence).to_batches() for one in written)
    match file_format(path):
        case ".parquet":
            write_table(path, SCHEMA, batches, overwrite=overwrite)
        case ".arrow":
            with replace_whole(path, overwrite=overwrite) as temporary, pa.ipc.new_file(temporary, SCHEMA) as file:
                for batch in batches:
                    file.write_batch(batch)
        case ".sav":
            _write_spss(pa.Table.from_batches(batches, SCHEMA), path, overwrite=overwrite)
        case _:
            write_table(path, SCHEMA, _as_cells(batches), overwrite=overwrite)


def _as_cells(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        columns = [
            pa.array([None if text is None else as_cell(text) for text in batch[one.name].to_pylist()], pa.string())
            if one.name in TEXTS
            else batch[one.name]
            for one in SCHEMA
        ]
        yield pa.record_batch(columns, SCHEMA)


def _write_spss(found: pa.Table, path: Path, *, overwrite: bool) -> None:
    with naming_extra("spss"):
        import pandas as pd
        import pyreadstat
    columns = {
        name: pd.Series(found[name].to_pylist(), dtype="object" if name in TEXTS else "float64") for name in COLUMNS
    }
    frame = pd.DataFrame(columns)
    with replace_whole(path, overwrite=overwrite) as temporary:
        pyreadstat.write_sav(frame, str(temporary), column_labels=dict(LABELS))


def is_tidy(path: Path) -> bool:
    """Whether a file is a table of estimates."""
    try:
        match file_format(path):
            case ".arrow":
                with pa.memory_map(str(path)) as file:
                    return bool(pa.ipc.open_file(file).schema.names == SCHEMA.names)
            case ".sav":
                import pyreadstat

                names = pyreadstat.read_sav(str(path), metadataonly=True)[1].column_names
                return list(names) == list(SCHEMA.names)
    except (SordinoError, pa.ArrowException, OSError, ImportError, ValueError):
        return False
    return begins_with(path, SCHEMA.names)


def table_of(
    found: Sequence[QuantityTable], made: Iterable[Mapping[str, Any]] = (), schema: pa.Schema | None = None
) -> pa.Table:
    """All rows; what was fitted is null where nothing was.

    Of the columns of made rows there are those that some row has.

    Args:
        found: the tables of all questions.
        made: what is made of their results.
        schema: the columns; by default those that some row has.
    """
    more = list(made)
    columns = [name for name in (*MADE, *TESTS) if any(name in row for row in more)]
    schema = schema or estimate_schema(found, columns, always=("fitted",))
    return pa.Table.from_batches(estimate_batches(found, more, schema), schema)
