"""The interface of views: what is made of several results, such as pooled numbers or estimates by groups.

A view says whether it applies, and has rows (frames, files), a document (JSON), blocks (terminal, page, notebook) and
findings. Every output goes through `Views` and names none: a new view is a file, and a line in `VIEWS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

from sordino.blocks.block import Block
from sordino.blocks.finding import Finding
from sordino.blocks.tables import QuantityTable
from sordino.errors import SordinoError
from sordino.estimation.share_estimate import Method
from sordino.exact.messages import shown
from sordino.mechanism.channel import Aggregate
from sordino.printable import join_label
from sordino.survey.kinds.coverage import Coverage
from sordino.survey.kinds.shares.surroundings import Public
from sordino.survey.planning.plan import Plan
from sordino.survey.results.result import Result
from sordino.survey.schema.public_column import LEAST_REPORTS

Given: TypeAlias = Mapping[str, Any] | Path | str
"""A table of numbers, or the path of its file."""

LAST = 99
"""The place of a view that names none: after all others."""


class Places(NamedTuple):
    """The place of a view among the others, in each output: before the questions' own estimates if it is negative.

    Attributes:
        page: an HTML page.
        terminal: what a command prints.
        notebook: a notebook's cell.
        rows: frames and files, after the questions' rows.
        json: a command's document, after the questions' rows.
        live: a collector's document, while reports come in.
    """

    page: int | None = LAST
    terminal: int | None = LAST
    notebook: int | None = LAST
    rows: int | None = LAST
    json: int | None = LAST
    live: int | None = LAST


class Folding(Enum):
    """What a page shows only when it is asked for."""

    NOTHING = auto()
    PARTS = auto()
    """Each part, on a page of many tables."""
    TABLES = auto()
    """Each table, where they have many rows together."""
    SECTIONS = auto()
    """Each section of the parts that do not stay open, where all have many rows together."""


class ViewPart(NamedTuple):
    """Blocks that are shown together.

    Attributes:
        name: of what they are about.
        blocks: in their order.
        stays_open: whether a page never folds them.
    """

    name: str
    blocks: Sequence[Block]
    stays_open: bool = False


class NotApplicable(NamedTuple):
    """A view that does not apply, and why."""

    why: str


def work_out(_: Hashable, estimate: Callable[[], Any]) -> Any:
    """Remember nothing."""
    return estimate()


@dataclass(frozen=True)
class ViewRequest:
    """What is asked for beside the questions' own estimates.

    Attributes:
        by: public columns by which people are grouped.
        against: the label of the group that others are compared to; None for all other people.
        totals: how many people public groups have; None for those of the survey.
        margins: known shares of attributes' values, by which tables are raked; None for none.
        differences: of two shares each: the question, a value's label, and that of the value that is subtracted.
        least: reports without which a group, or a period of a series, is not estimated.
        smoothed: whether series have curves while intervals are watched, too.
        before: an earlier collection that is compared; None for none.
        remember: gives the estimates of a period by all that they depend on, or has them worked out.
    """

    by: Sequence[str] = ()
    against: str | None = None
    totals: Given | None = None
    margins: Given | None = None
    differences: Sequence[tuple[str, str, str]] = ()
    least: int = LEAST_REPORTS
    smoothed: bool = False
    before: "ViewSource | None" = None
    remember: Callable[[Hashable, Callable[[], Any]], Any] = work_out


@dataclass(frozen=True, eq=False)
class ViewSource:
    """What views are made of.

    Attributes:
        plan: that the reports belong to.
        tally: of the reports.
        results: what they say of each question.
        coverage: what intervals hold against.
        method: how distributions are fitted; None for each question's own.
        public: numbers that may go with shares, by question.
        request: what is asked for beside.
    """

    plan: Plan
    tally: Aggregate
    results: tuple[Result, ...]
    coverage: Coverage
    method: Method | None = None
    public: Public | None = None
    request: ViewRequest = field(default_factory=ViewRequest)


class View(ABC):
    """What is made of several results."""

    name: ClassVar[str]
    """By which `Views` has it."""
    settings: ClassVar[frozenset[str]] = frozenset()
    """Fields of a `ViewRequest` that it depends on."""
    places: ClassVar[Places] = Places()
    folding: ClassVar[Folding] = Folding.NOTHING
    replaces_all: ClassVar[bool] = False
    """Whether a terminal shows it in place of the estimates of all people together."""
    about_all: ClassVar[bool] = False
    """Whether it belongs to these."""
    absent_json: ClassVar[Mapping[str, Any]] = {}
    """Its document where it does not apply."""

    @classmethod
    @abstractmethod
    def of(cls, source: ViewSource) -> "Self | NotApplicable":
        """The view, or why it does not apply.

        Raises:
            SordinoError: a request that cannot be met.
        """

    @abstractmethod
    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        """The rows of frames and files, each as of `table_row`.

        Args:
            derived: whether those that other rows determine are among them.
        """

    @abstractmethod
    def json(self) -> dict[str, Any]:
        """The document for programs."""

    @abstractmethod
    def parts(self) -> Iterator[ViewPart]:
        """What a terminal, a page and a notebook show."""

    def blocks(self) -> Iterator[Block]:
        """The blocks of all parts."""
        return chain.from_iterable(part.blocks for part in self.parts())

    def question_blocks(self, result: Result) -> Iterator[Block]:
        """What a page shows with a question's own estimates, in place of parts."""
        del result
        return iter(())

    def findings(self) -> Iterator[Finding]:
        """Sentences for the head of a page."""
        return iter(())

    def findings_of(self, result: Result) -> Iterable[Finding] | None:
        """What stands in place of a question's own findings, where more than its reports tell them; None for those."""
        del result
        return None

    def tables(self) -> Sequence[QuantityTable]:
        """Estimates that stand among the questions' own in frames and files."""
        return ()

    @property
    def fold_title(self) -> str:
        """The heading of what a page folds."""
        return self.name

    def live_json(self) -> dict[str, Any]:
        """The document that a collector gives while reports come in."""
        return self.json()

    def names_few(self, least: int) -> bool:
        """Whether `live_json` reveals a number of people that is neither 0 nor at least so many."""
        del least
        return False


