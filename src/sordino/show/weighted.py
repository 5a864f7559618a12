"""Blocks of weighted estimates: who sent reports of how many, what reports count, and the population's numbers."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sordino.blocks.block import Block, BlockGroup
from sordino.blocks.sentence import Purpose, Sentence
from sordino.blocks.tables import QuantityTable, TextTable
from sordino.survey.estimates.rows import IN_ORDER
from sordino.survey.results.weighted import Unweighted, Weighted, WeightedResult

MEANT = (
    "Each group counts as many people as it is known to have. Totals and weights are taken to be known without error;"
    " within a group those who sent reports are taken for a random part of it."
)


def weighted_blocks(found: Weighted | Unweighted) -> Iterator[Block]:
    """The people behind the reports, and all weighted numbers."""
    by, several = " and ".join(found.columns), len({row.columns for row in found.response}) > 1
    if found.response:
        rows = tuple(
            (
                f"{row.columns}: {row.label}" if several else row.label,
                f"{row.reports:,}",
                f"{row.people:,}",
                _percent(row.reports, row.people),
            )
            for row in found.response
        )
        title = f"Who sent reports, by {by}"
        yield BlockGroup(title, (TextTable(title, (by, "reports", "people", "of these, %"), rows),))
    if isinstance(found, Unweighted):
        text = f"Not weighted by {by}: {found.why}"
        yield BlockGroup(f"Weighted by {by}", (Sentence(text, Purpose.REFUSAL),))
        return
    yield BlockGroup(f"Weighted by {by}", (_weights(found), *(_table(one, found) for one in found.results)))
    for name, why in found.why.items():
        yield BlockGroup(f"{name}: not weighted", (Sentence(f"{name}: not weighted; {why}", Purpose.REFUSAL),))


def weighted_json(found: Weighted | Unweighted) -> dict[str, Any]:
    """For programs: the weighted numbers, what reports count, and who sent some; or why nothing is weighted."""
    if isinstance(found, Unweighted):
        told = {"weighted_by": list(found.columns), "response": [asdict(row) for row in found.response]}
        return {"weighted": [], **told, "not_weighted": {"": found.why}}
    each = found.weights.of_report
    return {
        "weighted": [row for result in found.results for row in result.rows()],
        "weighted_by": list(found.columns),
        "weights": {
            "least": float(each.min()),
            "most": float(each.max()),
            "design_effect": found.weights.design_effect,
        },
        "response": [asdict(row) for row in found.response],
        "not_weighted": dict(found.why),
    }


def _weights(found: Weighted) -> Sentence:
    each = found.weights.of_report
    text = (
        f"A report counts {each.min():.3g} to {each.max():.3g} times the average one, by {' and '.join(found.columns)};"
        f" unequal weights alone make variances {found.weights.design_effect:.3g} times as large. {MEANT}"
    )
    return Sentence(text, Purpose.METHOD)


def _table(one: WeightedResult, found: Weighted) -> QuantityTable:
    low, high = one.interval
    return QuantityTable(
        question=one.question.name,
        about=one.table.about,
        columns={"estimate": one.estimate.value, "stderr": one.estimate.stderr, "low": low, "high": high},
        label=lambda at: one.table.label(one.places[at]),
        kind=lambda _: "weighted",
        key=lambda at: one.table.key(one.places[at]),
        confidence=found.coverage.confidence,
        excerpt=range(min(len(one.places), IN_ORDER)),
        title=f"{one.table.about}, weighted by {' and '.join(found.columns)}",
        noun=one.table.noun,
        are_shares=one.table.are_shares,
        readable_label=lambda at: one.table.label_read(one.places[at]),
        is_date=lambda at: one.table.has_dates(one.places[at]),
        sentences=(found.coverage.sentence("number"),),
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"
