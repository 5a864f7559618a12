"""What a promise means, in plain words: odds, beliefs, and what is not protected. One function for any of them.

Numbers round against the promise: the most that can be learned is rounded up, never down. Source: the bounds on
posterior odds of the context-aware LDP paper, Section 3.1, with the evidence of one report.
"""

from sordino.accounting.approximate import ApproximateFilter
from sordino.accounting.filter import BayesianFilter
from sordino.accounting.joint import JointFilter
from sordino.accounting.odometer import Odometer
from sordino.accounting.quota import QuotaFilter
from sordino.audit.certify import Certificate
from sordino.blocks.sentence import texts
from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.high_low import HighLowLDP
from sordino.definition.matrix import PairwiseLDP
from sordino.definition.metric import MetricLDP
from sordino.definition.pairwise import LDP, BlockLDP
from sordino.errors import SordinoError
from sordino.estimation.unbiased import leverage
from sordino.exact.messages.arguments import checked
from sordino.mechanism.base import Mechanism
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together
from sordino.survey.planning.plan import Plan
from sordino.words.explain_certificate import certificate_sentences
from sordino.words.explain_filter import counted_sentences
from sordino.words.explain_plan import codes_sentence, explanation, forged_sentence
from sordino.words.explain_query import query_sentences
from sordino.words.odds import promise


@checked
def explain(thing: object) -> tuple[str, ...]:
    """Sentences about a definition, a mechanism, a query, a certificate, a plan, a filter or an odometer.

    Raises:
        SordinoError: nothing that can be explained.

    Example:
        >>> for line in explain(LDP("ln 1.8")): print(line)
        Whatever else somebody knows, one report changes the odds between any two answers by a factor of at most 1.8.
        A suspicion of 10 % rises to at most 16.67 % and falls no lower than 5.81 %.
        A second report about the same answer multiplies the factors.
    """
    match thing:
        case LDP() | BlockLDP() | HighLowLDP() | PairwiseLDP() | MetricLDP() | CoordinateDP() | BayesianCoordinateDP():
            return texts(promise(thing))
        case Certificate():
            return certificate_sentences(thing)
        case Mechanism():
            return _mechanism(thing)
        case Query() | Together() | Sampled():
            return query_sentences(thing)
        case Plan():
            return explanation(thing).lines
        case BayesianFilter() | JointFilter() | QuotaFilter() | ApproximateFilter() | Odometer():
            return counted_sentences(thing)
        case _:
            raise SordinoError(
                "only a definition, mechanism, query, certificate, plan, filter or odometer can be explained",
                found=type(thing).__name__,
                step="give it one of these",
            )


def _mechanism(mechanism: Mechanism) -> tuple[str, ...]:
    return (
        codes_sentence(mechanism.code_bits),
        forged_sentence(leverage(mechanism)),
    )
