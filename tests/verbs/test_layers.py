"""A verb costs no more than ten times the layer that does its work: what a verb adds must not grow with what is asked.

Layers were measured where users waited for verbs: estimates of 1,000 values took .9 ms there, and 25 seconds here.
Processor time of one process, the least of some runs, and a quarter of a second for what does not grow: a verb is run
again, up to eight times, until it has taken no more than it may.
"""

import warnings
from contextlib import suppress
from time import process_time

import numpy as np
import pyarrow as pa
import pytest

import sordino
from kinds_of_survey import KINDS
from sordino import Plan, Survey
from sordino.survey.planning.plan_design import design_plan
from sordino.survey.results.result import results

TIMES, FIXED, RUNS = 10, 0.25, 8
PEOPLE = 20_000
SIZES = {
    "histogram": 300,
    "histogram, blocks of 25": 250,
    "histogram, a fifth sensitive": 200,
    "histogram on a line": 200,
    "two histograms": 60,
    "many histograms of 5": 12,
    "a table of k x 5": 60,
    "tables of all pairs of attributes of 5": 5,
    "distribution in bins": 100,
    "means": 100,
    "covariance": 40,
    "regression": 12,
    "regression on a category": 12,
}


def least(work, enough):
    """Processor seconds, of as many runs as it takes to find so few."""
    times = []
    while not times or (len(times) < RUNS and min(times) > enough):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize("kind", SIZES)
def test_a_verb_takes_no_more_than_ten_times_its_layer(kind):
    asked, size = KINDS[kind], SIZES[kind]
    survey = Survey.read(asked.survey(size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan = sordino.plan(survey, people=PEOPLE)
        table = asked.people(size, PEOPLE, np.random.default_rng(1))
        tally = sordino.aggregate(plan, sordino.privatize(plan, pa.table(table)))
        pairs = {
            "plan": (lambda: sordino.plan(survey, people=PEOPLE), lambda: design_plan(survey, PEOPLE)),
            "certify": (lambda: sordino.certify(fresh(plan)).holds, lambda: fresh(plan).certificates),
            "explain": (lambda: sordino.explain(fresh(plan)), lambda: fresh(plan).certificates),
            "estimate": (lambda: estimated(plan, tally), lambda: layer(plan, tally)),
        }
        # What takes no longer than is allowed whatever its layer takes is not compared with it.
        firsts = {verb: least(above, np.inf) for verb, (above, _) in pairs.items()}
        allowed = {verb: TIMES * least(pairs[verb][1], np.inf) + FIXED for verb, own in firsts.items() if own > FIXED}
        costs = {verb: (least(pairs[verb][0], most), most) for verb, most in allowed.items() if firsts[verb] > most}
    assert not {verb: cost for verb, cost in costs.items() if cost[0] > cost[1]}


def fresh(plan):
    """The same plan, nothing of it worked out."""
    return Plan(plan.document)


def estimated(plan, tally):
    # A regression may be refused, and has been worked out then.
    with suppress(sordino.SordinoError):
        sordino.estimate(fresh(plan), tally).to_arrow()


def layer(plan, tally):
    with suppress(sordino.SordinoError):
        results(fresh(plan), tally)
