"""All that is said of queries about numbers, in one place: what they tell, how far off, and the law of every code."""

from fractions import Fraction

from sordino import Query, Sampled
from sordino.audit.answers import answers, level_of
from sordino.design.numbers.drawn_answers import one_bit_each, one_number
from sordino.design.numbers.sampled_mean import read_deltas, single_levels
from sordino.estimation.moment_estimator import MomentEstimator


class AskedNumbers:
    """Queries about numbers with what is read of them; whatever is not named here is theirs."""

    def __init__(self, asked):
        self.asked = Sampled((asked,), (1,)) if isinstance(asked, Query) else asked
        self.reader = MomentEstimator.of(self.asked)
        self.moments, self.d = self.reader.moments, self.asked.d
        self.means, self.covariance, self.noise = self.reader.means, self.reader.covariance, self.reader.noise
        self.largest_variance = self.reader.largest_variance

    def __getattr__(self, name):
        return getattr(self.asked, name)

    @property
    def types(self):
        return answers(self.asked)

    @property
    def levels(self):
        return [level_of(mechanism) for mechanism in self.asked.mechanisms]

    @property
    def thresholds(self):
        return [mechanism.threshold for mechanism in self.asked.mechanisms]

    def law(self, record):
        """Pr(code | record), exactly."""
        total = sum(self.asked.weights)
        parts = zip(self.asked.queries, self.asked.weights, strict=True)
        return [share * Fraction(weight, total) for query, weight in parts for share in query.law(record)]

    def probability(self, record, code):
        return self.law(record)[code]


def bits(moments, levels, weights):
    """One bit about one of several moments."""
    return AskedNumbers(one_bit_each(moments, levels, weights))


def single_answers(deltas, epsilon, dependence):
    """One number each, by one bit at the largest level that all deltas allow."""
    amounts, most = read_deltas(deltas, epsilon, dependence)
    return AskedNumbers(one_number(single_levels(amounts, most, dependence)))


def expected_error(asked, people, mean_square):
    """The total squared error of the means of so many people, whose numbers have this mean of |x|^2."""
    return (float(AskedNumbers(getattr(asked, "asked", asked)).noise().sum()) - mean_square) / people
