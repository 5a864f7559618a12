from sordino.audit.region import allowed_errors
from sordino.design.minimax_floor import people_floor, total_variation_floor
from sordino.evidence.finite import FiniteEvidence
from sordino.papers.bayesian_coordinate.attribute_loss import (
    attribute_budget,
    attribute_errors,
    attribute_loss,
    budget_conditions,
)
from sordino.papers.bayesian_coordinate.least_squares import TwoCopies
from sordino.papers.bayesian_coordinate.means import L2Ball
from sordino.papers.bayesian_coordinate.nested import NestedMean
from sordino.papers.bayesian_coordinate.nested_budgets import nested_budgets
from sordino.papers.bayesian_coordinate.nested_reports import NestedReports
from sordino.papers.bayesian_filter.chords import chord_bounds
from sordino.papers.bayesian_filter.interaction import answers, ask_until_refused, efficiency, interact
from sordino.papers.bayesian_filter.knowledge import knowledge_gain, learning_limit, tight_statement
from sordino.papers.bayesian_filter.utilization import are_compactible, are_independent, utilization

__all__ = [
    "FiniteEvidence",
    "L2Ball",
    "NestedMean",
    "NestedReports",
    "TwoCopies",
    "allowed_errors",
    "answers",
    "are_compactible",
    "are_independent",
    "ask_until_refused",
    "attribute_budget",
    "attribute_errors",
    "attribute_loss",
    "budget_conditions",
    "chord_bounds",
    "efficiency",
    "interact",
    "knowledge_gain",
    "learning_limit",
    "nested_budgets",
    "people_floor",
    "tight_statement",
    "total_variation_floor",
    "utilization",
]
