"""How far collections are, which everybody may ask as often as they like: the store is asked for what it knows already.

What is counted by groups is counted on a thread of its own, and once for a tally: of many regions and periods it takes
longer than a commit, and uploads wait for no reader.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sordino.mechanism.channel import Aggregate
from sordino.service.answer_cache import AnswerCache
from sordino.service.storage.collection import Collection
from sordino.service.storage.store import ReportStore
from sordino.survey.planning.plan import Plan
from sordino.survey.results.cell_tallies import group_counts, reports_by_cell
from sordino.survey.schema.series_table import PERIOD

Groups = Mapping[str, Mapping[str, int | None]]


class Progress:
    """Of the collections of a store.

    Args:
        ask: has a function of the store called between two commits.
        least: reports without which a group is not shown.
    """

    def __init__(self, ask: Callable[[Callable[[ReportStore], Any]], Awaitable[Any]], least: int) -> None:
        self._ask, self._least, self._groups = ask, least, AnswerCache[Groups]()

    async def of(self, collection: Collection) -> dict[str, Any]:
        """How many reports there are, of each public group too, and whether more are taken."""
        plan = collection.plan
        looked: tuple[dict[str, Any], Aggregate] = await self._ask(lambda _: _look(collection))
        found, tally = looked
        if not plan.cells.parts:
            return found
        # A tally is another one as soon as a report comes.
        return found | {
            "groups": await self._groups.once((plan.hash, tally), lambda: _by_groups(plan, tally, self._least))
        }


def _look(collection: Collection) -> tuple[dict[str, Any], Aggregate]:
    plan, tally = collection.plan, collection.aggregate
    found = {"plan": plan.hash, "reports": tally.n, "people": plan.people, "closed": collection.is_closed}
    found |= {"invitations": collection.invitations, "invitations_used": collection.used_invitations}
    if plan.series is not None:
        days = {"open_periods": collection.open_periods, "closed_periods": collection.closed_periods.labels}
        found |= days | {"grace": collection.grace}
    return found, tally


def _by_groups(plan: Plan, tally: Aggregate, least: int) -> Groups:
    """How many reports the groups of each column have; of a column with a group of fewer than `least`, no group's."""
    reports = reports_by_cell(plan, tally)
    if plan.series is None:
        return {name: _counts_of_large(group_counts(plan, reports, name), least) for name in plan.cells.names}
    # How many a period has would follow from all numbers of all reports; it says nothing of a person.
    periods = group_counts(plan, reports, PERIOD)
    large = {place for place, n in enumerate(periods.values()) if n >= least}
    # In no other column: what is there and in no period that is large would be of one that is not.
    shown = {cell: n for cell, n in reports.items() if cell % plan.series.periods in large}
    names = [name for name in plan.cells.names if name != PERIOD]
    return {name: _counts_of_large(group_counts(plan, shown, name), least) for name in names} | {PERIOD: periods}


def _counts_of_large(counts: Mapping[str, int], least: int) -> dict[str, int | None]:
    """How many reports each group has; of none where one has a few: all others together would tell it."""
    tells = all(n >= least for n in counts.values() if n)
    return {one: n if tells else None for one, n in counts.items()}
