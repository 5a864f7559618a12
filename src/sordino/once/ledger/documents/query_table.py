"""The file of a query that a collector asks of a person's record, and its frozen words.

version = 1
id = "sleep-1"
collector = "Institute of Sleep"
epsilon = "0.1"
linear = { theta = { sleep = 1 }, low = 0, high = 12 }

Of categories one attribute is asked, by randomized response: category = "smoker".

The id belongs to these words for ever: asked again, the query has the answer that was given first.
"""

from typing import Annotated, Any

from sordino.document.checked_tables import VersionField
from sordino.document.formats import QUERY
from sordino.document.schema.limits import ValueLimits
from sordino.document.schema.strict_table import StrictTable, setting
from sordino.once.journal.event import KINDS
from sordino.survey.attributes.protect import Epsilon
from sordino.survey.frozen.parts import require_one_of

Name = Annotated[str, ValueLimits(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""One line of text."""


Finite = Annotated[float, ValueLimits(finite=True)]


class ModelTable(StrictTable):
    """A model that is affine in the record.

    Attributes:
        theta: the coefficients by attribute, in the attributes' units; 0 for those that are not named.
    """

    theta: dict[str, Finite] = setting(min_length=1)
    intercept: Finite = 0.0


class RangedModelTable(ModelTable):
    """A model with a range.

    Attributes:
        low: what the answer 0 stands for.
        high: what the answer 1 stands for.
    """

    low: Finite
    high: Finite


class QueryTable(StrictTable):
    """The file of a query.

    Attributes:
        id: the query's name, never used for another one.
        collector: who asks, and gets the answer.
        epsilon: what the answer may tell by itself, in nats.
        linear: a model whose value stays in its range.
        truncated: a model whose value is cut to its range.
        logistic: a model of a probability.
        category: an attribute of categories, by randomized response.
    """

    version: VersionField
    id: Name
    collector: Name
    epsilon: Epsilon
    linear: RangedModelTable | None = None
    truncated: RangedModelTable | None = None
    logistic: ModelTable | None = None
    category: Name | None = None

    def _check(self) -> None:
        require_one_of(self, *KINDS)

    def document(self) -> dict[str, Any]:
        """The frozen words: public, with their hash."""
        words = self.dump(exclude={"version", "epsilon"})
        return QUERY.seal({**words, "epsilon": str(self.epsilon)})
