"""Mechanisms and bounds of the three papers that a survey does not need, by public names.

They are loaded when they are first used. The pages in docs/papers say which item of a paper each one is.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "FiniteEvidence": "sordino.evidence.finite",
    "L2Ball": "sordino.papers.bayesian_coordinate.means",
    "NestedMean": "sordino.papers.bayesian_coordinate.nested",
    "NestedReports": "sordino.papers.bayesian_coordinate.nested_reports",
    "TwoCopies": "sordino.papers.bayesian_coordinate.least_squares",
    "allowed_errors": "sordino.audit.region",
    "answers": "sordino.papers.bayesian_filter.interaction",
    "are_compactible": "sordino.papers.bayesian_filter.utilization",
    "are_independent": "sordino.papers.bayesian_filter.utilization",
    "ask_until_refused": "sordino.papers.bayesian_filter.interaction",
    "attribute_budget": "sordino.papers.bayesian_coordinate.attribute_loss",
    "attribute_errors": "sordino.papers.bayesian_coordinate.attribute_loss",
    "attribute_loss": "sordino.papers.bayesian_coordinate.attribute_loss",
    "budget_conditions": "sordino.papers.bayesian_coordinate.attribute_loss",
    "chord_bounds": "sordino.papers.bayesian_filter.chords",
    "efficiency": "sordino.papers.bayesian_filter.interaction",
    "interact": "sordino.papers.bayesian_filter.interaction",
    "knowledge_gain": "sordino.papers.bayesian_filter.knowledge",
    "learning_limit": "sordino.papers.bayesian_filter.knowledge",
    "nested_budgets": "sordino.papers.bayesian_coordinate.nested_budgets",
    "people_floor": "sordino.design.minimax_floor",
    "tight_statement": "sordino.papers.bayesian_filter.knowledge",
    "total_variation_floor": "sordino.design.minimax_floor",
    "utilization": "sordino.papers.bayesian_filter.utilization",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
