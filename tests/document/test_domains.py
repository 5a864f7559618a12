"""Domains as words: every kind comes back as it was, and words that are none, or several, are refused."""

import json
from typing import get_args

import pytest

from sordino import Categories, Grid, Interval, SordinoError
from sordino.document.domains import KINDS, domain_of, domain_words
from sordino.domain.attribute import AttributeDomain
from sordino.domain.choices import Choices

DOMAINS = {
    "labels": Categories(["yes", "nö"]),
    "numbers": Categories(range(7)),
    "grid": Grid(25, 50, -130, -60, 125, 350),
    "number": Interval(-3, 7.5),
}

SEVERAL = [Choices(["a", "b", "c"], 2), Choices(["a", "b"], 1, none="neither", not_asked="not asked")]


@pytest.mark.parametrize("kind", DOMAINS)
def test_a_domain_comes_back_from_its_words(kind):
    words = json.loads(json.dumps(domain_words(DOMAINS[kind])))
    assert set(words) == {kind}
    assert domain_of(words) == DOMAINS[kind]


def test_every_kind_of_domain_has_its_words():
    assert set(DOMAINS) == set(KINDS)
    assert {type(domain) for domain in DOMAINS.values()} | {Choices} == set(get_args(AttributeDomain))


@pytest.mark.parametrize("domain", SEVERAL)
def test_categories_of_which_several_apply_come_back(domain):
    words = json.loads(json.dumps(domain_words(domain)))
    assert domain_of(words) == domain
    assert {"labels", "several", "none"} <= set(words)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ({}, "none of them"),
        ({"columns": ["age"]}, "none of them"),
        ({"labels": ["a", "b"], "numbers": 2}, "labels, numbers"),
        ({"number": {"low": 0, "high": 1}, "numbers": 2}, "numbers, number"),
    ],
)
def test_none_or_several_are_refused(words, found):
    with pytest.raises(SordinoError, match="must be categories, a grid or a number") as refused:
        domain_of(words)
    assert refused.value.found == found


@pytest.mark.parametrize("words", [{"numbers": 0}, {"numbers": -1}, {"numbers": 10**30}, {"labels": []}], ids=str)
def test_numbers_of_values_that_cannot_be_are_refused(words):
    with pytest.raises(SordinoError):
        domain_of(words)
