"""The distribution of a number as a histogram of its bins."""

from collections.abc import Callable

import numpy as np

from sordino.blocks.charts import DensityChart, Floats
from sordino.survey.questions.distribution import DistributionQuestion


def density_chart(
    question: DistributionQuestion, shares: Floats, label: Callable[[int], str], note: str
) -> DensityChart:
    """The bins with their shares.

    Args:
        question: whose bins they are.
        shares: of the bins, shape (k,).
        label: of a bin, by its place.
        note: how the shares were made.
    """
    densest = label(int(np.argmax(shares / question.domain.widths)))
    edges = np.array(question.domain.edges)
    return DensityChart(question.whose, edges, shares, densest, note, question.attribute.is_date)