class Views:
    """The views that apply to some results, by name.

    Attributes:
        source: what they are made of.
        absent: why the others do not apply, by name.
    """

    def __init__(
        self, source: ViewSource, kinds: Sequence[type[View]], known: Mapping[str, View | NotApplicable] | None = None
    ) -> None:
        """Make each view that is not known."""
        self.source, self._kinds = source, kinds
        self._all = {kind.name: (known or {}).get(kind.name) or kind.of(source) for kind in kinds}
        self._made = {name: view for name, view in self._all.items() if isinstance(view, View)}
        self.absent = {name: view.why for name, view in self._all.items() if isinstance(view, NotApplicable)}

    def with_settings(self, **settings: Any) -> "Views":
        """Views of the same results with other settings of the `ViewRequest`."""
        source = replace(self.source, request=replace(self.source.request, **settings))
        return Views(
            source, self._kinds, {k.name: self._all[k.name] for k in self._kinds if not k.settings & settings.keys()}
        )

    def __iter__(self) -> Iterator[View]:
        return iter(self._made.values())

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __getitem__(self, name: str) -> Any:
        """One view.

        Raises:
            SordinoError: none of that name, or one that does not apply, and why.
        """
        if name in self._made:
            return self._made[name]
        if name in self.absent:
            raise SordinoError(f"the view {name!r} must apply", found=self.absent[name])
        known = ", ".join(kind.name for kind in self._kinds)
        raise SordinoError("a view must be known", found=shown(name), step=f"views are: {known}")

    def shown_in(self, output: str) -> list[View]:
        """Those that an output shows, a field of `Places`, in its order."""
        return sorted(
            (view for view in self if getattr(view.places, output) is not None),
            key=lambda view: int(getattr(view.places, output)),
        )

    def before_and_after(self, output: str) -> tuple[list[View], list[View]]:
        """Those that an output shows before the questions' own estimates, and after them."""
        ordered = self.shown_in(output)
        before = [view for view in ordered if getattr(view.places, output) < 0]
        return before, ordered[len(before) :]

    @property
    def replace_all(self) -> bool:
        """Whether a terminal shows one in place of the estimates of all people together."""
        return any(view.replaces_all for view in self)

    def rows(self, *, derived: bool = True) -> Iterator[dict[str, Any]]:
        """The rows of all views."""
        return chain.from_iterable(view.rows(derived=derived) for view in self.shown_in("rows"))

    def tables(self) -> list[QuantityTable]:
        """The tables of all views."""
        return [table for view in self.shown_in("rows") for table in view.tables()]

    def json(self, *, live: bool = False) -> dict[str, Any]:
        """The documents of all views as one: a command's, or a collector's while reports come in."""
        output, found = "live" if live else "json", dict[str, Any]()
        kinds = [kind for kind in self._kinds if getattr(kind.places, output) is not None]
        for kind in sorted(kinds, key=lambda one: int(getattr(one.places, output))):
            view = self._made.get(kind.name)
            found |= kind.absent_json if view is None else view.live_json() if live else view.json()
        return found


def table_row(kind: str, row: Mapping[str, Any], question: str) -> dict[str, Any]:
    """A row of frames and files.

    `given` is the attribute that people have in common and `within` its value, where a share is among some people;
    `minus` the value whose share, or among whose people the share, is subtracted.

    Args:
        kind: what it is.
        row: what JSON says: `attribute` or `attributes`, `value`, numbers, `given` and `minus` as tables.
        question: the question or questions that it is made of.
    """
    value = row["value"] if isinstance(row["value"], str) else join_label(row["value"])
    attribute = row["attribute"] if "attribute" in row else join_label(row["attributes"])
    found = {**row, "attribute": attribute, "value": value, "kind": kind, "question": question}
    if "given" in row:
        found |= {"given": join_label([*row["given"]]), "within": join_label([*row["given"].values()])}
    if isinstance(row.get("minus"), Mapping):
        found |= {"minus": join_label([*row["minus"].values()])}
    return found
