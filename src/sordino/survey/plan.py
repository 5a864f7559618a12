"""The plan: a survey's promise frozen into mechanisms with integer thresholds, public and hashed.

Every later step (privatize, aggregate, estimate, certify, explain) takes the plan and nothing else; it reads the
integers of the document, so that what is sampled is what was certified.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from sordino.audit.certify import Certificate
from sordino.design.accuracy import subtracting_helps
from sordino.design.choose import best_mechanism
from sordino.domain.grid import Grid
from sordino.errors import SordinoError
from sordino.exact.nats import in_nats, outward
from sordino.mechanism.channel import LARGEST_CODE_BITS
from sordino.query import Sampled
from sordino.survey.document import PlanDocument, canonical, dump, seal, unseal
from sordino.survey.freeze import freeze
from sordino.survey.load import read_json, read_text, write_text
from sordino.survey.promise import definition_of
from sordino.survey.protect import protect_part
from sordino.survey.question import Question
from sordino.survey.schema import AttributeTable, Survey

MOST_PEOPLE = 10**12


@dataclass(frozen=True)
class Plan:
    """A frozen plan of a survey.

    Attributes:
        document: all there is; what follows is derived from it.

    Example:
        >>> survey = Survey.read({
        ...     "version": 1, "epsilon": "ln 3",
        ...     "attribute": {"smoker": {"categories": ["yes", "no"]}}, "ask": [{"histogram": "smoker"}],
        ... })
        >>> Plan.of(survey, people=1000).certificate.holds
        True
    """

    document: PlanDocument

    @classmethod
    def of(cls, survey: Survey, people: int) -> "Plan":
        """Choose mechanisms for a survey and freeze them.

        Args:
            survey: a checked survey.
            people: how many are expected to answer, for the expected errors.
        """
        if not 1 <= people <= MOST_PEOPLE:
            raise SordinoError(f"people must be at least 1 and at most {MOST_PEOPLE}", found=str(people)[:20])
        # A disjoint union of m codes of b bits needs b + log2 m bits at most.
        code_bits = LARGEST_CODE_BITS - (len(survey.ask) - 1).bit_length()
        attributes, queries = {}, []
        for ask in survey.ask:
            attribute = survey.attribute[ask.histogram]
            domain = attribute.domain()
            protect = protect_part(domain, attribute.protect, survey.epsilon)
            try:
                mechanism = best_mechanism(domain.k, definition_of(domain, protect), code_bits)
            except SordinoError as error:
                rule = f"attribute.{ask.histogram}: {error.rule}"
                raise SordinoError(rule, found=error.found, step=error.step) from None
            attributes[ask.histogram] = _attribute_part(ask.histogram, attribute) | {
                "protect": protect.model_dump(exclude_none=True)
            }
            queries.append(
                {
                    "histogram": ask.histogram,
                    "weight": ask.weight,
                    "mechanism": freeze(mechanism),
                    "subtract_totals": subtracting_helps(mechanism),
                }
            )
        return cls(seal({"people": people, "attributes": attributes, "queries": queries}))

    @classmethod
    def load(cls, path: Path | str) -> "Plan":
        """Read a plan file and certify it again.

        Raises:
            SordinoError: no plan, changed after it was frozen, of a newer version, or breaking its own promise.
        """
        if Path(path).suffix == ".toml":
            step = f"freeze the survey first: sordino plan {path} --people N -o plan.json"
            raise SordinoError("a plan is a JSON file", found=f"a survey, {path}", step=step)
        plan = cls(unseal(read_json(Path(path)), str(path)))
        for question in plan.questions:
            if not question.certificate.holds:
                raise SordinoError(
                    f"{path} must keep its own promise",
                    found=f"a mechanism that loses {_excess(question.certificate)} more than promised",
                    step="do not use it; make the plan again",
                )
        _ = plan.sampled
        if plan.bytes.strip() != read_text(Path(path)).strip().encode():
            # One plan, one text: nothing that another reader could take differently (a key twice, 1.0 for 1).
            raise SordinoError(
                f"{path} must be as it was frozen", found="another spelling", step="get the original plan"
            )
        return plan

    def save(self, path: Path | str) -> None:
        """Write the canonical bytes, never over another file: reports may exist that need it."""
        target = Path(path)
        if not (target.is_file() and read_text(target).encode() == self.bytes):
            write_text(target, self.bytes.decode())

    @cached_property
    def bytes(self) -> bytes:
        """The canonical bytes, with a line feed at the end."""
        return canonical(dump(self.document)) + b"\n"

    @property
    def hash(self) -> str:
        """The content hash."""
        return self.document.hash

    @property
    def tag(self) -> int:
        """What each report carries of the hash: its first 64 bits."""
        return int(self.hash.removeprefix("sha256:")[:16], 16)

    @property
    def people(self) -> int:
        """How many people are expected to answer."""
        return self.document.people

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions, in the order of the survey; a person answers one of them."""
        total = sum(part.weight for part in self.document.queries)
        shares = [Fraction(part.weight, total) for part in self.document.queries]
        return tuple(
            Question(part, self.document.attributes[part.histogram], share, max(1, int(self.people * share)))
            for part, share in zip(self.document.queries, shares, strict=True)
        )

    @cached_property
    def sampled(self) -> Sampled:
        """What a person is asked: one of the questions, drawn without looking at the record."""
        weights = tuple(part.weight for part in self.document.queries)
        return Sampled(tuple(question.query for question in self.questions), weights)

    @cached_property
    def certificates(self) -> tuple[Certificate, ...]:
        """The verdict on each question, its codes as reports have them."""
        firsts = self.sampled.offsets
        return tuple(question.certificate.after(n) for question, n in zip(self.questions, firsts, strict=False))

    @property
    def certificate(self) -> Certificate:
        """The certificate with the least slack: if it holds, all of the questions' do. A person answers one of them."""
        return min(self.certificates, key=lambda found: found.slack)


def _excess(certificate: Certificate) -> str:
    if not certificate.slack.is_finite:
        return "infinitely"
    return in_nats(outward(-Fraction(certificate.slack.floor()), 3, up=True))


def _attribute_part(name: str, attribute: AttributeTable) -> dict[str, Any]:
    domain = attribute.domain()
    part: dict[str, Any]
    if isinstance(domain, Grid):
        part = {"grid": attribute.grid.model_dump() if attribute.grid else {}}
        columns = attribute.column or ["latitude", "longitude"]
    else:
        part = {"numbers": domain.k} if isinstance(domain.labels, range) else {"labels": list(domain.labels)}
        columns = attribute.column or name
    part["columns"] = [columns] if isinstance(columns, str) else columns
    if attribute.missing is not None:
        part["missing"] = attribute.missing
    return part
