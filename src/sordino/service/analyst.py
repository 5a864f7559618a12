"""What the analyst is told, and may do: estimates, the tally, the reports themselves, other tallies, and an end."""

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.background import BackgroundTask

from sordino.document.files import json_object
from sordino.document.formats import AGGREGATE
from sordino.errors import RefusedError, SordinoError
from sordino.mechanism.aggregate import Aggregate
from sordino.service.dashboard import DashboardPages, as_page
from sordino.service.desk import Desk
from sordino.service.problems import ProblemError
from sordino.service.storage.collection import Collection
from sordino.service.web.answer_cache import AnswerCache
from sordino.service.web.period_memory import PeriodMemory
from sordino.service.web.progress import Progress
from sordino.show.cells import result_rows
from sordino.show.groups import groups_json
from sordino.show.series import series_json
from sordino.show.weighted import weighted_json
from sordino.survey.estimates.coverage import Coverage
from sordino.survey.planning.plan import Plan
from sordino.survey.results.groups import columns_of, grouped_results
from sordino.survey.results.over_time.plan_series import PlanSeries, plan_series
from sordino.survey.results.pooled import pooled_results
from sordino.survey.results.result import results
from sordino.survey.results.sourced_aggregate import counts_bytes
from sordino.survey.results.tally import aggregate_of, aggregate_text, of_large_periods
from sordino.survey.results.weighted import weighted_by_survey
from sordino.tables.reports import write_reports

Confidence = Annotated[float, Query(json_schema_extra={"exclusiveMinimum": 0, "exclusiveMaximum": 1})]
"""What is looked at where it is used, in the words of all other ways to give it."""

By = Annotated[str, Query(description="Public columns, with commas between, by which people are grouped.")]

Period = Annotated[str, Query(description="The first day of a period: of a series that alone is closed.")]

NAME = "the upload"
"""Of a tally that comes, in messages."""


