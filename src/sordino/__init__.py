"""Sordino: local differential privacy that protects what is sensitive, as much as it is sensitive, and not more.

The public names are loaded when they are first used: the command line listens to Ctrl-C before anything large loads.
Type checkers read them in `__init__.pyi`.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "accounting.approximate": "ApproximateFilter",
    "accounting.filter": "BayesianFilter",
    "accounting.odometer": "Odometer",
    "accounting.quota": "QuotaFilter",
    "accounting.realized": "realized_loss",
    "audit.certificate": "Certificate",
    "definition.bayesian": "BayesianCoordinateDP",
    "definition.coordinate": "CoordinateDP",
    "definition.bounded_dependence": "Dependence",
    "definition.high_low": "HighLowLDP",
    "definition.matrix": "PairwiseLDP",
    "definition.metric": "MetricLDP",
    "definition.pairwise": "LDP BlockLDP",
    "design.shares.best_mechanism": "best_mechanism optimal_channel",
    "design.people_needed": "people_needed",
    "design.numbers.sampled_mean": "sampled_mean",
    "design.numbers.sampled_moments": "sampled_moments",
    "domain.box": "Box",
    "domain.categories": "Categories",
    "domain.grid": "Grid",
    "domain.interval": "Interval",
    "domain.value_partition": "Partition",
    "domain.finite_record": "Record",
    "domain.scaled": "Scaled",
    "errors": "RefusedError SordinoError SordinoErrors SordinoWarning",
    "estimation.share_estimate": "Estimate",
    "estimation.means_and_covariances": "covariances means",
    "estimation.linear_regression": "least_squares",
    "evidence.bound.loss": "LossBounds",
    "exact.keyed": "KeyedSource",
    "exact.nats": "Nats",
    "exact.source": "SystemSource",
    "once.ledger.ask": "Report ask",
    "once.ledger.ledger": "Ledger",
    "mechanism.channel": "Aggregate",
    "mechanism.binary": "BinaryOptimal",
    "mechanism.product_response": "ProductResponse",
    "mechanism.tree_response": "TreeResponse",
    "mechanism.bit_flips": "BitFlips",
    "mechanism.blockwise": "Blockwise",
    "mechanism.cyclic_subsets": "CyclicSubsets",
    "mechanism.hadamard": "HadamardResponse",
    "mechanism.high_low_response": "HighLow",
    "mechanism.hierarchy": "HierarchyResponse",
    "mechanism.projective": "ProjectiveResponse",
    "mechanism.randomized": "RandomizedResponse",
    "mechanism.subset_selection": "SubsetSelection",
    "mechanism.channel_table": "ChannelTable LinearTable",
    "mechanism.window": "WindowResponse",
    "verbs.plan_certificate": "PlanCertificate",
    "verbs.plan_forecast": "PlanForecast",
    "verbs.plan_results": "PlanEstimate",
    "query.affine": "Affine",
    "query.linear": "LinearQuery LogisticQuery TruncatedLinearQuery",
    "query.logistic": "Logistic",
    "query.missing": "CompleteCase OptionalNumber",
    "query.number": "Number Product Signs",
    "query.quadratic": "Quadratic QuadraticQuery",
    "query.query": "Query",
    "query.sampled": "Sampled",
    "query.together": "Together",
    "query.statistic": "Value Values",
    "survey.answering.plan_report": "PlanReport",
    "survey.planning.plan": "Plan",
    "survey.reading.survey_file": "Survey",
    "verbs.change": "PlanChange change",
    "verbs.state_dependence": "dependence",
    "verbs.report": "report",
    "verbs.collect": "aggregate estimate privatize",
    "verbs.promises": "certify explain forecast plan",
}
"""Where the public names stand."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list of texts


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name == "__version__":
        # Read where it is asked for: what reads it takes longer to load than all else here.
        from importlib.metadata import version

        return version(__name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sordino.extras import naming_extra

    with naming_extra():
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
