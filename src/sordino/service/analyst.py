"""What the analyst is told, and may do: estimates, the tally, the reports themselves, other tallies, and an end.

The dashboard is a page that everybody may see, and the estimates as a page for the analyst.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from sordino.document.files import json_object
from sordino.document.formats import AGGREGATE
from sordino.errors import RefusedError, SordinoError
from sordino.mechanism.channel import Aggregate
from sordino.service.answer_cache import AnswerCache, PeriodMemory
from sordino.service.client_pages import compressed_response
from sordino.service.collection_progress import Progress
from sordino.service.collector_state import CollectorState
from sordino.service.problems import ProblemError
from sordino.service.storage.acts import REPORTS_EXPORT, SCRUB, TALLY_EXPORT
from sordino.service.storage.collection import Collection
from sordino.service.storage.tokens import TokenHolder
from sordino.show.estimate_rows import result_rows
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.aggregate_file import aggregate_of, aggregate_text, of_large_periods
from sordino.survey.results.cell_tallies import columns_of
from sordino.survey.results.result import results, results_so_far
from sordino.survey.results.sourced_aggregate import counts_bytes
from sordino.tables.reports import write_reports
from sordino.views import make_views
from sordino.views.view import ViewRequest, ViewSource

Confidence = Annotated[float, Query(json_schema_extra={"exclusiveMinimum": 0, "exclusiveMaximum": 1})]
"""What is looked at where it is used, in the words of all other ways to give it."""

By = Annotated[str, Query(description="Public columns, with commas between, by which people are grouped.")]

Period = Annotated[str, Query(description="The first day of a period: of a series that alone is closed.")]

NAME = "the upload"
"""Name of a tally that comes, in messages."""


class DashboardPages:
    """Draws one page after the other."""

    def __init__(self) -> None:
        self._pages, self._periods = AnswerCache[str](), PeriodMemory()

    async def watch(self, plan: Plan) -> str:
        """The page on which a collection is watched."""
        # What draws loads only where somebody looks.
        from sordino.show.html.estimate_page import dashboard

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
            request = ViewRequest(by, least=least, smoothed=True, remember=self._periods.once)
            return estimate_page(
                plan, found, views=make_views(ViewSource(plan, tally, found, coverage, request=request))
            )

        return await self._pages.once(key, draw)


class AnalystRoutes:
    """The routes that ask for a token; tally and estimates do not where they are published."""

    def __init__(self, state: CollectorState, pages: DashboardPages, progress: Progress) -> None:
        self._state, self._pages, self._progress = state, pages, progress
        self._estimates, self._periods = AnswerCache[_Estimates](), PeriodMemory()
        self._counts = AnswerCache[_TallyContent]()

    async def estimates(
        self,
        plan_hash: str,
        request: Request,
        confidence: Confidence = 0.95,
        by: By = "",
        *,
        series: Annotated[bool, Query(description="Whether every period of a series follows.")] = True,
    ) -> dict[str, Any]:
        """What the reports say so far, with intervals; also by period and by public columns, of enough reports each."""
        collection, counted = await self._tally_or_public(plan_hash, request)
        plan, least, columns = collection.plan, self._state.least_people, columns_of(collection.plan, by)
        coverage, series = Coverage(confidence), series and plan.series is not None
        key = plan.hash, counted.content, confidence, columns, series

        def make() -> _Estimates:
            return _estimate(plan, counted.tally, coverage, columns, least, self._periods if series else None)

        found = await self._estimates.once(key, make)
        if found.has_small_groups:
            # Who adds up what is published would know how many these are, and what they say.
            await self._state.require_role(request, "reader")
        return found.document

    async def page(self, plan_hash: str, request: Request, confidence: Confidence = 0.95, by: By = "") -> Response:
        """What the reports say so far, as a page with intervals that hold while more come in."""
        collection, tally = await self._tally(plan_hash, request)
        plan, least = collection.plan, self._state.least_people
        key = (await self._count(plan, tally, public=False)).content
        return as_page(request, await self._pages.estimates(plan, tally, key, confidence, columns_of(plan, by), least))

    async def aggregate(self, plan_hash: str, request: Request) -> Response:
        """The tally of all reports, as `sordino aggregate` writes it; for the analyst also of each collector's."""
        collection, holder = self._state.collection(plan_hash), await self._state.holder_of(request)
        analyst = holder if holder is not None and holder.may("analyst") else None
        if analyst is None and not self._state.published:
            await self._state.require_role(request, "analyst")
        await self._state.tally(collection)
        if analyst is None:
            text = await self._tally_text(collection, public=True)
        else:
            async with self._state.note_deed(analyst.name, TALLY_EXPORT, plan=plan_hash):
                text = await self._tally_text(collection, public=False)
        return Response(text, media_type="application/json")

    async def _tally_text(self, collection: Collection, *, public: bool) -> str:
        # A collector may have sent fewer reports than anybody is told estimates of.
        tally = await self._state.run_in_store(lambda _: collection.sourced_aggregate)
        least = self._state.least_people
        return await asyncio.to_thread(lambda: aggregate_text(collection.plan, tally, public=public, least=least))

    async def reports(self, plan_hash: str, request: Request) -> FileResponse:
        """All reports that came here as Parquet, which `sordino aggregate` reads; without ids, in their order."""
        collection = self._state.collection(plan_hash)
        holder = await self._state.require_role(request, "analyst")
        await self._state.tally(collection)
        await self._require_codes(collection)
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "reports.parquet"
        try:
            async with self._state.note_deed(holder.name, REPORTS_EXPORT, plan=plan_hash):
                await asyncio.to_thread(write_reports, collection.plan, self._state.parts(collection.codes), path)
                # They may have been scrubbed while they were written.
                await self._require_codes(collection)
        except BaseException:
            folder.cleanup()
            raise
        media = "application/vnd.apache.parquet"
        return FileResponse(path, media_type=media, filename=path.name, background=BackgroundTask(folder.cleanup))

    async def _require_codes(self, collection: Collection) -> None:
        if not await self._state.run_in_store(lambda _: collection.whole):
            step = "GET .../aggregate has their tally"
            raise RefusedError(
                "reports are available as long as all their codes are kept", found="scrubbed ones", step=step
            )

    async def merge(self, plan_hash: str, request: Request) -> dict[str, Any]:
        """Count what other collectors' tallies, or files of `sordino aggregate`, hold and is not counted yet.

        Of each collector the later tally takes the place of the earlier; the same one again adds nothing.
        """
        collection, holder = await self._open_collection(plan_hash, request, "analyst")
        with self._state.budget.share() as share:
            body = await share.body_of(request)
            other = await asyncio.to_thread(_read_tally, collection.plan, bytes(body))
        parts = await self._state.run_in_store(lambda store: store.merge(plan_hash, other, holder.name))
        added = sum(part.added for part in parts)
        return {"added": added, "parts": [asdict(part) for part in parts], **await self._progress.of(collection)}

    async def close(self, plan_hash: str, request: Request, period: Period = "") -> dict[str, Any]:
        """Take no more reports, for ever; of one period of a series, or of the whole plan."""
        collection, holder = await self._open_collection(plan_hash, request, "operator")
        if not period:
            await self._state.run_in_store(lambda store: store.close_plan(plan_hash, holder.name))
            return await self._progress.of(collection)
        try:
            await self._state.run_in_store(lambda store: store.close_period(plan_hash, period, holder.name))
        except SordinoError as error:
            if error.code != "invalid":
                raise
            # There is no such period of this plan.
            raise ProblemError(404, error) from None
        return await self._progress.of(collection)

    async def scrub(self, plan_hash: str, request: Request) -> dict[str, Any]:
        """Forget the codes of all reports, which are counted: ids stay, so that none is counted again."""
        collection, holder = await self._open_collection(plan_hash, request, "operator")
        async with self._state.note_deed(holder.name, SCRUB, plan=plan_hash):
            scrubbed = await asyncio.to_thread(lambda: sum(self._state.parts(collection.scrub)))
        return {"scrubbed": scrubbed, **await self._progress.of(collection)}

    async def _open_collection(self, plan_hash: str, request: Request, role: str) -> tuple[Collection, TokenHolder]:
        collection = self._state.collection(plan_hash)
        holder = await self._state.require_role(request, role)
        return collection, holder

    async def _tally(self, plan_hash: str, request: Request) -> tuple[Collection, Aggregate]:
        collection, _ = await self._open_collection(plan_hash, request, "reader")
        return collection, await self._state.tally(collection)

    async def _tally_or_public(self, plan_hash: str, request: Request) -> tuple[Collection, "_TallyContent"]:
        if not self._state.published:
            collection, tally = await self._tally(plan_hash, request)
            return collection, await self._count(collection.plan, tally, public=False)
        collection, holder = self._state.collection(plan_hash), await self._state.holder_of(request)
        tally = await self._state.tally(collection)
        found = await self._count(collection.plan, tally, public=holder is None or not holder.may("reader"))
        self._state.require_enough(found.tally)
        return collection, found

    async def _count(self, plan: Plan, tally: Aggregate, *, public: bool) -> "_TallyContent":
        """What of a tally is told, once for each tally: of many groups and periods, others would wait for that."""
        least = self._state.least_people

        def count() -> _TallyContent:
            told = of_large_periods(plan, tally, least) if public else tally
            return _TallyContent(told, counts_bytes(told))

        return await self._counts.once((plan.hash, tally, public), count)


