"""The dashboard's two answers: the page that everybody may see, and the estimates as a page for the analyst."""

from fastapi.responses import HTMLResponse

from sordino.mechanism.aggregate import Aggregate
from sordino.service.web.answer_cache import AnswerCache
from sordino.service.web.period_memory import PeriodMemory
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.groups import grouped_results
from sordino.survey.results.over_time.plan_series import plan_series
from sordino.survey.results.pooled import pooled_results
from sordino.survey.results.result import results_so_far
from sordino.survey.results.weighted import weighted_by_survey


class DashboardPages:
    """Draws one page after the other."""

    def __init__(self) -> None:
        self._pages, self._periods = AnswerCache[str](), PeriodMemory()

    async def watch(self, plan: Plan) -> str:
        """The page on which a collection is watched."""
        # What draws loads only where somebody looks.
        from sordino.show.html.dashboard import dashboard

        return await self._pages.once(plan.hash, lambda: dashboard(plan))

    async def estimates(
        self, plan: Plan, tally: Aggregate, counts: bytes, confidence: float, by: tuple[str, ...] = (), least: int = 1
    ) -> str:
        """What the reports say so far, with intervals that hold at all times together, and what they do not tell yet.

        Args:
            plan: that the reports belong to.
            tally: of the reports.
            counts: the content of the tally (`counts_bytes`).
            confidence: of each interval.
            by: public columns by which people are grouped.
            least: reports without which a group, or a period of a series, is not estimated.

        Raises:
            SordinoError: a confidence outside (0, 1), or a column that is not public.
        """
        from sordino.show.html.estimate_page import estimate_page

        key = plan.hash, counts, confidence, by
        coverage = Coverage(confidence, watched=True)

        def draw() -> str:
            found = results_so_far(plan, tally, None, coverage)
            groups = grouped_results(plan, tally, by, coverage, least=least) if by else None
            known = self._periods.once
            over_time = plan_series(plan, tally, found, coverage, least=least, smoothed=True, remember=known)
            pooled = pooled_results(plan, tally, found, coverage)
            weighted = weighted_by_survey(plan, tally, found, coverage)
            return estimate_page(plan, found, pooled=pooled, groups=groups, weighted=weighted, series=over_time)

        return await self._pages.once(key, draw)


def as_page(text: str) -> HTMLResponse:
    """A page that no other one may show, and nobody on the way keeps; what it may do it says itself."""
    headers = {"Cache-Control": "no-store", "X-Frame-Options": "DENY"}
    return HTMLResponse(text, headers=headers)
