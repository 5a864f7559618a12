"""From the frozen words of a metric to the definition of privacy that they stand for.

Numbers in order, positions, and trees whose names are all categories become bounds along edges (`MetricLDP`), so do the
cells of a map. Of a tree with names that are nobody's value only the ways between categories count: a table of bounds.
"""

import math
from fractions import Fraction
from itertools import chain

from sordino.audit.distances import keeps_distances
from sordino.definition.bounds import LARGEST_MATRIX
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.metric_tree import bound_at
from sordino.domain.attribute import Domain
from sordino.domain.categories import Categories
from sordino.domain.great_circle import KILOMETRES
from sordino.domain.grid import Grid
from sordino.errors import RefusedError, SordinoError
from sordino.exact.messages.brief import shown
from sordino.exact.nats import Nats
from sordino.survey.frozen.amounts import canonical_epsilon, canonical_number
from sordino.survey.frozen.parts import MapMetricPart, MetricPart
from sordino.survey.frozen.taxonomy import Taxonomy


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
    return MetricLDP.line([Nats.of(label).rational / per for label in domain.labels], epsilon)


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
