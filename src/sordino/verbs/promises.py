"""The verbs about what is promised, before anybody is asked: plan, forecast, certify, explain.

The same words in Python and on the command line. Each takes whatever noun it makes sense of, a plan (or its file), a
definition or a mechanism, and refuses all else with the next step. The guarantees are those of what they call.
"""

import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from sordino.definition.bayesian import BayesianCoordinateDP
from sordino.definition.coordinate import CoordinateDP
from sordino.definition.pairwise import LDP, PairwiseDefinition
from sordino.errors import SordinoError, SordinoWarning
from sordino.exact.messages import checked, kind, read_rational
from sordino.mechanism.base import Mechanism
from sordino.mechanism.record_channel import RecordChannel
from sordino.query.query import Query
from sordino.query.sampled import Sampled
from sordino.query.together import Together
from sordino.verbs.mechanism_verbs import Asked, certify_asked, certify_shuffled
from sordino.verbs.plan_given import PlanLike, read_plan

# What only plans need is large, and loaded by the verbs that are given some: mechanisms do not wait for it.
if TYPE_CHECKING:
    from sordino.audit.batch_certificate import BatchCertificate, DrawnBatch
    from sordino.audit.certificate import Certificate
    from sordino.audit.loss_certificate import LossCertificate
    from sordino.survey.planning.plan import Plan
    from sordino.survey.reading.survey_file import Survey
    from sordino.verbs.plan_certificate import PlanCertificate
    from sordino.verbs.plan_forecast import PlanForecast


@checked
def plan(
    survey: "Survey | Mapping[str, Any] | Path | str",
    people: int | None = None,
    *,
    accuracy: float | None = None,
    confidence: float = 0.95,
    expect: Any = None,
    progress: Callable[[int], None] | None = None,
) -> "Plan":
    """Freeze a survey into a plan: mechanisms, integer thresholds, a content hash.

    Args:
        survey: a survey, its tables as TOML gives them, or the path of its file.
        people: how many are expected to answer, for the expected errors; or
        accuracy: for the least number of people with which every interval is expected to reach at most so far to each
            side: 0.01 is one percentage point of a share, or a hundredth of a number's range; or both, of a survey
            without an epsilon, for the least epsilon with which so many people give that accuracy: a decimal of two
            digits, at most 10, which `explain` puts into odds.
        confidence: of the intervals of an accuracy, each by itself.
        expect: a public sample of people like those who will answer, a frame or the path of a table, for what is
            expected; the survey's own settings `expected` otherwise. No promise depends on it.
        progress: called with the number of questions whose mechanism is chosen since the last call.

    Warns of questions that so few people cannot be expected to answer, and says how what may surprise in a survey was
    read.

    Raises:
        SordinoError: a survey with mistakes, or one from which nothing can be learned; neither people nor an accuracy;
            both of a survey that has an epsilon, or that no epsilon of at most 10 makes so accurate.

    Example:
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> plan({**asked, "ask": [{"histogram": "smoker"}]}, 10_000).people
        10000
        >>> plan({**asked, "ask": [{"histogram": "smoker"}]}, accuracy=0.01).people
        44971
        >>> del asked["epsilon"]
        >>> found = plan({**asked, "ask": [{"histogram": "smoker"}]}, 10_000, accuracy=0.05)
        >>> print(found.promise_text)
        epsilon 0.4
        >>> explain(found)[1]
        'Whatever else somebody knows, one report changes the odds between any two answers by a factor of at most 1.5.'
    """
    from sordino.verbs.make_plan import make_plan

    made = make_plan(survey, people, accuracy, confidence, expect, progress or (lambda _: None))
    for sentence in (*made.readings, *made.warnings):
        warnings.warn(sentence, SordinoWarning, stacklevel=3)
    return made.plan


@checked
def forecast(
    plan: PlanLike, people: int | None = None, *, confidence: float = 0.95, expect: Any = None
) -> "PlanForecast":
    """Say what the questions of a plan will show, before anybody is asked.

    Args:
        plan: a plan, or the path of its file.
        people: how many are expected to answer; by default as many as the plan expects.
        confidence: of the intervals whose half-widths are said.
        expect: a public sample of people like those who will answer, as of `plan`.

    Raises:
        SordinoError: no plan, no such number of people, or a confidence outside (0, 1).

    Example:
        >>> asked = {"version": 1, "epsilon": "1", "attribute": {"smoker": {"categories": ["yes", "no"]}}}
        >>> frozen = plan({**asked, "ask": [{"histogram": "smoker"}]}, 10_000)
        >>> forecast(frozen).to_arrow()["quantity"].to_pylist()
        ['share of smoker']
    """
    from sordino.verbs.make_plan import forecast_plan

    return forecast_plan(read_plan(plan, "forecast"), people, confidence, expect)


