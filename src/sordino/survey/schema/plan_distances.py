"""From the frozen words of a metric to the definition of privacy that they stand for.

Numbers in order, positions, and trees whose names are all categories become bounds along edges (`MetricLDP`), so do the
cells of a map. Of a tree with names that are nobody's value only the ways between categories count: a table of bounds.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm

from sordino.audit.earth_distances import keeps_distances
from sordino.definition.bounds import LARGEST_MATRIX
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.metric_tree import bound_at
from sordino.document.schema.nearest import nearest
from sordino.domain.attribute import Domain
from sordino.domain.categories import Categories, few
from sordino.domain.grid import KILOMETRES, Grid
from sordino.errors import RefusedError, SordinoError, SordinoErrors
from sordino.exact.messages import MOST_DIGITS, shown
from sordino.exact.nats import Nats
from sordino.survey.schema.amounts import canonical_epsilon, canonical_number
from sordino.survey.schema.attribute_part import MapMetricPart, MetricPart


@dataclass(frozen=True)
class Taxonomy:
    """Categories on a tree.

    Attributes:
        names: of all nodes: the categories in their own order, then names that are none.
        k: the number of categories.
        parents: of each node, as its place; None of the root.
        lengths: of the edge from each node to its parent; 1 of the root, where it says nothing.

    Example:
        >>> tree = Taxonomy.of(["tea", "water", "bread"], {"drink": ["tea", "water"], "all": ["drink", "bread"]})
        >>> tree.parents, [str(length) for length in tree.distances()[0]]
        ((3, 3, 4, 4, None), ['0', '2', '3'])
    """

    names: tuple[str, ...]
    k: int
    parents: tuple[int | None, ...]
    lengths: tuple[Fraction, ...]

    @classmethod
    def of(
        cls,
        categories: Sequence[str],
        below: Mapping[str, Sequence[str]],
        lengths: Mapping[str, Fraction] | None = None,
    ) -> "Taxonomy":
        """Read a tree.

        Args:
            categories: all of them must stand in the tree.
            below: the names that stand directly below each name that has any.
            lengths: of the edge from a name up to the next, 1 by default.

        Raises:
            SordinoErrors: all that is wrong.
        """
        own = lengths or {}
        mistakes = [*_mistakes(categories, below), *_wrong_lengths(below, own)]
        if mistakes:
            raise SordinoErrors("the tree", mistakes)
        parent = {name: above for above, names in below.items() for name in names}
        known = set(categories)
        names = (*categories, *(name for name in below if name not in known))
        place = {name: i for i, name in enumerate(names)}
        parents = tuple(place[parent[name]] if name in parent else None for name in names)
        return cls(names, len(categories), parents, tuple(own.get(name, Fraction(1)) for name in names))

    @property
    def hidden_count(self) -> int:
        """How many names are no categories: nobody's value."""
        return len(self.names) - self.k

    def distances(self) -> list[list[Fraction]]:
        """The length of the way between each two categories, k x k.

        Two of them meet at the one node below which both stand in different branches: each pair is looked at once,
        however long the ways are.
        """
        depth = [Fraction(0)] * len(self.names)
        downward = self._downward()
        for node in downward:
            if (above := self.parents[node]) is not None:
                depth[node] = depth[above] + self.lengths[node]
        found = [[Fraction(0)] * self.k for _ in range(self.k)]
        # The categories below each node so far, itself included.
        under = [[node] if node < self.k else [] for node in range(len(self.names))]
        for node in reversed(downward):
            above = self.parents[node]
            if above is None:
                continue
            for one in under[node]:
                for other in under[above]:
                    found[one][other] = found[other][one] = depth[one] + depth[other] - 2 * depth[above]
            if len(under[above]) < len(under[node]):
                under[above], under[node] = under[node], under[above]
            under[above] += under[node]
        return found

    def _downward(self) -> list[int]:
        """All nodes, each after the one above it."""
        below: list[list[int]] = [[] for _ in self.names]
        for node, above in enumerate(self.parents):
            if above is not None:
                below[above].append(node)
        found = [self.parents.index(None)]
        for node in found:
            found += below[node]
        return found


def _mistakes(categories: Sequence[str], below: Mapping[str, Sequence[str]]) -> Iterator[SordinoError]:
    listed = Counter(name for names in below.values() for name in names)
    nodes = {*below, *listed}
    repeated = [name for name, times in listed.items() if times > 1]
    if repeated:
        yield SordinoError("a tree must hold each name below one other", found=f"{few(repeated)} more than once")
    known = set(categories)
    unknown = [name for name in listed if name not in known and not below.get(name)]
    unknown += [name for name, names in below.items() if not names and name not in listed and name not in known]
    if unknown:
        found = few(unknown) + nearest(unknown, categories)
        step = "list the names below it, add it to categories, or take it out"
        yield SordinoError("a name of a tree with none below it must be a category", found=found, step=step)
    missing = [name for name in categories if name not in nodes]
    if missing:
        yield SordinoError("a tree must hold all categories", found=f"{few(missing)} nowhere")
    roots = [name for name in nodes if not listed[name]]
    circle = _circle(below, roots)
    if circle:
        step = "take one of them out of the names below another"
        yield SordinoError("no name of a tree may stand below itself", found=f"a circle of {few(circle)}", step=step)
    if len(roots) > 1:
        tops = sorted(roots)
        step = "write one name above them; or protect by blocks, which are public"
        yield SordinoError("a tree must have one root", found=f"{len(tops)}: {few(tops)}", step=step)


