"""The questions of a plan as rows: as people read them, and for programs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sordino.blocks.arrow_rows import COUNT, NUMBER, TEXT, rows_table
from sordino.printable import join_label
from sordino.survey.kinds.question import Question

if TYPE_CHECKING:
    import pyarrow as pa

QUESTION_HEADER = ("question", "asked", "about", "people", "bits a report")
"""Columns of the rows that people read."""


def question_texts(questions: Sequence[Question]) -> list[tuple[str, ...]]:
    """A row for each question, as people read it, under `QUESTION_HEADER`."""
    return [
        (one.name, one.kind, join_label(one.attribute_names), f"{one.people:,}", str(one.query.code_bits))
        for one in questions
    ]


def question_table(questions: Sequence[Question]) -> "pa.Table":
    """A row for each question, for programs."""
    types = {"question": TEXT, "asked": TEXT, "attributes": TEXT, "share": NUMBER, "people": COUNT, "bits": COUNT}
    columns = {
        "question": [one.name for one in questions],
        "asked": [one.kind for one in questions],
        "attributes": [join_label(one.attribute_names) for one in questions],
        "share": [float(one.share) for one in questions],
        "people": [one.people for one in questions],
        "bits": [one.query.code_bits for one in questions],
    }
    return rows_table(types, columns)