@overload
def certify(
    plan: PlanLike,
    *,
    shuffled: int | None = None,
    delta_probability: object = None,
    progress: Callable[[int], None] | None = None,
) -> "PlanCertificate": ...
@overload
def certify(
    plan: Mechanism, definition: PairwiseDefinition, *, shuffled: int, delta_probability: object
) -> "BatchCertificate": ...
@overload
def certify(plan: Query | Sampled, definition: LDP, *, shuffled: int, delta_probability: object) -> "DrawnBatch": ...
@overload
def certify(plan: Mechanism, definition: PairwiseDefinition | BayesianCoordinateDP) -> "Certificate": ...
@overload
def certify(plan: Query | Together | Sampled, definition: LDP) -> "Certificate": ...
@overload
def certify(plan: RecordChannel, definition: LDP | CoordinateDP | BayesianCoordinateDP) -> "LossCertificate": ...
@checked
def certify(
    plan: Any,
    definition: Any = None,
    *,
    shuffled: int | None = None,
    delta_probability: Any = None,
    progress: Callable[[int], None] | None = None,
) -> Any:
    """Check integers against a promise, exactly, on every output; or what a batch of shuffled reports reveals.

    Args:
        plan: a plan, or the path of its file, which holds its own promise; or a mechanism, or queries.
        definition: what a mechanism is checked against; reports of `sordino.papers` about records of numbers
            under LDP, coordinate DP, or Bayesian coordinate DP with a bound on dependence; queries under LDP of the
            whole record, since no two records differ more than two values that are read of them.
        shuffled: how many honest reports of one public group, period and block somebody else than the collector mixes
            before the collector sees them: then also bounds, from above and from below, of what all of them together
            reveal about one person. Each of the people is drawn for one of the questions.
        delta_probability: with which more may be revealed, as "1e-6"; needed for a batch.
        progress: for a plan, called with the number of questions certified since the last call.

    Raises:
        SordinoError: a definition of another size or kind, or integers that are no channel; a batch of no size or
            without a probability, or of what no bound is known of: averages over beliefs (deltas of attributes),
            several answers of a person in one report.
        RefusedError: a plan's file that breaks its promise.

    Example:
        >>> from sordino import LDP, RandomizedResponse
        >>> certify(RandomizedResponse(4, "1"), LDP("1")).holds
        True
        >>> certify(RandomizedResponse(4, "1"), LDP("1"), shuffled=10_000, delta_probability="1e-6")
        BatchCertificate: 10,000 shuffled reports, delta 0.000001: epsilon 0.0342 to 0.0343 (alone 1)
    """
    batch = None if shuffled is None and delta_probability is None else _read_batch(shuffled, delta_probability)
    if isinstance(plan, Asked):
        if progress is not None:
            raise SordinoError("progress is of a plan's questions", found=kind(plan), step="leave progress out")
        return certify_asked(plan, definition) if batch is None else certify_shuffled(plan, definition, *batch)
    from sordino.verbs.plan_certificate import PlanCertificate, certify_plan_batch

    say = progress or (lambda _: None)
    frozen = read_plan(plan, "certify", say)
    if definition is not None:
        raise SordinoError(
            "a plan has a promise of its own", found=type(definition).__name__, step="leave the definition out"
        )
    for question in frozen.questions if frozen is plan else ():
        _ = question.certificate
        say(1)
    return PlanCertificate(frozen, None if batch is None else certify_plan_batch(frozen, *batch))


def _read_batch(shuffled: int | None, delta: object) -> tuple[int, Fraction]:
    if shuffled is None or delta is None:
        found = "no number of reports" if shuffled is None else "no probability"
        step = 'give shuffled and delta_probability, as 5000 and "1e-6"'
        raise SordinoError("a batch has a number of reports and a delta", found=found, step=step)
    return shuffled, read_rational(delta)


@checked
def explain(noun: object) -> tuple[str, ...]:
    """Say in plain words what something means: odds, beliefs, and what is not protected.

    Args:
        noun: a plan, or the path of its file; a definition, a mechanism, a query, a certificate, a filter or an
            odometer.

    Raises:
        SordinoError: nothing that can be explained.

    Example:
        >>> from sordino import LDP
        >>> for line in explain(LDP("ln 1.8")): print(line)
        Whatever else somebody knows, one report changes the odds between any two answers by a factor of at most 1.8.
        A suspicion of 10 % rises to at most 16.67 % and falls no lower than 5.81 %.
        A second report about the same answer multiplies the factors.
    """
    from sordino.survey.reading.survey_file import Survey
    from sordino.verbs.plan_certificate import PlanCertificate
    from sordino.words.explain_promise import explain as explain_noun

    if isinstance(noun, PlanCertificate):
        return noun.lines
    return explain_noun(read_plan(noun, "explain") if isinstance(noun, Path | str | Survey | Mapping) else noun)
