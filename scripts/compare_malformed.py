"""Gives the verified checker documents that are no plans: it must say so of each, with a reason, and never fail.

First documents of which every reader says so: `MALFORMED`, each one change to a plan. Then golden plans with any part
gone, renamed, or replaced by something else, under their right hash: there it must end with a verdict, by a reason that
it names, and must not refuse as no plan what the package reads.

python scripts/compare_malformed.py build/proofs/checker [CASES [FIRST]]
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compare_plans import CONTRADICTIONS, of_all, verdict_of_package
from compare_verdicts import NO_PLAN, VECTORS, verdicts
from tampered_plans import Place, places, replaced, sealed

UNEXPECTED = f"{NO_PLAN}numbers that nothing can be worked out of"
"""What the checker says where its own code failed."""

BEYOND = f"{NO_PLAN}an amount of more than 1,000,000 nats"
"""What the checker says of a delta that is larger than all that it works with; one of the package has no largest."""

LARGEST = 40_000
"""Characters of the golden plans that are changed: others take seconds each."""

Change = Callable[[Any], object]
"""Changes a document."""


@dataclass(frozen=True)
class OwnText:
    """Other text than a document's own."""

    change: Callable[[str], str]


def golden(name: str) -> Any:
    """The document of a golden plan."""
    return json.loads(json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["plan"])


def put(*place: str | int, to: Any) -> Change:
    """Another entry at a place."""
    return lambda document: replaced(document, place, to)


def mechanism(**entries: Any) -> Change:
    """Other entries of the first question's mechanism."""
    return lambda document: document["queries"][0]["mechanism"].update(entries)


def drawn(draw: Any, **entries: Any) -> Change:
    """Another draw of the first question's mechanism."""
    return mechanism(draw=draw, **entries)


PROTECT = ("attributes", "x", "protect")
EPSILON = (*PROTECT, "epsilon")
RUN = ["run", "v", "k", 1]

