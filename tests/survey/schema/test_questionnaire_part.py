"""The words of a plan are about its attributes, values and languages, or it is no plan."""

import json
from pathlib import Path

import pytest

from sordino import Plan
from sordino.errors import DamagedError
from sordino.survey.schema.attribute_part import AttributePart
from sordino.survey.schema.questionnaire_part import are_days, is_step, may_have_label

VECTORS = Path(__file__).parents[2] / "vectors"
REFUSED = {
    found["why"]: found["plan"]
    for found in json.loads((VECTORS / "refused_plans.json").read_text())
    if found["why"].startswith("words")
}


@pytest.mark.parametrize("why", REFUSED)
def test_words_that_do_not_fit_are_no_plan(why):
    with pytest.raises(DamagedError):
        Plan.of_text(REFUSED[why], "it")


def test_words_that_fit_are():
    text = json.loads((VECTORS / "words.json").read_text())["plan"]
    words = Plan.of_text(text, "it").document.words
    assert words.order == ["age", "moved", "x", "mood"]
    assert words.attributes["mood"].labels == {"0": "bad", "4": "good"}


def test_words_of_public_columns_stand_among_those_of_attributes():
    text = json.loads((VECTORS / "words_public.json").read_text())["plan"]
    words = Plan.of_text(text, "it").document.words
    assert words.order == ["age", "region", "moved", "x", "mood"]
    assert words.attributes["region"].labels == {"north": {"de": "Nord", "en": "North"}}
    assert "arm" not in words.attributes


@pytest.mark.parametrize(
    ("step", "low", "high", "fits"),
    [
        (1, 0, 100, True),
        (0.1, 0, 1, True),
        (0.01, 0, 100, True),
        (3, 0, 100, False),
        (101, 0, 100, False),
        (0.009, 0, 99, False),
        (0, 0, 1, False),
        (-1, 0, 1, False),
        (float("nan"), 0, 1, False),
        (1e-300, 0, 1e60, False),
    ],
)
def test_steps_of_a_slider_lead_from_end_to_end(step, low, high, fits):
    assert is_step(step, low, high) == fits


def test_dates_have_years_of_four_digits():
    assert are_days(-719_162, 2_932_896)
    assert not are_days(-719_163, 0)
    assert not are_days(0, 2_932_897)
    assert not are_days(0, 1.5)


def test_numbered_categories_have_labels_without_being_listed():
    """A plan of some kilobytes may name as many as 31 bits number, until it is held against a plan's size."""
    part = AttributePart(columns=["x"], numbers=1 << 31)
    known = {
        name: may_have_label(part, name) for name in ("0", str((1 << 31) - 1), str(1 << 31), "01", "-1", "x", "1" * 99)
    }
    assert known == {
        "0": True,
        str((1 << 31) - 1): True,
        str(1 << 31): False,
        "01": False,
        "-1": False,
        "x": False,
        "1" * 99: False,
    }
