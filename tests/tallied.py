"""Tallies of whole surveys: what people who are drawn from a population would have reported, by the exact channels.

The codes of independent people are multinomial, and the probability of each is the mean over the population of what the
statistic and the mechanism's integers say of one person: where a tally counts codes no report is drawn one by one.
Where it counts what one report may hold several of (the values of a subset), reports are drawn and counted. Nothing of
the estimators is used.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from sordino import Aggregate, Sampled
from sordino.papers.simulation import SimulationSource
from sordino.survey.kinds.distribution.distribution_question import DistributionQuestion
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion


def codes(plan, people: Mapping[str, np.ndarray]) -> np.ndarray:
    """The probability of each code of a plan, of one of these people; values of categories are their places."""
    parts = zip(plan.sampled.weights, plan.questions, strict=True)
    law = np.concatenate([weight * _codes(question, people) for weight, question in parts])
    return law / law.sum()


def tallies(plan, people: Mapping[str, np.ndarray], count: int, surveys: int, seed: int) -> Iterator[Aggregate]:
    """Tallies of so many surveys of so many people each."""
    rng, source = np.random.default_rng(seed), SimulationSource(seed)
    weights = np.array(plan.sampled.weights, dtype=np.float64)
    asked = rng.multinomial(count, weights / weights.sum(), size=surveys)
    draws = [_drawn(question, people, rng, source) for question in plan.questions]
    for each in asked.tolist():
        counters = [draw(number) for draw, number in zip(draws, each, strict=True)]
        yield Aggregate(plan.sampled.fingerprint, count, np.concatenate(counters))


def _drawn(question, people, rng, source) -> Callable[[int], np.ndarray]:
    """What draws the counters of so many people's answers to a question."""
    if isinstance(question, NumbersQuestion) or question.mechanism.counts_codes:
        law = _codes(question, people)
        return lambda number: rng.multinomial(number, law / law.sum())
    mechanism, shares = question.mechanism, _shares(question, people)

    def draw(number: int) -> np.ndarray:
        values = np.repeat(np.arange(mechanism.k), rng.multinomial(number, shares))
        return mechanism.tally(mechanism.privatize(values, source)).counts

    return draw


def _codes(question, people):
    """The probability of each code of a question."""
    if isinstance(question, NumbersQuestion):
        ranges = question.ranges
        records = (np.column_stack([people[name] for name in question.attribute_names]) - ranges.middle) / ranges.half
        return _of_numbers(question.query, records)
    assert question.mechanism.counts_codes, "one report may be counted several times"
    return question.mechanism.forward(_shares(question, people))


def _shares(question, people):
    """The shares of the population that have each of a question's values."""
    if isinstance(question, DistributionQuestion):
        (values,) = (people[name] for name in question.attribute_names)
        places = np.where(np.isnan(values), question.domain.k, question.domain.locate(values))
    else:
        places = np.ravel_multi_index([people[name] for name in question.attribute_names], question.shape)
    return np.bincount(places, minlength=question.mechanism.k) / len(places)


def _of_numbers(query, records):
    if isinstance(query, Sampled):
        parts = zip(query.weights, query.queries, strict=True)
        return np.concatenate([weight * _of_numbers(own, records) for weight, own in parts]) / sum(query.weights)
    return np.mean([[float(share) for share in query.law(record)] for record in records.tolist()], axis=0)
