"""Every public name, given what is not meant: one clear error, never a raw TypeError or AttributeError."""

import inspect
from fractions import Fraction

import numpy as np
import pytest

import sordino
from in_one import in_one
from sordino import LDP, Plan, RandomizedResponse, SordinoError, Survey, best_mechanism, certify, estimate

RESPONSE = RandomizedResponse(3, "1")
TALLY = RESPONSE.tally(RESPONSE.privatize(np.array([0, 1, 2, 1])))
TABLES = {"version": 1, "epsilon": "1", "attribute": {"x": {"categories": 3}}, "ask": [{"histogram": "x"}]}
SURVEY = Survey.read(TABLES)
WRONG = {
    "None": None,
    "a text": "x",
    "bytes": b"x",
    "a float": 2.5,
    "nan": float("nan"),
    "a negative number": -1,
    "a huge number": 10**30,
    "an absurd number": 10**5000,
    "an absurd number below 0": -(10**5000),
    "a list of absurd numbers": [10**5000, -(10**5000)],
    "an absurd fraction": Fraction(10**5000, 3),
    "True": True,
    "a list": [1, 2],
    "an empty tuple": (),
    "a list of lists": [[None]],
    "an array": np.array([1.5, 2.0]),
    "a table": {},
    "an object": object(),
    "a mechanism": RESPONSE,
    "a definition": LDP("1"),
    "a tally": TALLY,
    "a survey": SURVEY,
}
RIGHT = {
    "RandomizedResponse": (3, "1"),
    "HadamardResponse": (3, "1"),
    "SubsetSelection": (3, "1"),
    "ProjectiveResponse": (3, "1"),
    "CyclicSubsets": (3, "1"),
    "BinaryOptimal": ("1", "1"),
    "HighLowLDP": (4, [0], "1"),
    "HighLow": (4, [0], "1"),
    "BlockLDP": ([[0, 1], [2]], "1"),
    "Blockwise": ([[0, 1], [2]], "1"),
    "best_mechanism": (3, LDP("1"), 64),
    "certify": (RESPONSE, LDP("1")),
    "estimate": (RESPONSE, TALLY),
    "OneBit": ("1",),
    "Interval": (0, 1),
    "Plan.of": (SURVEY, 100),
}
"""Arguments that are right: each is replaced by each wrong one."""

RESULTS = {
    "RefusedError",
    "Report",
    "PlanReport",
    "SordinoError",
    "SordinoErrors",
    "SordinoWarning",
    "LossBounds",
    "Certificate",
    "Aggregate",
    "Estimate",
    "Survey",
}
"""Nobody makes these but Sordino; surveys are read."""


def public_calls():
    """All public functions, classes and classmethods, by name."""
    for name in sordino.__all__:
        found = getattr(sordino, name)
        if name not in RESULTS:
            yield name, found
        for member, raw in vars(found).items() if inspect.isclass(found) else ():
            if isinstance(raw, classmethod) and not member.startswith("_"):
                yield f"{name}.{member}", getattr(found, member)


CALLS = dict(public_calls())


@in_one("name", CALLS)
def test_a_wrong_argument_is_one_clear_error(name):
    call = CALLS[name]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    needed = [p for p in inspect.signature(call).parameters.values() if p.kind in kinds and p.default is p.empty]
    for words, value in WRONG.items():
        right = RIGHT.get(name)
        given = (
            [[value] * len(needed)]
            if right is None
            else [[*right[:i], value, *right[i + 1 :]] for i in range(len(right))]
        )
        for arguments in given:
            try:
                call(*arguments)
            except SordinoError as error:
                assert error.rule, words  # noqa: PT017 - some of these arguments are right
            except Exception as error:  # noqa: BLE001 - whatever it is
                pytest.fail(f"{name} of {words}: {error!r}")


@in_one(
    ("call", "message"),
    [
        (lambda: best_mechanism(3.0, LDP("1")), "k of best_mechanism must be a whole number; found a float."),
        (lambda: best_mechanism("3", LDP("1")), "k of best_mechanism must be a whole number; found a str."),
        (lambda: best_mechanism(3, "1"), "a mechanism is chosen for a pairwise definition; found str: take LDP"),
        (
            lambda: estimate(RESPONSE, [1, 2, 3]),
            "an estimate needs an aggregate; found a list: tally",
        ),
        (lambda: Survey.read("x"), "tables of Survey.read must be a table; found a str."),
        (lambda: Plan.load({}), "path of Plan.load must be a path or a text; found a dict."),
        (
            lambda: certify(LDP("1"), RESPONSE),
            "certify takes a plan or a mechanism; found a LDP: give a plan",
        ),
        (
            lambda: RandomizedResponse(3),
            "RandomizedResponse takes k, epsilon; found missing a required argument: 'epsilon'.",
        ),
    ],
)
def test_the_error_names_what_is_wrong(call, message):
    with pytest.raises(SordinoError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_what_fits_and_fails_is_a_defect_and_stays_what_it_is():
    from sordino.exact.messages import checked

    @checked
    def broken(k: int) -> float:
        return 1 / k + {}[k]

    with pytest.raises(KeyError):
        broken(3)
    with pytest.raises(SordinoError, match=r"k of .*broken must be a whole number"):
        broken("3")