def _circle(below: Mapping[str, Sequence[str]], roots: Sequence[str]) -> list[str]:
    """Names that no way from a root reaches, each above or below another of them."""
    reached, waiting = set(roots), list(roots)
    while waiting:
        fresh = set(below.get(waiting.pop(), ())) - reached
        reached |= fresh
        waiting += fresh
    return sorted(name for name in below if name not in reached and below[name])


def _wrong_lengths(below: Mapping[str, Sequence[str]], lengths: Mapping[str, Fraction]) -> Iterator[SordinoError]:
    listed = {name for names in below.values() for name in names}
    unknown = [name for name in lengths if name not in listed]
    if unknown:
        found = few(unknown) + nearest(unknown, sorted(listed))
        yield SordinoError("a length must be of a name that stands below another", found=found)
    common = 1
    for length in lengths.values():
        common = lcm(common, length.denominator)
        if common >= 10**MOST_DIGITS:
            rule = f"lengths of a tree must have a common denominator of at most {MOST_DIGITS} digits"
            yield SordinoError(rule, found=f"{len(str(common)):,}", step="write them with fewer digits")
            break
    flat = [name for name, length in lengths.items() if length <= 0]
    if flat:
        step = "merge a category with the one above it"
        rule = "a length must be above 0, or two categories would be the same"
        yield SordinoError(rule, found=f"that of {few(flat)}", step=step)


def metric_definition(domain: Domain, metric: MetricPart, epsilon: Nats) -> MetricLDP | PairwiseLDP:
    """What is promised about values by how far they lie apart.

    Raises:
        SordinoError: words that do not fit the domain, or are not in their canonical form.
        RefusedError: steps between a map's cells that tell more than the distances allow.
    """
    if metric.map is not None:
        return _on_map(domain, metric.map, epsilon)
    if metric.positions is not None:
        if len(metric.positions) != domain.k:
            raise SordinoError(
                f"there must be a position for each of {domain.k} values", found=str(len(metric.positions))
            )
        return MetricLDP.line([canonical_number(position) for position in metric.positions], epsilon)
    if isinstance(domain, Grid):
        raise SordinoError("only categories stand in order, or on a tree", found="a grid")
    if metric.per is not None:
        return _in_order(domain, canonical_number(metric.per), epsilon)
    return _on_tree(taxonomy_of(domain, metric), epsilon)


def taxonomy_of(domain: Categories, metric: MetricPart) -> Taxonomy:
    """The tree over categories.

    Raises:
        SordinoErrors: all that is wrong with it.
    """
    lengths = {name: canonical_number(length) for name, length in (metric.lengths or {}).items()}
    return Taxonomy.of([domain.label(value) for value in range(domain.k)], metric.tree or {}, lengths)


def kilometres_per(metric: MapMetricPart) -> Fraction:
    """How far two places must lie apart to be told from each other by epsilon.

    Raises:
        SordinoError: an unknown unit, or no distance above 0.
    """
    per = canonical_number(metric.per)
    if metric.unit not in KILOMETRES or per <= 0:
        found = shown(f"{metric.per} {metric.unit}")
        raise SordinoError(f"a distance must be above 0, in {', '.join(KILOMETRES)}", found=found)
    return per * KILOMETRES[metric.unit]


def _in_order(domain: Categories, per: Fraction, epsilon: Nats) -> MetricLDP:
    if per <= 0:
        raise SordinoError("`per` of a metric must be above 0", found=shown(per))
    if isinstance(domain.labels, range):
        return MetricLDP.line(domain.k, bound_at(epsilon, 1 / per))
    numbers = [Nats.of(label) for label in domain.labels]
    for number, label in zip(numbers, domain.labels, strict=True):
        # Another reader may take no blanks off, and nobody means a logarithm.
        if number.ratio != 1 or label != label.strip():
            rule, step = "categories of a metric with `per` must be numbers", "write each in digits, without blanks"
            raise SordinoError(rule, found=shown(label), step=step)
    return MetricLDP.line([number.rational / per for number in numbers], epsilon)


def _on_map(domain: Domain, metric: MapMetricPart, epsilon: Nats) -> MetricLDP:
    """Bounds for rows and columns, whoever chose them: only if they keep the distances."""
    if not isinstance(domain, Grid):
        raise SordinoError("only a grid has distances over the Earth", found="categories")
    steps = canonical_epsilon(metric.row_step), canonical_epsilon(metric.column_step)
    definition = MetricLDP.grid(domain.rows, domain.columns, *steps)
    rate = math.nextafter(epsilon.floor() / (1000 * float(kilometres_per(metric))), 0)
    if not keeps_distances(domain, *steps, rate):
        raise RefusedError(
            "the bound between two cells must follow the distance between them",
            found="steps that allow more",
            step="do not use the plan; make it again",
        )
    return definition


def _on_tree(tree: Taxonomy, epsilon: Nats) -> MetricLDP | PairwiseLDP:
    if not tree.hidden_count:
        return MetricLDP.tree(tree.parents, epsilon, tree.lengths)
    if tree.k > LARGEST_MATRIX:
        raise SordinoError(
            f"a tree of more than {LARGEST_MATRIX} categories must have no other names",
            found=f"{tree.k} categories, and {tree.hidden_count} names that are none",
            step="make these names categories, or protect by blocks, which are public",
        )
    distances = tree.distances()
    lengths = set(chain.from_iterable(distances))
    bounds = {length: bound_at(epsilon, length) if length else Nats.of(0) for length in lengths}
    return PairwiseLDP([[bounds[length] for length in row] for row in distances])
