"""What readers of plans in other languages could take differently, or not at all, is no plan here either."""

import json

import pytest

from golden_people import golden_text, sealed
from sordino import Plan, SordinoError


def about_x(**words):
    return lambda document: document["attributes"]["x"].update(words)


def loud(document):
    document.update(epsilon="101")
    document["attributes"]["x"].update(delta="100")


BEYOND_READERS = {
    "people": (lambda document: document.update(people=2**53 + 2), "people"),
    "a block": (about_x(protect={"epsilon": "1", "blocks": {"of": [2**53 + 2] * 9}}), "blocks"),
    "an epsilon of the plan": (loud, "between 0 and 100 nats"),
    "an epsilon of distances": (about_x(protect={"epsilon": "101", "metric": {"per": "1"}}), "between 0 and 100 nats"),
    "half a character": (about_x(columns=["\ud800"]), "not match its hash"),
}


@pytest.mark.parametrize(("change", "words"), BEYOND_READERS.values(), ids=BEYOND_READERS)
def test_what_other_readers_of_plans_take_differently_is_refused(change, words):
    document = json.loads(golden_text("randomized"))
    Plan.of_text(sealed(document), "the plan")
    change(document)
    with pytest.raises(SordinoError, match=words):
        Plan.of_text(sealed(document), "the plan")
