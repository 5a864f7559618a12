"""Sordino: local differential privacy that protects what is sensitive, as much as it is sensitive, and not more."""

from sordino.audit.certify import Certificate, certify
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import MetricLDP, PairwiseLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.choose import best_mechanism, optimal_channel
from sordino.design.people import people_needed
from sordino.design.sampled_mean import SampledMean
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.partition import Partition
from sordino.domain.scaled import Scaled
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.estimate import Estimate, estimate
from sordino.exact.keyed import KeyedSource
from sordino.exact.nats import Nats
from sordino.exact.source import SystemSource
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.one_bit import OneBit
from sordino.mechanism.projective import ProjectiveResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.sign_tables import SignTables
from sordino.mechanism.signs import SignResponse
from sordino.mechanism.subset import SubsetSelection
from sordino.mechanism.table import ChannelTable
from sordino.mechanism.unary import UnaryEncoding
from sordino.query import Query, Sampled
from sordino.survey.explain import explain
from sordino.survey.plan import Plan
from sordino.survey.schema import Survey

__all__ = [
    "LDP",
    "Aggregate",
    "BinaryOptimal",
    "BlockLDP",
    "Blockwise",
    "Categories",
    "Certificate",
    "ChannelTable",
    "Estimate",
    "Grid",
    "HadamardResponse",
    "HighLow",
    "HighLowLDP",
    "KeyedSource",
    "LevelResponse",
    "MetricLDP",
    "Mixture",
    "Moments",
    "Nats",
    "OneBit",
    "PairwiseLDP",
    "Partition",
    "Plan",
    "ProjectiveResponse",
    "Query",
    "RandomizedResponse",
    "Sampled",
    "SampledBits",
    "SampledMean",
    "Scaled",
    "SignResponse",
    "SignTables",
    "SordinoError",
    "SordinoErrors",
    "SubsetSelection",
    "Survey",
    "SystemSource",
    "UnaryEncoding",
    "best_mechanism",
    "certify",
    "estimate",
    "explain",
    "optimal_channel",
    "people_needed",
]
