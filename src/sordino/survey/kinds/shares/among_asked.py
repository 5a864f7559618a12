"""Shares among the people who were asked, of an attribute that is not asked of all (`only_if`)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sordino.blocks.block import BlockGroup
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable
from sordino.estimation.joint.table_cells import TableShares
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.question import SharesQuestion

AMONG = (
    "Shares among the people who were asked: estimated shares of all people over the estimated share of who was asked."
)
"""What the table shows."""


def asked_blocks(
    question: SharesQuestion,
    labels: Sequence[str],
    said: Sequence[str],
    told: TableShares | None,
    coverage: Coverage,
    n: int,
) -> tuple[BlockGroup, ...]:
    """A table of shares among those who were asked; none where reports do not tell whether anybody was.

    Args:
        question: about the attribute.
        labels: of its values, without the one of who was not asked.
        said: these labels as people read them.
        told: their shares; None where they are not worked out.
        coverage: what intervals hold against.
        n: the number of reports.
    """
    if told is None or not np.isfinite(told.value).all():
        return ()
    columns = {"estimate": told.value, "stderr": told.stderr, "low": told.low, "high": told.high}
    columns |= {} if told.fitted is None else {"fitted": told.fitted}

    name = question.name

    def key(place: int) -> dict[str, Any]:
        return {"attribute": name, "value": labels[place], "given": {name: "asked"}}

    table = QuantityTable(
        question=name,
        about=f"{question.title}, of those who were asked",
        columns=columns,
        label=lambda place: f"{labels[place]}, if asked",
        asked=question.title,
        readable_label=lambda place: f"{said[place]}, if asked",
        kind=lambda _: "conditional",
        key=key,
        confidence=coverage.confidence,
        title=f"{n:,} reports; among those who were asked",
        sentences=(coverage.sentence("value"), Sentence(AMONG, Purpose.COLUMNS)),
        order=1,
    )
    return (BlockGroup("Among those who were asked", (table,), question.title),)