class AnalystRoutes:
    """The routes that ask for a token; tally and estimates do not where they are published."""

    def __init__(self, desk: Desk, pages: DashboardPages, progress: Progress) -> None:
        self._desk, self._pages, self._progress = desk, pages, progress
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
        plan, least, columns = collection.plan, self._desk.least_people, columns_of(collection.plan, by)
        coverage, series = Coverage(confidence), series and plan.series is not None
        key = plan.hash, counted.content, confidence, columns, series

        def make() -> _Estimates:
            return _estimate(plan, counted.tally, coverage, columns, least, self._periods if series else None)

        found = await self._estimates.once(key, make)
        if found.has_small_groups:
            # Who adds up what is published would know how many these are, and what they say.
            await self._desk.require_role(request, "reader")
        return found.document

    async def page(self, plan_hash: str, request: Request, confidence: Confidence = 0.95, by: By = "") -> HTMLResponse:
        """What the reports say so far, as a page with intervals that hold while more come in."""
        collection, tally = await self._tally(plan_hash, request)
        plan, least = collection.plan, self._desk.least_people
        key = (await self._count(plan, tally, public=False)).content
        return as_page(await self._pages.estimates(plan, tally, key, confidence, columns_of(plan, by), least))

    async def aggregate(self, plan_hash: str, request: Request) -> Response:
        """The tally of all reports, as `sordino aggregate` writes it; for the analyst also of each collector's."""
        collection, holder = self._desk.collection(plan_hash), await self._desk.holder_of(request)
        public = holder is None or not holder.may("analyst")
        if public and not self._desk.published:
            await self._desk.require_role(request, "analyst")
        await self._desk.tally(collection)
        if holder is not None and not public:
            await self._desk.note(holder, "tally exported", plan_hash)
        # A collector may have sent fewer reports than anybody is told estimates of.
        tally = await self._desk.of_store(lambda _: collection.sourced_aggregate)
        least = self._desk.least_people
        text = await asyncio.to_thread(lambda: aggregate_text(collection.plan, tally, public=public, least=least))
        return Response(text, media_type="application/json")

    async def reports(self, plan_hash: str, request: Request) -> FileResponse:
        """All reports that came here as Parquet, which `sordino aggregate` reads; without ids, in their order."""
        collection = self._desk.collection(plan_hash)
        holder = await self._desk.require_role(request, "analyst")
        await self._desk.tally(collection)
        await self._require_codes(collection)
        await self._desk.note(holder, "reports exported", plan_hash)
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "reports.parquet"
        try:
            await asyncio.to_thread(write_reports, collection.plan, self._desk.parts(collection.codes), path)
            # They may have been scrubbed while they were written.
            await self._require_codes(collection)
        except BaseException:
            folder.cleanup()
            raise
        media = "application/vnd.apache.parquet"
        return FileResponse(path, media_type=media, filename=path.name, background=BackgroundTask(folder.cleanup))

    async def _require_codes(self, collection: Collection) -> None:
        if not await self._desk.of_store(lambda _: collection.whole):
            step = "GET .../aggregate has their tally"
            raise RefusedError(
                "reports are available as long as all their codes are kept", found="scrubbed ones", step=step
            )

    async def merge(self, plan_hash: str, request: Request) -> dict[str, Any]:
        """Count what other collectors' tallies, or files of `sordino aggregate`, hold and is not counted yet.

        Of each collector the later tally takes the place of the earlier; the same one again adds nothing.
        """
        collection = await self._open_collection(plan_hash, request, "analyst", "tallies added")
        with self._desk.budget.share() as share:
            body = await share.body_of(request)
            other = await asyncio.to_thread(_read_tally, collection.plan, bytes(body))
        parts = await self._desk.of_store(lambda _: collection.merge(other))
        added = sum(part.added for part in parts)
        return {"added": added, "parts": [asdict(part) for part in parts], **await self._progress.of(collection)}

    async def close(self, plan_hash: str, request: Request, period: Period = "") -> dict[str, Any]:
        """Take no more reports, for ever; of one period of a series, or of the whole plan."""
        if not period:
            collection = await self._open_collection(plan_hash, request, "operator", "closed")
            await self._desk.of_store(lambda _: collection.close_to_reports())
            return await self._progress.of(collection)
        collection = self._desk.collection(plan_hash)
        holder = await self._desk.require_role(request, "operator")
        try:
            await self._desk.of_store(lambda store: store.close_period(plan_hash, period, holder.name))
        except SordinoError as error:
            if error.code != "invalid":
                raise
            # There is no such period of this plan.
            raise ProblemError(404, error) from None
        return await self._progress.of(collection)

    async def scrub(self, plan_hash: str, request: Request) -> dict[str, Any]:
        """Forget the codes of all reports, which are counted: ids stay, so that none is counted again."""
        collection = await self._open_collection(plan_hash, request, "operator", "scrubbed")
        scrubbed = await asyncio.to_thread(lambda: sum(self._desk.parts(collection.scrub)))
        return {"scrubbed": scrubbed, **await self._progress.of(collection)}

    async def _open_collection(self, plan_hash: str, request: Request, role: str, act: str = "") -> Collection:
        """A collection for whoever may do what a role may; an act is noted before it is done."""
        collection = self._desk.collection(plan_hash)
        holder = await self._desk.require_role(request, role)
        if act:
            await self._desk.note(holder, act, plan_hash)
        return collection

    async def _tally(self, plan_hash: str, request: Request) -> tuple[Collection, Aggregate]:
        """What all reports add up to, if they are enough, for whoever may look at estimates."""
        collection = await self._open_collection(plan_hash, request, "reader")
        return collection, await self._desk.tally(collection)

    async def _tally_or_public(self, plan_hash: str, request: Request) -> tuple[Collection, "_TallyContent"]:
        """The same, for everybody where it is published."""
        if not self._desk.published:
            collection, tally = await self._tally(plan_hash, request)
            return collection, await self._count(collection.plan, tally, public=False)
        collection, holder = self._desk.collection(plan_hash), await self._desk.holder_of(request)
        tally = await self._desk.tally(collection)
        found = await self._count(collection.plan, tally, public=holder is None or not holder.may("reader"))
        self._desk.require_enough(found.tally)
        return collection, found

    async def _count(self, plan: Plan, tally: Aggregate, *, public: bool) -> "_TallyContent":
        """What of a tally is told, once for each tally: of many groups and periods, others would wait for that."""
        least = self._desk.least_people

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
    found = results(plan, tally, None, coverage)
    pooled = pooled_results(plan, tally, found, coverage)
    rows = [_row(row) for result in found for row in result_rows(result.blocks())]
    more = [_row(row) for result in pooled for row in result.rows()]
    told = {"plan": plan.hash, "n": tally.n, "confidence": coverage.confidence, "rows": rows, "pooled": more}
    weighted = weighted_by_survey(plan, tally, found, coverage)
    told |= {} if weighted is None else _finite(weighted_json(weighted))
    if periods is not None:
        over_time = plan_series(plan, tally, found, coverage, least=least, remember=periods.once)
        told |= {} if over_time is None else {"series": _series_json(over_time)}
    if not by:
        return _Estimates(told, has_small_groups=False)
    grouped = grouped_results(plan, tally, by, coverage, least=least)
    # Of groups of too few reports how many these are.
    small = any(0 < group.n < least for group in grouped.groups)
    return _Estimates(told | _finite(groups_json(grouped)), small)


def _series_json(found: PlanSeries) -> dict[str, Any]:
    """Every period; how many reports one of few has is told nobody here, as in the progress."""
    told = _finite(series_json(found)["series"])
    return told | {"periods": [one if one["estimated"] else {**one, "n": None} for one in told["periods"]]}


def _finite(found: Mapping[str, Any]) -> dict[str, Any]:
    """The same with rows that have nothing where a number cannot be told."""
    return {
        name: [_row(row) if isinstance(row, Mapping) else row for row in part] if isinstance(part, list) else part
        for name, part in found.items()
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """One number; what cannot be told has none in JSON."""
    return {key: None if isinstance(x, float) and not isfinite(x) else x for key, x in row.items()}


def _read_tally(plan: Plan, body: bytes) -> Aggregate:
    document = json_object(body, NAME)
    AGGREGATE.require(document, NAME)
    return aggregate_of(plan, document, NAME, alone=False)
