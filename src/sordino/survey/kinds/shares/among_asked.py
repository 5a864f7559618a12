"""Shares among the people who were asked (`only_if`), or who gave another answer than that of `missing`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sordino.blocks.block import BlockGroup
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable
from sordino.estimation.joint.table_cells import TableShares
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.question import SharesQuestion


def asked_blocks(
    question: SharesQuestion,
    labels: Sequence[str],
    said: Sequence[str],
    told: TableShares | None,
    coverage: Coverage,
    n: int,
    unanswered: str | None = None,
) -> tuple[BlockGroup, ...]:
    """A table of shares among those who were asked, or answered; none where reports do not tell whether anybody was.

    Args:
        question: about the attribute.
        labels: of its values, without the one of who was not asked or did not answer.
        said: these labels as people read them.
        told: their shares; None where they are not worked out.
        coverage: what intervals hold against.
        n: the number of reports.
        unanswered: the value that a missing answer counts as, if the shares are among those with another one.
    """
    if told is None or not np.isfinite(told.value).all():
        return ()
    given, whom = ("asked", "were asked") if unanswered is None else ("answered", f"answered other than {unanswered!r}")
    among = f"Shares among the people who {whom}: estimated shares of all people over the estimated share of these."
    columns = {"estimate": told.value, "stderr": told.stderr, "low": told.low, "high": told.high}
    columns |= {} if told.fitted is None else {"fitted": told.fitted}

    name = question.name

    def key(place: int) -> dict[str, Any]:
        return {"attribute": name, "value": labels[place], "given": {name: given}}

    table = QuantityTable(
        question=name,
        about=f"{question.title}, of those who {whom}",
        columns=columns,
        label=lambda place: f"{labels[place]}, if {given}",
        asked=question.title,
        readable_label=lambda place: f"{said[place]}, if {given}",
        kind=lambda _: "conditional",
        key=key,
        confidence=coverage.confidence,
        title=f"{n:,} reports; among those who {whom}",
        sentences=(coverage.sentence("value"), Sentence(among, Purpose.COLUMNS)),
        order=1,
    )
    return (BlockGroup(f"Among those who {whom}", (table,), question.title),)
