"""The plan: a survey's promise frozen into mechanisms with integer thresholds, public and hashed.

Every later step (privatize, aggregate, estimate, certify, explain) takes the plan and nothing else; it reads the
integers of the document, so that what is sampled is what was certified.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from sordino.audit.certify import Certificate, certify
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.accuracy import Accuracy, expected_accuracy, subtracting_helps
from sordino.design.choose import best_mechanism
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.errors import SordinoError
from sordino.exact.nats import Nats, outward
from sordino.mechanism.base import Mechanism
from sordino.mechanism.blockwise import INNER, Blockwise
from sordino.mechanism.one_coin import OneCoin
from sordino.query import Query
from sordino.survey.document import AttributePart, InnerPart, PlanDocument, canonical, dump, seal, unseal
from sordino.survey.load import read_json, read_text, write_text
from sordino.survey.schema import LARGEST_DOMAIN, AttributeTable, Domain, Survey, blocks_of

MOST_PEOPLE = 10**12


@dataclass(frozen=True)
class Plan:
    """A frozen plan of a survey with one question.

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
        name = survey.ask[0].histogram
        attribute = survey.attribute[name]
        mechanism = best_mechanism(attribute.domain().k, survey.definition(name))
        return cls(
            seal(
                {
                    "people": people,
                    "epsilon": str(survey.epsilon),
                    "attributes": {name: _attribute_part(name, attribute)},
                    "queries": [
                        {
                            "histogram": name,
                            "share": "1",
                            "inner": _inner_parts(mechanism),
                            "subtract_totals": subtracting_helps(mechanism),
                        }
                    ],
                }
            )
        )

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
        if not plan.certificate.holds:
            raise SordinoError(
                f"{path} must keep its own promise",
                found=f"a mechanism that loses {_excess(plan.certificate)} more than epsilon",
                step="do not use it; make the plan again",
            )
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

    @property
    def attribute(self) -> AttributePart:
        """The attribute that is asked."""
        return self.document.attributes[self.query.attribute]

    @cached_property
    def domain(self) -> Domain:
        """The attribute's values."""
        (part,) = self.document.attributes.values()
        if part.grid is not None:
            grid = Grid(**part.grid.model_dump())
            if grid.k > LARGEST_DOMAIN:
                raise SordinoError(f"a plan's domain must have 1 to {LARGEST_DOMAIN} values", found=str(grid.k))
            return grid
        if part.numbers is not None and not 1 <= part.numbers <= LARGEST_DOMAIN:
            raise SordinoError(f"a plan's domain must have 1 to {LARGEST_DOMAIN} values", found=str(part.numbers))
        return Categories(range(part.numbers) if part.numbers is not None else part.labels or ())

    @cached_property
    def definition(self) -> LDP | BlockLDP:
        """The promise."""
        (part,) = self.document.attributes.values()
        epsilon = Nats.of(self.document.epsilon)
        if str(epsilon) != self.document.epsilon:
            raise SordinoError("a plan's epsilon must be in its canonical form", found=repr(self.document.epsilon))
        if part.blocks is None:
            return LDP(epsilon)
        if part.blocks.of is not None:
            return BlockLDP(epsilon, Partition.of(part.blocks.of, self.domain.k))
        setting = part.blocks.tiles if part.blocks.run is None else part.blocks.run
        return BlockLDP(epsilon, blocks_of(self.domain, setting))

    @cached_property
    def query(self) -> Query:
        """The question, with its mechanism made of the document's integers."""
        (part,) = self.document.queries
        if part.histogram not in self.document.attributes:
            raise SordinoError("a query must be about an attribute of the plan", found=repr(part.histogram))
        inner = [_thaw(frozen) for frozen in part.inner]
        mechanism: Mechanism
        match self.definition:
            case BlockLDP(partition=partition):
                mechanism = Blockwise.from_inner(partition, inner)
            case _ if len(inner) == 1:
                mechanism = inner[0]
            case _:
                raise SordinoError("a domain without blocks must have one mechanism", found=str(len(inner)))
        if mechanism.k != self.domain.k:
            raise SordinoError(f"the mechanism must be about {self.domain.k} values", found=str(mechanism.k))
        return Query(part.histogram, mechanism, part.subtract_totals)

    @cached_property
    def certificate(self) -> Certificate:
        """The exact verdict on the document's integers under the document's promise."""
        return certify(self.query.mechanism, self.definition)

    @cached_property
    def expected(self) -> Accuracy:
        """How exact the estimates will be."""
        return expected_accuracy(self.query.mechanism, self.people, subtract_totals=self.query.subtract_totals)

    @cached_property
    def uniform(self) -> Query:
        """The best way to ask the same question if every two values had to be protected from each other."""
        mechanism = best_mechanism(self.domain.k, LDP(self.document.epsilon))
        return Query(self.query.attribute, mechanism, subtracting_helps(mechanism))

    @cached_property
    def expected_uniform(self) -> Accuracy:
        """How exact the estimates would be under uniform protection."""
        return expected_accuracy(self.uniform.mechanism, self.people, subtract_totals=self.uniform.subtract_totals)


def _excess(certificate: Certificate) -> str:
    if not certificate.slack.is_finite:
        return "infinitely"
    return f"{outward(-Fraction(certificate.slack.floor()), 3, up=True)} nats"


def _attribute_part(name: str, attribute: AttributeTable) -> dict[str, object]:
    domain = attribute.domain()
    values: dict[str, object]
    if isinstance(domain, Grid):
        values = {"grid": attribute.grid.model_dump() if attribute.grid else {}}
        columns = attribute.column or ["latitude", "longitude"]
    else:
        values = {"numbers": domain.k} if isinstance(domain.labels, range) else {"labels": list(domain.labels)}
        columns = attribute.column or name
    part = {**values, "columns": [columns] if isinstance(columns, str) else columns}
    if attribute.missing is not None:
        part["missing"] = attribute.missing
    partition = attribute.partition()
    if attribute.protect is not None and partition is not None:
        setting = attribute.protect.blocks
        if isinstance(domain, Grid):
            part["blocks"] = {"tiles": setting}
        else:
            part["blocks"] = {"run": setting} if isinstance(setting, int) else {"of": partition.block.tolist()}
    return part


def _inner_parts(mechanism: Mechanism) -> list[dict[str, object]]:
    """The integers of a mechanism, or of each inner one; integers beyond 2^53 as text."""
    inner = mechanism.inner if isinstance(mechanism, Blockwise) else (mechanism,)
    names: dict[type[OneCoin], str] = {kind: name for name, kind in INNER.items()}
    parts = []
    for one in inner:
        if not isinstance(one, OneCoin):
            raise SordinoError("a plan freezes mechanisms of one coin", found=type(one).__name__)
        parts.append({**one.record, "name": names[type(one)], "threshold": str(one.threshold)})
    return parts


def _thaw(part: InnerPart) -> OneCoin:
    """The mechanism with a document's integers."""
    integers = {"k": part.k, "threshold": int(part.threshold)}
    return INNER[part.name].from_threshold(**integers, **({} if part.field is None else {"field": part.field}))
