"""Sordino: local differential privacy that protects what is sensitive, as much as it is sensitive, and not more."""

from sordino.audit.certify import Certificate, certify
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.choose import best_mechanism
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.estimate import Estimate, estimate
from sordino.exact.keyed import KeyedSource
from sordino.exact.nats import Nats
from sordino.exact.source import SystemSource
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.projective import ProjectiveResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.survey.explain import explain
from sordino.survey.plan import Plan
from sordino.survey.schema import Survey

__all__ = [
    "LDP",
    "Aggregate",
    "BlockLDP",
    "Blockwise",
    "Categories",
    "Certificate",
    "Estimate",
    "Grid",
    "HadamardResponse",
    "KeyedSource",
    "Nats",
    "Partition",
    "Plan",
    "ProjectiveResponse",
    "RandomizedResponse",
    "SordinoError",
    "SordinoErrors",
    "Survey",
    "SystemSource",
    "best_mechanism",
    "certify",
    "estimate",
    "explain",
]
