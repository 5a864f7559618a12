"""Small random surveys of every kind of question, promise, attribute and column, by which plans are compared."""

import json
import random
from typing import Any

EPSILONS = ("1/4", "1/2", "1", "ln 3", "2", "3")
PROMISES = ("epsilon", "blocks", "sensitive", "metric", "positions", "matrix", "tree")
Survey = dict[str, Any]


def promise(rng: random.Random, names: list[str], kind: str) -> Survey:
    """What is promised about an attribute's values."""
    k = len(names)
    if kind == "blocks" and k >= 4:
        mixed = rng.sample(names, k)
        cut = rng.randint(2, k - 2)
        return {"blocks": [mixed[:cut], mixed[cut:]]}
    if kind == "sensitive":
        return {"sensitive": rng.sample(names, rng.randint(1, k - 1))}
    if kind == "metric":
        return {"metric": {"per": rng.randint(1, 4)}}
    if kind == "positions":
        return {"metric": rng.sample(range(3 * k), k)}
    return of_table(rng, names, kind)


def of_table(rng: random.Random, names: list[str], kind: str) -> Survey:
    """A bound for each pair, or steps of a tree; what is planned quickly."""
    k = len(names)
    if kind == "matrix" and k <= 4:
        bounds = [[rng.choice((*EPSILONS, "inf")) for _ in names] for _ in names]
        return {"matrix": [["0" if x == y else bound for y, bound in enumerate(row)] for x, row in enumerate(bounds)]}
    if kind == "tree" and k >= 4:
        cut = rng.randint(1, k - 3)
        tree = {"left": names[:cut], names[-1]: [*names[cut:-1], "left"]}
        return {"metric": {"tree": tree, "lengths": {"left": rng.choice((1, 2, "1/2"))}}}
    return {"epsilon": rng.choice(EPSILONS)}


def values(rng: random.Random) -> Survey:
    """A category, protected in any way, or a small map."""
    if rng.random() < 0.15:
        grid = {
            "south": 25,
            "north": 50,
            "west": -130,
            "east": -60,
            "rows": rng.randint(1, 3),
            "columns": rng.randint(2, 3),
        }
        protect: Survey = rng.choice([{}, {"metric": {"per": "1000 km"}}, {"blocks": [1, 2]}])
        if grid["columns"] == 3 and "blocks" in protect:
            protect = {"blocks": [1, 3]}
        return {"grid": grid, **({"protect": protect} if protect else {})}
    names, kind = [str(v) for v in range(rng.randint(2, 7))], rng.choice(PROMISES)
    own: Survey = {"categories": len(names) if kind == "metric" else names, "protect": promise(rng, names, kind)}
    if kind != "metric" and rng.random() < 0.3:
        own["missing"] = rng.choice(names)
    return own


def survey_of_values(rng: random.Random) -> Survey:
    """Categories that are protected in all ways, by themselves and two together."""
    attributes: Survey = {f"a{place}": values(rng) for place in range(rng.randint(1, 3))}
    # Two maps would read the same columns.
    maps = [name for name, own in attributes.items() if "grid" in own]
    for name in maps[1:]:
        del attributes[name]
    asked: list[Survey] = [{"histogram": name, "weight": rng.randint(1, 3)} for name in attributes]
    if len(attributes) > 1:
        asked.append({"table": rng.sample(list(attributes), 2)})
    if len(attributes) > 2 and rng.random() < 0.3:
        asked[-1] = {"tables": {"of": list(attributes)}}
    return {"version": 1, "epsilon": rng.choice(EPSILONS), "attribute": attributes, "ask": asked}


def survey_of_answers(rng: random.Random) -> Survey:
    """Categories of which several apply, and what is asked only if an earlier answer says so."""
    epsilon = rng.choice(EPSILONS)
    many = {"categories": [*"abcdefghijkl"[: rng.choice((2, 3, 4, 5, 6, 12))]], "several": 2}
    if rng.random() < 0.4:
        many["missing"] = "none of them"
    smoker = {"categories": ["yes", "no", "once"][: rng.randint(2, 3)]}
    only_if = {"only_if": {"smoker": "yes"}}
    packs = {"categories": ["1", "2", "3"][: rng.randint(2, 3)], **only_if, "not_asked": "does not"}
    attributes: Survey = {"smoker": smoker, "many": many, "packs": packs}
    if rng.random() < 0.5:
        many |= only_if
    asked: list[Survey] = [{"several": "many"}, {"histogram": "packs"}, {"table": ["smoker", "packs"]}]
    return {"version": 1, "epsilon": epsilon, "attribute": attributes, "ask": rng.sample(asked, rng.randint(1, 3))}


