from sordino.accounting.approximate import ApproximateFilter
from sordino.accounting.filter import BayesianFilter
from sordino.accounting.odometer import Odometer
from sordino.accounting.quota import QuotaFilter
from sordino.accounting.realized import realized_loss
from sordino.audit.certificate import Certificate
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.bounded_dependence import Dependence
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.design.numbers.sampled_mean import sampled_mean
from sordino.design.numbers.sampled_moments import sampled_moments
from sordino.design.people_needed import people_needed
from sordino.design.shares.best_mechanism import best_mechanism, optimal_channel
from sordino.domain.box import Box
from sordino.domain.categories import Categories
from sordino.domain.finite_record import Record
from sordino.domain.grid import Grid
from sordino.domain.interval import Interval
from sordino.domain.scaled import Scaled
from sordino.domain.value_partition import Partition
from sordino.errors import RefusedError, SordinoError, SordinoErrors, SordinoWarning
from sordino.estimation.linear_regression import least_squares
from sordino.estimation.means_and_covariances import covariances, means
from sordino.estimation.share_estimate import Estimate
from sordino.evidence.bound.loss import LossBounds
from sordino.exact.keyed import KeyedSource
from sordino.exact.nats import Nats
from sordino.exact.source import SystemSource
from sordino.mechanism.binary import BinaryOptimal
from sordino.mechanism.bit_flips import BitFlips
from sordino.mechanism.blockwise import Blockwise
from sordino.mechanism.channel import Aggregate
from sordino.mechanism.channel_table import ChannelTable, LinearTable
from sordino.mechanism.cyclic_subsets import CyclicSubsets
from sordino.mechanism.hadamard import HadamardResponse
from sordino.mechanism.hierarchy import HierarchyResponse
from sordino.mechanism.high_low_response import HighLow
from sordino.mechanism.product_response import ProductResponse
from sordino.mechanism.projective import ProjectiveResponse
from sordino.mechanism.randomized import RandomizedResponse
from sordino.mechanism.subset_selection import SubsetSelection
from sordino.mechanism.tree_response import TreeResponse
from sordino.mechanism.window import WindowResponse
from sordino.once.ledger.ask import Report, ask
from sordino.once.ledger.ledger import Ledger
from sordino.query.affine import Affine
from sordino.query.linear import LinearQuery, LogisticQuery, TruncatedLinearQuery
from sordino.query.logistic import Logistic
from sordino.query.missing import CompleteCase, OptionalNumber
from sordino.query.number import Number, Product, Signs
from sordino.query.quadratic import Quadratic, QuadraticQuery
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.statistic import Value, Values
from sordino.query.together import Together
from sordino.survey.answering.plan_report import PlanReport
from sordino.survey.planning.plan import Plan
from sordino.survey.reading.survey_file import Survey
from sordino.verbs.change import PlanChange, change
from sordino.verbs.collect import aggregate, estimate, privatize
from sordino.verbs.plan_certificate import PlanCertificate
from sordino.verbs.plan_forecast import PlanForecast
from sordino.verbs.plan_results import PlanEstimate
from sordino.verbs.promises import certify, explain, forecast, plan
from sordino.verbs.report import report
from sordino.verbs.state_dependence import dependence

__version__: str

__all__ = [
    "LDP",
    "Affine",
    "Aggregate",
    "ApproximateFilter",
    "BayesianCoordinateDP",
    "BayesianFilter",
    "BinaryOptimal",
    "BitFlips",
    "BlockLDP",
    "Blockwise",
    "Box",
    "Categories",
    "Certificate",
    "ChannelTable",
    "CompleteCase",
    "CoordinateDP",
    "CyclicSubsets",
    "Dependence",
    "Estimate",
    "Grid",
    "HadamardResponse",
    "HierarchyResponse",
    "HighLow",
    "HighLowLDP",
    "Interval",
    "KeyedSource",
    "Ledger",
    "LinearQuery",
    "LinearTable",
    "Logistic",
    "LogisticQuery",
    "LossBounds",
    "MetricLDP",
    "Nats",
    "Number",
    "Odometer",
    "OptionalNumber",
    "PairwiseLDP",
    "Partition",
    "Plan",
    "PlanCertificate",
    "PlanChange",
    "PlanEstimate",
    "PlanForecast",
    "PlanReport",
    "Product",
    "ProductResponse",
    "ProjectiveResponse",
    "Quadratic",
    "QuadraticQuery",
    "Query",
    "QuotaFilter",
    "RandomizedResponse",
    "Record",
    "RefusedError",
    "Report",
    "Sampled",
    "Scaled",
    "Signs",
    "SordinoError",
    "SordinoErrors",
    "SordinoWarning",
    "SubsetSelection",
    "Survey",
    "SystemSource",
    "Together",
    "TreeResponse",
    "TruncatedLinearQuery",
    "Value",
    "Values",
    "WindowResponse",
    "aggregate",
    "ask",
    "best_mechanism",
    "certify",
    "change",
    "covariances",
    "dependence",
    "estimate",
    "explain",
    "forecast",
    "least_squares",
    "means",
    "optimal_channel",
    "people_needed",
    "plan",
    "privatize",
    "realized_loss",
    "report",
    "sampled_mean",
    "sampled_moments",
]