@dataclass(frozen=True, eq=False)
class _TallyContent:
    """A tally that is told, and its content, by which answers about it are known."""

    tally: Aggregate
    content: bytes


@dataclass(frozen=True)
class _Estimates:
    """What is answered, and whether a group of it has a few reports, and fewer than are estimated."""

    document: dict[str, Any]
    has_small_groups: bool


def _estimate(
    plan: Plan, tally: Aggregate, coverage: Coverage, by: tuple[str, ...], least: int, periods: PeriodMemory | None
) -> _Estimates:
    """What is answered; over time where periods are known."""
    found, request = results(plan, tally, None, coverage), ViewRequest(by, least=least)
    request = request if periods is None else replace(request, remember=periods.once)
    source = ViewSource(plan, tally, found, coverage, request=request)
    views = make_views(source, without=("series",) if periods is None else ())
    rows = [row for result in found for row in result_rows(result.blocks())]
    told = {"plan": plan.hash, "n": tally.n, "confidence": coverage.confidence, "rows": rows, **views.json(live=True)}
    return _Estimates(_finite(told), any(view.names_few(least) for view in views.shown_in("live")))


def _finite(found: Any) -> Any:
    """A document that has nothing where a number cannot be told."""
    if isinstance(found, Mapping):
        return {name: _finite(part) for name, part in found.items()}
    if isinstance(found, list | tuple):
        return [_finite(part) for part in found]
    return None if isinstance(found, float) and not isfinite(found) else found


def _read_tally(plan: Plan, body: bytes) -> Aggregate:
    document = json_object(body, NAME)
    AGGREGATE.require(document, NAME)
    return aggregate_of(plan, document, NAME, alone=False)


def as_page(request: Request, text: str) -> Response:
    """A page that no other one may show, and nobody on the way keeps; what it may do it says itself."""
    headers = {"Cache-Control": "no-store", "X-Frame-Options": "DENY"}
    return compressed_response(request, text.encode(), "text/html", headers, is_kept=False)
