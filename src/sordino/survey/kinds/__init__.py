"""The kinds of question that a survey can ask: a kind is one file of this room and its line here."""

from sordino.survey.kinds.above import ABOVE
from sordino.survey.kinds.covariance import COVARIANCE
from sordino.survey.kinds.distribution import DISTRIBUTION
from sordino.survey.kinds.histogram import HISTOGRAM
from sordino.survey.kinds.kind import AnyKind
from sordino.survey.kinds.mean import MEAN
from sordino.survey.kinds.regression import REGRESSION
from sordino.survey.kinds.several import SEVERAL
from sordino.survey.kinds.table import TABLE

KINDS: tuple[AnyKind, ...] = (HISTOGRAM, TABLE, MEAN, COVARIANCE, REGRESSION, DISTRIBUTION, ABOVE, SEVERAL)
"""In the order in which messages name them."""