MALFORMED: dict[str, tuple[str, Change | OwnText]] = {
    "no line feed at the end": ("randomized", OwnText(lambda text: text.removesuffix("\n"))),
    "two line feeds at the end": ("randomized", OwnText(lambda text: text + "\n")),
    "a carriage return at the end": ("randomized", OwnText(lambda text: text.removesuffix("\n") + "\r\n")),
    "a blank before the end": ("randomized", OwnText(lambda text: text.removesuffix("\n") + " \n")),
    "text after the end": ("randomized", OwnText(lambda text: text + "{}\n")),
    "a blank at the beginning": ("randomized", OwnText(lambda text: " " + text)),
    "nothing": ("randomized", OwnText(lambda _: "")),
    "a line feed": ("randomized", OwnText(lambda _: "\n")),
    "half of it": ("randomized", OwnText(lambda text: text[: len(text) // 2])),
    "a list": ("randomized", OwnText(lambda _: "[]\n")),
    "a text without its end": ("randomized", OwnText(lambda _: '"\n')),
    "a key twice": ("randomized", OwnText(lambda text: text.replace('"people":', '"people":1,"people":'))),
    "lists without an end": ("randomized", OwnText(lambda _: "[" * 100_000 + "]" * 100_000 + "\n")),
    "lists within each other": ("randomized", lambda document: document.update(words=json.loads("[" * 99 + "]" * 99))),
    "a number with a zero before it": ("randomized", OwnText(lambda text: text.replace('"version":4', '"version":04'))),
    "sets of no items": ("several_meeting", mechanism(items=0)),
    "sets that share no items": ("several_meeting", mechanism(least=0)),
    "values that are the numbers of no sets": ("several_meeting", mechanism(k=166)),
    "sets beyond their codes": ("several_meeting", mechanism(codes="54")),
    "another version": ("randomized", put("version", to=3)),
    "a version as text": ("randomized", put("version", to="4")),
    "another format": ("randomized", put("format", to="sordino survey")),
    "no questions": ("randomized", put("queries", to=[])),
    "questions that are no list": ("randomized", put("queries", to={})),
    "a question that is a text": ("randomized", put("queries", to=["x"])),
    "a question of no kind": ("randomized", lambda document: document["queries"][0].pop("histogram")),
    "an attribute that there is not": ("randomized", put("queries", 0, "histogram", to="y")),
    "attributes that are no table": ("randomized", put("attributes", to=[])),
    "no values": ("randomized", put("attributes", "x", "labels", to=[])),
    "values of two kinds": ("randomized", put("attributes", "x", "numbers", to=6)),
    "no promise": ("randomized", lambda document: document["attributes"]["x"].pop("protect")),
    "a promise without an amount": ("randomized", put(*PROTECT, to={})),
    "an amount over 0": ("randomized", put(*EPSILON, to="1/0")),
    "an amount below 0": ("randomized", put(*EPSILON, to="-1")),
    "an amount in words": ("randomized", put(*EPSILON, to="two")),
    "an amount without digits": ("randomized", put(*EPSILON, to="")),
    "the logarithm of 0": ("randomized", put(*EPSILON, to="ln 0")),
    "the logarithm below 0": ("randomized", put(*EPSILON, to="ln -2")),
    "three amounts": ("randomized", put(*EPSILON, to="1 + ln 2 + ln 3")),
    "an absurd amount": ("randomized", put(*EPSILON, to="1" * 500)),
    "two protections": ("high_low_subset", put(*PROTECT, "blocks", to={"run": 2})),
    "a sensitive value that there is not": ("high_low_subset", put(*PROTECT, "sensitive", to=[1, 99])),
    "a sensitive value below 0": ("high_low_subset", put(*PROTECT, "sensitive", to=[-1])),
    "blocks of other values": ("blockwise", put(*PROTECT, "blocks", to={"of": [0, 1]})),
    "blocks of no width": ("blockwise", put(*PROTECT, "blocks", to={"run": 0})),
    "blocks of no kind": ("blockwise", put(*PROTECT, "blocks", to={})),
    "tiles of no height": ("blockwise_map", put(*PROTECT, "blocks", "tiles", to=[0, 3])),
    "tiles of one number": ("blockwise_map", put(*PROTECT, "blocks", "tiles", to=[2])),
    "a map without columns": ("blockwise_map", put("attributes", "x", "grid", "columns", to=0)),
    "a map with columns below 0": ("blockwise_map", put("attributes", "x", "grid", "columns", to=-6)),
    "bounds that are not square": ("binary", put(*PROTECT, "bounds", 0, to=["0"])),
    "bounds of other values": ("binary", put(*PROTECT, "bounds", to=[["0"]])),
    "a tree in a circle": ("tree", put(*PROTECT, "metric", "tree", "drink", to=["tea", "water", "all"])),
    "a tree of others": ("tree", put(*PROTECT, "metric", to={"tree": {"a": ["b"]}})),
    "a name twice in a tree": ("tree", put(*PROTECT, "metric", "tree", "all", to=["drink", "bread", "tea"])),
    "a tree that is a list": ("tree", put(*PROTECT, "metric", to={"tree": []})),
    "distances of two kinds": ("tree_line", put(*PROTECT, "metric", to={"per": "1", "positions": ["0"]})),
    "steps of 0": ("tree_line", put(*PROTECT, "metric", to={"per": "0"})),
    "too few positions": ("tree_positions", put(*PROTECT, "metric", to={"positions": ["0"]})),
    "a table of nothing": ("table_of_two", put("queries", 0, "table", to=[])),
    "numbers that are not answered": ("number_sign", put("queries", 0, "queries", "through", to=[])),
    "a mechanism that there is not": ("number_sign", put("queries", 0, "queries", "through", to=[7])),
    "a mechanism below 0": ("number_sign", put("queries", 0, "queries", "through", to=[-1])),
    "an answer together with nothing": ("number_sign", put("queries", 0, "queries", "through", to=[[]])),
    "a bound on dependence above 1": ("table_of_others", put("dependence", "rest", "x", to="3/2")),
    "no mechanism": ("randomized", put("queries", 0, "mechanism", to=None)),
    "a mechanism about other values": ("randomized", mechanism(k=5, codes="5")),
    "a mechanism about no values": ("randomized", mechanism(k=0)),
    "a mechanism of no codes": ("randomized", mechanism(codes="0")),
    "no draw": ("randomized", lambda document: document["queries"][0]["mechanism"].pop("draw")),
    "an unknown operation": ("randomized", drawn(["let", "v"])),
    "an operation without its arguments": ("randomized", drawn(["+", "v"])),
    "an empty operation": ("randomized", drawn([])),
    "an unknown entry": ("randomized", drawn(["+", "v", "size"])),
    "a fraction in a draw": ("randomized", drawn(["+", "v", 0.5])),
    "an unknown set": ("randomized", drawn(["sides", "threshold", ["disc", "v", "k", 1]])),
    "a set of no codes": ("randomized", drawn(["sides", "threshold", ["run", "v", 0, 1]])),
    "a drawn size": ("randomized", drawn(["sides", "threshold", ["run", "v", ["below", 9], 1]])),
    "a code beyond the codes of a set": ("randomized", drawn(["sides", "threshold", RUN], codes="5")),
    "a code beyond the codes of a mask": ("subset", mechanism(codes="99")),
    "a code beyond the codes of a sum": ("randomized", drawn(["+", ["sides", "threshold", RUN], 1])),
    "a code beyond the codes that is sent to one value": ("randomized", drawn(["+", ["*", "v", 0], ["if", "v", 6, 0]])),
    "a code beyond the codes of a list": ("table", mechanism(codes="1")),
    "a code beyond the codes of a part": ("product", put("queries", 0, "mechanism", "axes", 0, "codes", to="1")),
    "a code beyond the codes of parts": ("product", mechanism(codes="1")),
    "endless codes": ("randomized", drawn(["sides", "threshold", ["run", "v", 10**15, 1]])),
    "an endless choice": ("randomized", drawn(["below", 10**15])),
    "division by 0": ("randomized", drawn(["sides", "threshold", ["run", "v", ["/", "k", 0], 1]])),
    "a level of no width": ("distribution_optional_levels", put("queries", 0, "mechanism", "draw", 1, to=0)),
    "a part that there is not": ("blockwise", mechanism(inner=[])),
}
"""Documents that are no plans: of which golden plan, and what is changed in it."""

OTHERS: list[Any] = [
    0,
    -1,
    1,
    2**31,
    2**62,
    10**30,
    0.5,
    True,
    None,
    "",
    "x",
    "0",
    "-1",
    "1/0",
    "9" * 40,
    "ln 0",
    [],
    {},
    [[]],
    ["v"],
]
"""What stands in the place of a part."""


def malformed(name: str, change: Change | OwnText) -> str:
    """The text of a golden plan that was changed, under its right hash unless the text itself was."""
    document = golden(name)
    if isinstance(change, OwnText):
        return change.change(sealed(document))
    change(document)
    return sealed(document)


def spoil(document: Any, rng: random.Random) -> None:
    """One part of a document is gone, renamed or another thing; of lists of alike ones few are chosen."""
    kinds: dict[Place, list[Place]] = {}
    for place, _ in places(document):
        if place and place[0] not in ("hash", "format", "version"):
            kinds.setdefault(tuple("#" if isinstance(part, int) else part for part in place), []).append(place)
    *path, last = rng.choice(kinds[rng.choice(sorted(kinds))])
    node = document
    for part in path:
        node = node[part]
    match rng.randrange(4):
        case 0:
            del node[last]
        case 1 if isinstance(node, dict):
            node[rng.choice(["x", "k", "epsilon", "tree", "per"])] = node.pop(last)
        case 2 if isinstance(node[last], list) and node[last]:
            rng.choice([node[last].pop, node[last].reverse, lambda: node[last].append(node[last][0])])()
        case _:
            node[last] = deepcopy(rng.choice(OTHERS))


def spoiled(cases: range) -> Iterator[str]:
    """Golden plans with one to three parts spoiled."""
    names = [path.stem for path in sorted(VECTORS.glob("*.json")) if path.stem != "refused_plans"]
    plans = [document for name in names if len(json.dumps(document := golden(name))) < LARGEST]
    for case in cases:
        rng = random.Random(case)  # noqa: S311 - nothing is released
        document = deepcopy(rng.choice(plans))
        for _ in range(rng.choice([1, 1, 2, 3])):
            spoil(document, rng)
        yield sealed(document)


def wrong_reason(checker: Path, plan: Path) -> str | None:
    """The first document of `MALFORMED` that the checker does not call no plan, or None."""
    for what, (name, change) in MALFORMED.items():
        plan.write_text(malformed(name, change), encoding="ascii", newline="")
        (first, *_) = verdicts(checker, plan)
        if not first.startswith(NO_PLAN) or first == UNEXPECTED:
            return f"{what}: {first}"
    return None


def main() -> None:
    """Print how many documents have which verdict; fail where there is none, or a wrong one."""
    checker = Path(sys.argv[1]).resolve()
    count, first = [*map(int, sys.argv[2:]), *(1000, 0)[len(sys.argv) - 2 :]]
    counts, wrong = Counter[str](), list[str]()
    with TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        for what, (name, change) in MALFORMED.items():
            plan.write_text(malformed(name, change), encoding="ascii", newline="")
            if verdict_of_package(plan) == "holds":
                sys.exit(f"the package reads {what}")
        if (found := wrong_reason(checker, plan)) is not None:
            sys.exit(f"the checker, of what is no plan: {found}")
        print(f"{len(MALFORMED)} documents that are no plans: none is one to the checker")
        for text in spoiled(range(first, first + count)):
            plan.write_text(text, encoding="ascii")
            answers = verdicts(checker, plan)
            verdict, package = of_all(answers), verdict_of_package(plan)
            counts[f"package: {package}, checker: {verdict}"] += 1
            contradicts = (package, verdict) in CONTRADICTIONS and BEYOND not in answers
            if contradicts or verdict.startswith("fails") or UNEXPECTED in answers:
                wrong.append(f"package {package}, checker {answers}: {text}")
    print(f"{count} spoiled golden plans:")
    print(*(f"  {what}: {number}" for what, number in sorted(counts.items())), sep="\n")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
