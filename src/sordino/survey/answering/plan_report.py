"""One person's report by a plan, as a line of JSON that goes to whoever collects them.

All of it is public: the plan's hash, the question that was drawn, the code, and an id of the report, drawn by itself.
Codes are texts, since not every reader of JSON keeps 64 bits.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sordino.document.files import require_new, write_text
from sordino.document.formats import REPORT
from sordino.errors import DamagedError, SordinoError
from sordino.exact.messages import Brief, checked
from sordino.survey.planning.plan import Plan

ID_BYTES = 16

ENDING = ".jsonl"
"""Of files of such reports, each on a line of its own."""

FIELDS = frozenset({"format", "version", "plan", "question", "code", "id"})

PUBLIC = "public"
"""The field of the public values, by their columns' names; there if the plan has public columns, and only then."""

CODE = re.compile(r"0|[1-9][0-9]{0,19}")


@dataclass(frozen=True, repr=False)
class PlanReport(Brief):
    """What leaves a person's device.

    Attributes:
        plan: by which it was drawn.
        code: the answer; it tells which question was drawn too.
        id: 16 random bytes, by which a collector knows a report that it has.
        cell: of the public values that it says in clear (`PublicCells`).

    Example:
        >>> from sordino import plan, report
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, people=1000)
        >>> made = report(frozen, {"version": 1, "record": {"smoker": "no"}})
        >>> made.question, made.code in (0, 1), sorted(made.document)
        (0, True, ['code', 'format', 'id', 'plan', 'question', 'version'])
    """

    plan: Plan
    code: int
    id: bytes
    cell: int = 0

    @classmethod
    @checked
    def of_document(cls, plan: Plan, document: Mapping[str, Any], name: str = "the report") -> "PlanReport":
        """From its words.

        Raises:
            SordinoError: another kind of document, a newer version, or another plan's report.
            DamagedError: a code that the plan cannot send, another question than the code's, or other words.
        """
        REPORT.require(document, name)
        if document.get("plan") != plan.hash:
            step = "aggregate each plan's reports apart"
            raise SordinoError(f"{name} must belong to the plan", found="a report of a different plan", step=step)
        code, own = document.get("code"), document.get("id")
        fields = FIELDS | {PUBLIC} if plan.cells.parts else FIELDS
        if document.keys() != fields or not isinstance(own, str) or not re.fullmatch(r"[0-9a-f]{32}", own):
            raise REPORT.foreign("other words", name)
        if not isinstance(code, str) or not CODE.fullmatch(code) or not _can_be_sent(plan, int(code)):
            step = "get it again"
            raise DamagedError(f"{name} must have a code that the plan can send", found="an unknown code", step=step)
        cell = plan.cells.of_labels(document.get(PUBLIC, {}))
        if cell is None:
            rule = f"{name} must have one of the plan's values for each public column"
            raise DamagedError(rule, found="values that the plan has not", step="get it again")
        report = cls(plan, int(code), bytes.fromhex(own), cell)
        if type(document["question"]) is not int or document["question"] != report.question:
            raise DamagedError(
                f"{name} must name the question that its code answers",
                found="a different question",
                step="get it again",
            )
        return report

    @property
    def question(self) -> int:
        """The place among the plan's questions of the one that was drawn, counted from 0."""
        return bisect_right(self.plan.sampled.offsets, self.code) - 1

    @property
    def number(self) -> int:
        """All that it says of a person, as one number."""
        return self.cell * self.plan.cells.outputs + self.code

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        words = {"plan": self.plan.hash, "question": self.question, "code": str(self.code), "id": self.id.hex()}
        public = {PUBLIC: self.plan.cells.labels(self.cell)} if self.plan.cells.parts else {}
        return REPORT.stamp(words | public)

    @property
    def line(self) -> str:
        """The same as text, with a line feed at the end."""
        return json.dumps(self.document) + "\n"

    def save(self, path: Path | str) -> None:
        """Write it as a file of one report, never over another file.

        Raises:
            SordinoError: the file exists, has another ending, or the system refuses to write.
        """
        require_report_name(Path(path))
        write_text(Path(path), self.line)


def require_report_name(path: Path) -> None:
    """Refuse a name at which no new report can be written.

    Raises:
        SordinoError: another ending, a file that is there, or no folder.
    """
    if path.suffix.lower() != ENDING:
        raise SordinoError(f"a report's name must end in {ENDING}", found=repr(path.name))
    if path.is_file():
        rule = f"{path} must not exist: a second report of the same person is a second release, and losses add"
        raise SordinoError(rule, step="send the report that you have")
    require_new(path)


def _can_be_sent(plan: Plan, code: int) -> bool:
    sampled = plan.sampled
    return code < sampled.outputs and sampled.first_invalid(np.array([code], dtype=np.uint64)) is None
