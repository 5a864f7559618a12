"""Tallies of whole surveys: what people who are drawn from a population would have reported, by the exact channels.

A tally of independent people is multinomial, and the probability of each code is the mean over the population of what
the statistic and the mechanism's integers say of one person: no report is drawn one by one, and nothing of the
estimators is used.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from sordino.mechanism.aggregate import Aggregate
from sordino.query.sampled import Sampled
from sordino.survey.questions.distribution import DistributionQuestion
from sordino.survey.questions.numbers import NumbersQuestion


def codes(plan, people: Mapping[str, np.ndarray]) -> np.ndarray:
    """The probability of each code of a plan, of one of these people; values of categories are their places."""
    parts = zip(plan.sampled.weights, plan.questions, strict=True)
    law = np.concatenate([weight * _of_question(question, people) for weight, question in parts])
    return law / law.sum()


def tallies(plan, people: Mapping[str, np.ndarray], count: int, surveys: int, seed: int) -> Iterator[Aggregate]:
    """Tallies of so many surveys of so many people each."""
    counts = np.random.default_rng(seed).multinomial(count, codes(plan, people), size=surveys)
    return (Aggregate(plan.sampled.fingerprint, count, own) for own in counts)


def _of_question(question, people):
    if isinstance(question, NumbersQuestion):
        ranges = question.ranges
        records = (np.column_stack([people[name] for name in question.asked]) - ranges.middle) / ranges.half
        return _of_numbers(question.query, records)
    if isinstance(question, DistributionQuestion):
        (values,) = (people[name] for name in question.asked)
        places = np.where(np.isnan(values), question.domain.k, question.domain.locate(values))
    else:
        places = np.ravel_multi_index([people[name] for name in question.asked], question.shape)
    return question.mechanism.forward(np.bincount(places, minlength=question.mechanism.k) / len(places))


def _of_numbers(query, records):
    if isinstance(query, Sampled):
        parts = zip(query.weights, query.queries, strict=True)
        return np.concatenate([weight * _of_numbers(own, records) for weight, own in parts]) / sum(query.weights)
    return np.mean([[float(share) for share in query.law(record)] for record in records.tolist()], axis=0)
