"""The cells of a table in the words of an attribute, written from docs/plan-format.md alone."""

import math
from itertools import product

from plain_mechanisms import blocks, size


def cells(part, attributes):
    """The cells of a table in the words of an attribute, as far as a mechanism looks at what is protected."""
    shape, protects = [size(own) for own in attributes], [own.get("protect", {}) for own in attributes]
    each = list(product(*map(range, shape)))
    protect = {"axes": attributes, "cells": lambda: [[finite(attributes, a, b) for b in each] for a in each]}
    ways = [{"blocks", "metric", "bounds"} & set(own) for own in protects]
    if not any(ways) and any("sensitive" in own for own in protects):
        told = [own.get("sensitive", range(k)) for own, k in zip(protects, shape, strict=True)]
        protect = {"sensitive": [i for i, cell in enumerate(each) if any(map(lambda v, s: v in s, cell, told))]}
    return {"numbers": math.prod(shape), "protect": protect}


def finite(attributes, cell, other):
    """Whether a report may favour a cell over another one by so much only."""
    differ = [three for three in zip(attributes, cell, other, strict=True) if three[1] != three[2]]
    return "1" if all(protected(*three) for three in differ) else "inf"


def protected(attribute, value, other):
    protect = attribute.get("protect", {})
    if "blocks" in protect:
        return blocks(attribute)[value] == blocks(attribute)[other]
    if "bounds" in protect:
        return protect["bounds"][value][other] != "inf"
    return value in protect.get("sensitive", [value])
