from sordino.accounting.approximate import ApproximateFilter
from sordino.accounting.filter import BayesianFilter
from sordino.accounting.odometer import Odometer
from sordino.accounting.panel import Panel
from sordino.accounting.realized import realized_loss
from sordino.audit.answers import certify_answers
from sordino.audit.certify import Certificate
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.dependence import Dependence
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import MetricLDP, PairwiseLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.histograms.best_mechanism import best_mechanism, optimal_channel
from sordino.design.numbers.sampled_mean import SampledMean
from sordino.design.numbers.sampled_moments import SampledMoments
from sordino.design.people_needed import people_needed
from sordino.domain.box import Box
from sordino.domain.categories import Categories
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.partition import Partition
from sordino.domain.record import Record
from sordino.domain.scaled import Scaled
from sordino.domain.statistic import Moments
from sordino.errors import SordinoError, SordinoErrors
from sordino.estimation.estimate import Estimate
from sordino.estimation.stopped import estimate_stopped
from sordino.evidence.bound.loss import LossBounds
from sordino.exact.keyed import KeyedSource
from sordino.exact.nats import Nats
from sordino.exact.source import SystemSource
from sordino.mechanism.aggregate import Aggregate
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.high_low import HighLow
from sordino.mechanism.levels import LevelResponse
from sordino.mechanism.linear_query import LinearQuery
from sordino.mechanism.logistic_query import LogisticQuery
from sordino.mechanism.mixture import Mixture
from sordino.mechanism.one_bit import OneBit
from sordino.mechanism.projective import ProjectiveResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.sampled_bits import SampledBits
from sordino.mechanism.sign_tables import SignTables
from sordino.mechanism.signs import SignResponse
from sordino.mechanism.subset import SubsetSelection
from sordino.mechanism.table import ChannelTable
from sordino.mechanism.truncated_query import TruncatedLinearQuery
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.statistic import Value, Values
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.schema import Survey
from sordino.verbs.dispatch import aggregate, certify, estimate, explain, plan, privatize
from sordino.verbs.plan_results import PlanCertificate, PlanEstimate

__all__ = [
    "LDP",
    "Aggregate",
    "ApproximateFilter",
    "BayesianCoordinateDP",
    "BayesianFilter",
    "BinaryOptimal",
    "BlockLDP",
    "Blockwise",
    "Box",
    "Categories",
    "Certificate",
    "ChannelTable",
    "CoordinateDP",
    "Dependence",
    "Estimate",
    "Grid",
    "HadamardResponse",
    "HighLow",
    "HighLowLDP",
    "Interval",
    "KeyedSource",
    "LevelResponse",
    "LinearQuery",
    "LogisticQuery",
    "LossBounds",
    "MetricLDP",
    "Mixture",
    "Moments",
    "Nats",
    "Odometer",
    "OneBit",
    "PairwiseLDP",
    "Panel",
    "Partition",
    "Plan",
    "PlanCertificate",
    "PlanEstimate",
    "ProjectiveResponse",
    "Query",
    "RandomizedResponse",
    "Record",
    "Sampled",
    "SampledBits",
    "SampledMean",
    "SampledMoments",
    "Scaled",
    "SignResponse",
    "SignTables",
    "SordinoError",
    "SordinoErrors",
    "SubsetSelection",
    "Survey",
    "SystemSource",
    "TruncatedLinearQuery",
    "Value",
    "Values",
    "aggregate",
    "best_mechanism",
    "certify",
    "certify_answers",
    "estimate",
    "estimate_stopped",
    "explain",
    "optimal_channel",
    "people_needed",
    "plan",
    "privatize",
    "realized_loss",
]