def numbers(rng: random.Random, names: list[str], *, may_lack: bool) -> Survey:
    """Numbers, some of which may be missing, with bins of their own."""
    own: Survey = {}
    for name in names:
        own[name] = {"number": {"low": 0, "high": 10, "bins": rng.choice((4, 12, 40)), "spikes": rng.random() < 0.5}}
        if may_lack and rng.random() < 0.3:
            own[name]["missing"] = rng.choice(("0.1", "0.4"))
    return own


def survey_of_numbers(rng: random.Random) -> Survey:
    """Means, covariances, regressions, distributions and shares above a threshold, of numbers and with categories."""
    names = ["n0", "n1", "n2"][: rng.randint(1, 3)]
    attributes = numbers(rng, names, may_lack=rng.random() < 0.5)
    whole = [name for name in names if "missing" not in attributes[name]]
    asked: list[Survey] = [{"mean": rng.sample(names, rng.randint(1, len(names)))}, {"distribution": names[-1]}]
    if rng.random() < 0.5:
        asked[1] |= rng.choice(({"quantiles": [0.5]}, {"ranges": [[0, 5]]}))
    if len(names) > 1:
        asked.append({"covariance": names[:2]})
        asked.append({"regression": {"target": names[0], "features": names[1:]}})
    if whole:
        asked.append({"above": whole[0], "threshold": rng.choice((2.5, 5, 9))})
    if rng.random() < 0.4:
        attributes["c"] = {"categories": rng.randint(2, 4)}
        asked.append({"regression": {"target": names[0], "features": ["c", *names[1:2]]}})
    return {
        "version": 1,
        "epsilon": rng.choice(EPSILONS),
        "attribute": attributes,
        "ask": rng.sample(asked, rng.randint(1, 2)),
    }


def survey_of_questions(rng: random.Random) -> Survey:
    """Numbers beside categories that are protected in all ways: each question is promised by itself."""
    survey = survey_of_numbers(rng)
    protected = values(rng)
    while "grid" in protected:
        protected = values(rng)
    survey["attribute"]["p"] = {"protect": {"epsilon": rng.choice(EPSILONS)}, **protected}
    for name in ("n0", "n1"):
        if name in survey["attribute"] and rng.random() < 0.5:
            survey["attribute"][name]["protect"] = {"epsilon": rng.choice(EPSILONS)}
    survey["ask"].append({"histogram": "p", "weight": rng.randint(1, 3)})
    few = [name for name, own in survey["attribute"].items() if own.get("number", {}).get("bins", 0) <= 12]
    if len(few) > 1:
        survey["ask"].append({"table": rng.sample(few, 2)})
    return survey


def survey_of_deltas(rng: random.Random) -> Survey:
    """Numbers and categories with a delta each, and perhaps bounds on what they say of one another."""
    names = [f"n{place}" for place in range(rng.randint(1, 2))]
    attributes = numbers(rng, names, may_lack=False) | {
        name: {"categories": rng.randint(2, 5)} for name in ("c", "d")[: rng.randint(1, 2)]
    }
    for own in attributes.values():
        own["delta"] = rng.choice(EPSILONS[:3])
    asked: list[Survey] = [{"mean": names}, {"histogram": "c"}]
    if len(names) > 1 and rng.random() < 0.5:
        asked.append({"covariance": names})
    if "d" in attributes and rng.random() < 0.5:
        asked.append({"table": ["c", "d"]})
    if rng.random() < 0.3:
        asked.append({"table": rng.sample([names[0], "c"], 2)})
    if rng.random() < 0.3:
        asked.append({"above": names[0], "threshold": 5})
    if rng.random() < 0.3:
        asked.append({"distribution": names[0]})
    survey = {"version": 1, "epsilon": rng.choice(EPSILONS[2:]), "attribute": attributes, "ask": asked}
    if rng.random() < 0.5:
        survey["dependence"] = {"rest": {name: rng.choice([0.1, 0.3, 0.6]) for name in attributes}}
    return survey


KINDS = (
    survey_of_values,
    survey_of_values,
    survey_of_answers,
    survey_of_numbers,
    survey_of_questions,
    survey_of_deltas,
)


def random_survey(case: int) -> Survey:
    """One of any kind, a fifth of them with a public column, a tenth in periods: the same for the same number."""
    rng = random.Random(case)  # noqa: S311 - nothing is released
    survey = rng.choice(KINDS)(rng)
    # What no question asks, and no other attribute depends on, has no place in a survey.
    needed = json.dumps([survey["ask"], [own.get("only_if") for own in survey["attribute"].values()]])
    survey["attribute"] = {name: own for name, own in survey["attribute"].items() if f'"{name}"' in needed}
    if rng.random() < 0.2:
        survey["public"] = {"region": {"categories": ["north", "south", "west"][: rng.randint(2, 3)]}}
    if rng.random() < 0.1:
        survey["series"] = {"periods": rng.randint(2, 6), "every": "week", "start": "2026-01-05"}
    return survey
