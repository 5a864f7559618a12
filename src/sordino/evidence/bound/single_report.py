"""The most that one report on a box tells of each number: how far its terms can rise along it, in closed form.

Guarantee: no two records that differ in the number alone are told further apart, outward by margin and radius.
Units: nats.
"""

import numpy as np

from sordino.evidence.bound.problem import Problem
from sordino.evidence.box import BoxEvidence
from sordino.evidence.shape import Floats, Sigmoid


def largest_alone(report: BoxEvidence) -> Floats:
    """Of each number, shape (d,), rounded up; at most what the report's channel promises."""
    d, spread = report.box.d, 2 * (report.radius + report.margin)
    total = np.full(d, spread)
    for terms in report.groups:
        shape = terms.shape
        if not isinstance(shape, Sigmoid):
            return np.full(d, report.ceiling)
        ends = np.ones((1, d))
        low, high = Problem(shape, terms.slopes, terms.intercepts).ranges(-ends, ends)
        repeated = type(shape)(np.repeat(shape.parameters, d, axis=1))
        steps = 2 * np.abs(terms.slopes).ravel()
        rises = largest_rise(repeated, np.repeat(low[0], d), np.repeat(high[0], d), steps)
        total = np.nextafter(total + rises.reshape(shape.n, d).sum(axis=0), np.inf)
    return np.minimum(np.where(total > 0, np.nextafter(total, np.inf), 0.0), report.ceiling)


def largest_rise(shape: Sigmoid, low: Floats, high: Floats, step: Floats) -> Floats:
    """At least the largest f(t + step) - f(t) with t and t + step in [low, high], shape (n,), but for rounding.

    As f' rises up to the inflection and falls from there on, the rise is largest in a window around it, and concave in
    t as long as the window holds it: a tangent bounds it wherever it touches.
    """
    last = np.maximum(high - step, low)
    first, end = (np.minimum(np.maximum(at, low), last) for at in (shape.inflection - step, shape.inflection))
    best = np.full(shape.n, np.inf)
    for start in (shape.inflection - step / 2, end):
        at = np.minimum(np.maximum(start, first), end)
        left, right = (beyond - here for beyond, here in zip(shape.slopes(at + step), shape.slopes(at), strict=True))
        missing = np.maximum(right, 0) * (end - at) + np.maximum(-left, 0) * (at - first)
        best = np.fmin(best, shape.value(at + step) - shape.value(at) + missing)
    return best
