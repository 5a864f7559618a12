"""The verbs of a collection: privatize, aggregate, estimate. The same words in Python and on the command line.

Each takes a plan (or its file) and tables of people or reports, or a mechanism and arrays; and refuses all else with
the next step. A table is a frame in memory (whatever offers the Arrow C stream: pandas, polars, also lazy, pyarrow,
DuckDB; or lists by name) or the path of a CSV or Parquet file. The guarantees are those of what they call.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from numpy.typing import ArrayLike

from sordino.errors import SordinoError
from sordino.exact.keyed import KeyedSource
from sordino.exact.messages import checked, kind
from sordino.exact.source import Source, SystemSource, Words
from sordino.mechanism.base import Mechanism
from sordino.mechanism.channel import Aggregate
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together
from sordino.verbs.mechanism_verbs import Asked, codes_of, estimate_asked, tally_asked
from sordino.verbs.plan_given import PlanLike, read_plan

# What only plans and tables need is large, and loaded by the verbs that are given some: arrays do not wait for it.
if TYPE_CHECKING:
    from sordino.estimation.means_and_covariances import NormalEstimate
    from sordino.estimation.share_estimate import Estimate, Method
    from sordino.survey.planning.plan import Plan
    from sordino.tables.reports import Progress
    from sordino.verbs.plan_reports import Engine
    from sordino.verbs.plan_results import PlanEstimate


@overload
def privatize(
    plan: PlanLike,
    people: Any,
    source: KeyedSource | SystemSource | None = None,
    *,
    id_column: str | None = None,
    key: Path | str | None = None,
    task: str | None = None,
    progress: "Progress | None" = None,
    jobs: int = 1,
    engine: "Engine | None" = None,
    count_column: str | None = None,
) -> Any: ...
@overload
def privatize(
    plan: PlanLike,
    people: Any,
    source: KeyedSource | SystemSource | None = None,
    *,
    id_column: str | None = None,
    key: Path | str | None = None,
    task: str | None = None,
    progress: "Progress | None" = None,
    output: Path | str,
    jobs: int = 1,
    engine: "Engine | None" = None,
    count_column: str | None = None,
) -> int: ...
@overload
def privatize(plan: Asked, people: ArrayLike | Sequence[ArrayLike], source: Source | None = None) -> Words: ...
@checked
def privatize(
    plan: Any,
    people: Any,
    source: Any = None,
    *,
    id_column: str | None = None,
    key: Path | str | None = None,
    task: str | None = None,
    progress: "Progress | None" = None,
    output: Path | str | None = None,
    jobs: int = 1,
    engine: "Engine | None" = None,
    count_column: str | None = None,
) -> Any:
    """Release one report for each person.

    **Every call without a key is a new release, and losses add.** For a holder of data who releases it, and for
    simulation: in the local setting people privatize on their own devices, and no protected answer leaves them raw.

    Args:
        plan: a plan, or the path of its file; or a mechanism or query.
        people: a row each, in a frame or a file with the survey's columns; of a mechanism, an array of values.
        source: of random words: fresh ones of the operating system by default. With a `KeyedSource(key, task)` and ids
            the same plan, id and value always give the same report, whatever the table is held in.
        id_column: the column that identifies people; an id that stands twice is refused.
        key: instead of a source, the path of a key file, made if there is none.
        task: with a key file, the name of this release.
        progress: called with the number of rows done since the last call.
        output: the file of reports to write, never over another one.
        jobs: processes that read and privatize the pieces of a Parquet file; the reports are the same whatever their
            number. A script that asks for several must call it under `if __name__ == "__main__"`.
        engine: "spark" for people in a Parquet file or a folder of them, read by Spark; a frame of Spark needs no word.
            Spark computes again what it has lost, so it asks for a keyed source or a key file.
        count_column: the column that says how many people with these answers a row stands for, 0 or more; each of them
            sends a report of her own. Reports are then in the order of their codes: no ids, key or jobs go with it.

    Returns:
        The reports in the order of the rows, with the columns `plan` and `code` of a report file and the plan's hash in
        the metadata; of a frame of pandas or polars, or of lists by name, the same kind; else a table of pyarrow; of
        Spark a frame of them, each time the same; how many they are, where they are written; of a mechanism, its codes.

    Raises:
        SordinoError: a value that is missing or outside its domain (named by row, never by value), or other bad input;
            nothing was released.

    Example:
        >>> import pyarrow as pa
        >>> from sordino import plan
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, 1000)
        >>> reports = privatize(frozen, pa.table({"smoker": ["yes", "no", "no"]}))
        >>> reports.num_rows, reports.column_names
        (3, ['plan', 'code'])
    """
    if isinstance(plan, Asked):
        given = (id_column, key, task, progress, output, jobs, engine, count_column)
        if given != (None, None, None, None, None, 1, None, None):
            raise SordinoError("ids, keys, files and jobs are of plans", found=kind(plan), step="give the source alone")
        return codes_of(plan, people, source)
    from sordino.tables.release import Release, Released
    from sordino.verbs.plan_reports import privatize_plan, still_the_plan

    frozen = read_plan(plan, "privatize")
    options = {"id_column": id_column, "task": task, "jobs": jobs, "count_column": count_column}
    made = privatize_plan(
        frozen,
        people,
        Release.of(source, key=key, **options),
        output=output,
        progress=progress,
        engine=engine,
        require_same=still_the_plan(plan, frozen),
    )
    return made.n if isinstance(made, Released) else made


@overload
def aggregate(
    plan: PlanLike,
    *reports: Any,
    progress: "Progress | None" = None,
    note: Callable[[str], None] | None = None,
    engine: "Engine | None" = None,
) -> Aggregate: ...
@overload
def aggregate(plan: Asked, *reports: ArrayLike | Aggregate) -> Aggregate: ...
@checked
def aggregate(
    plan: Any,
    *reports: Any,
    progress: "Progress | None" = None,
    note: Callable[[str], None] | None = None,
    engine: "Engine | None" = None,
) -> Aggregate:
    """Tally reports, and add up aggregates.

    Args:
        plan: a plan, or the path of its file; or a mechanism or query.
        reports: frames or files of reports, aggregates or their files (.json), each once; of a mechanism, codes.
        progress: called with the number of rows done since the last call.
        note: called with a sentence about reports that may be copies of others; a warning by default.
        engine: "spark" for Parquet files and folders of them that Spark reads; its own frames need no word.

    Raises:
        SordinoError: another plan's reports, a code that cannot be sent, a copy of other reports, or none at all.

    Example:
        >>> from sordino import RandomizedResponse
        >>> mechanism = RandomizedResponse(2, "1")
        >>> aggregate(mechanism, [0, 1, 1], [1]).counts.tolist()
        [1, 3]
    """
    if not reports:
        raise SordinoError("an aggregate is of reports", found="no reports", step="give them after the plan")
    if isinstance(plan, Asked):
        return tally_asked(plan, reports)
    from sordino.verbs.plan_reports import tally

    return tally(read_plan(plan, "aggregate"), reports, progress, note, engine)


@overload
def estimate(
    plan: PlanLike,
    aggregate: Any,
    method: "Method | None" = None,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    watched: bool = False,
    forged: int = 0,
    fitted_intervals: bool = False,
    finite: bool = False,
    clusters: str | None = None,
    public: Any = None,
    by: str | Sequence[str] = (),
    against: str | None = None,
    totals: Any = None,
    language: str | None = None,
    progress: "Progress | None" = None,
) -> "PlanEstimate": ...
@overload
def estimate(
    plan: Mechanism, aggregate: Aggregate, method: "Method | None" = None, *, subtract_totals: bool = False
) -> "Estimate": ...
@overload
def estimate(plan: Together, aggregate: Aggregate) -> "NormalEstimate": ...
@overload
def estimate(plan: Query, aggregate: Aggregate, method: "Method | None" = None) -> "Estimate | NormalEstimate": ...
@overload
def estimate(
    plan: Sampled, aggregate: Aggregate, method: "Method | None" = None
) -> "NormalEstimate | tuple[Estimate | NormalEstimate, ...]": ...
@checked
def estimate(
    plan: Any,
    aggregate: Any,
    method: "Method | None" = None,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    watched: bool = False,
    forged: int = 0,
    fitted_intervals: bool = False,
    finite: bool = False,
    clusters: str | None = None,
    subtract_totals: bool = False,
    public: Any = None,
    by: str | Sequence[str] = (),
    against: str | None = None,
    totals: Any = None,
    language: str | None = None,
    progress: "Progress | None" = None,
) -> Any:
    """Estimate what reports tell, with standard errors and intervals.

    Args:
        plan: a plan, or the path of its file; or a mechanism, or a query.
        aggregate: the tally of its reports; for a plan also reports, as `aggregate` takes them.
        method: how shares are fitted; by default what keeps what every report tells.
        confidence: of each interval by itself, for a plan; other estimates have `interval(confidence)`.
        simultaneous: whether all intervals of a plan's question hold together with this confidence.
        watched: whether they hold at all times together, for whoever looks while reports come in.
        forged: how many of a plan's reports may be forged, whatever these say: intervals hold in spite of them.
        fitted_intervals: whether a plan's fitted shares have intervals too, where these are known to hold; some
            seconds.
        finite: whether intervals of a plan's shares describe the people who reported, not a population that they are
            drawn from.
        clusters: a public column of the plan by whose values people were drawn in groups, as schools or households:
            standard errors and intervals count that people of a group are alike.
        subtract_totals: shift a mechanism's estimates to the known share of their block; decide before the data.
        public: for a plan's shares by the method "smoothed", a table of public numbers that may go with them.
        by: a public column of the plan, or several: every quantity is estimated for each group of people too.
        against: the group, by its label, that others are compared to; all other people by default.
        language: in which a plan's results are shown, one of the survey's; its first by default.
        progress: for a plan, called with the number of questions estimated since the last call.
        totals: how many people public groups have, `{"region": {"north": 12000, ...}}`, or the path of a file: what
            adds up over people is weighted to them; to those of the survey by default.

    Returns:
        Of a plan, a `PlanEstimate`, with `to_arrow()`, `to_pandas()`, `save(path)` and `page(path)`; of a mechanism an
        `Estimate` of its values' shares; of queries about numbers, the means of what they tell, scaled as they take
        them; of several other queries, the estimate of each.

    Raises:
        SordinoError: no reports, another mechanism's, or ones from which nothing can be learned.

    Example:
        >>> from sordino import RandomizedResponse
        >>> mechanism = RandomizedResponse(2, "ln 3")
        >>> estimate(mechanism, mechanism.tally([0, 0, 0, 1])).value.tolist()
        [1.0, 0.0]
    """
    if not isinstance(plan, Asked):
        from sordino.survey.kinds.coverage import Coverage
        from sordino.verbs.plan_results import estimate_plan
        from sordino.views.view import ViewRequest

        frozen = read_plan(plan, "estimate").in_language(language)
        tally = aggregate if isinstance(aggregate, Aggregate) else tally_of(frozen, aggregate)
        people, columns = tally.n if finite else 0, [by] if isinstance(by, str) else by
        coverage = Coverage(
            confidence, simultaneous, watched, forged, fitted_intervals, people, clusters=clusters or ""
        )
        request = ViewRequest(columns, against, totals)
        return estimate_plan(frozen, tally, method, coverage, public, request, progress=progress or (lambda _: None))
    plain = (
        confidence,
        simultaneous,
        watched,
        forged,
        fitted_intervals,
        finite,
        clusters,
        public,
        by,
        totals,
        language,
        progress,
    )
    if plain != (0.95, False, False, 0, False, False, None, None, (), None, None, None):
        step = "call interval(confidence) on the result"
        raise SordinoError("confidence, watching, forging, public numbers are of plans", found=kind(plan), step=step)
    return estimate_asked(plan, aggregate, method, subtract_totals=subtract_totals)


def tally_of(plan: "Plan", given: object) -> Aggregate:
    """The tally of reports, which are one frame or file, or several."""
    from sordino.tables.frame import is_frame

    several = isinstance(given, Sequence) and not isinstance(given, str | bytes) and not is_frame(given)
    return aggregate(plan, *cast("Sequence[object]", given)) if several else aggregate(plan, given)
