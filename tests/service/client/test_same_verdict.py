"""Plans with some parts changed, under a right hash: what the package refuses the page refuses, and nothing else.

But for mechanisms: the page knows none by name, and answers by any draw that keeps the promise. That it does is worked
out here from the draw's exact distribution.
"""

import copy
import itertools
import json
import random
import subprocess
import warnings
from hashlib import sha256
from pathlib import Path

import pytest

import sordino
from changed_plans import changed, of_words, part_at
from commands import PATIENCE
from golden_people import NAMES, golden_text, sealed
from kinds_of_survey import KINDS
from sordino import Nats, Plan, SordinoError
from sordino.mechanism.draws.code_distribution import code_distribution
from sordino.mechanism.draws.draw_program import Draw
from sordino.survey.kinds.numbers.numbers_question import NumbersQuestion
from sordino.survey.kinds.several.several_question import SeveralQuestion

pytestmark = pytest.mark.live

CHANGES = 3000
SIZE = 3
WHOLE = 10**9
FEW = 1 << 13


def documents():
    golden = [json.loads(golden_text(name)) for name in NAMES]
    with warnings.catch_warnings():
        # Few people are expected, and some questions then have no answer.
        warnings.simplefilter("ignore", UserWarning)
        made = [json.loads(sordino.plan(kind.survey(SIZE), people=1000).bytes) for kind in KINDS.values()]
    return [golden, made, list(of_words())]


def is_read(text):
    try:
        Plan.of_text(text, "the plan")
    except SordinoError:
        return False
    return True


def are_opened(texts):
    """Whether the page answers each plan."""
    script = Path(__file__).with_name("opened.mjs")
    command = ["node", script]
    given = json.dumps(texts)
    found = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_the_page_answers_the_plans_that_the_package_reads():
    draw = random.Random(1)
    kinds = documents()
    whole = [draw.choice(draw.choice(kinds)) for _ in range(CHANGES)]
    cases = [(*changed(document, draw), document) for document in whole]
    opened = are_opened([text for text, *_ in cases])
    read = [is_read(text) for text, *_ in cases]
    unlike = [case for case, page, package in zip(cases, opened, read, strict=True) if page != package]
    assert [case[1] for case in unlike if not is_another_draw(*case)] == []
    assert len(unlike) < sum(read)
    assert sum(opened) > CHANGES / 20


def is_another_draw(text, where, before):
    """Whether only mechanisms, or what they must keep, are unlike, and those of one attribute keep its bound."""
    document = json.loads(text)
    # A promise that was wrong before may be right now.
    healed = (healed_plan(document, where, before, parts) for parts in (MECHANISMS, {*MECHANISMS, "protect"}))
    whole = any(is_read(sealed(one)) and one != document for one in healed)
    return whole and all(keeps(part, document["attributes"]) for part in document["queries"] if "histogram" in part)


MECHANISMS = {"mechanism", "mechanisms"}


def healed_plan(document, where, before, parts):
    """The document with mechanisms, and what else of its parts was changed, as before."""
    healed = copy.deepcopy(document)
    for path in where:
        inside = [place for place, key in enumerate(path) if key in parts]
        if inside:
            *outer, last = path[: inside[0] + 1]
            part_at(healed, outer)[last] = part_at(before, outer)[last]
    for part, other in zip(healed["queries"], itertools.cycle(before["queries"]), strict=False):
        if "mechanism" in part:
            part["mechanism"] = other["mechanism"]
        else:
            part["queries"]["mechanisms"] = other["queries"]["mechanisms"]
    return healed


def keeps(part, attributes):
    record, protect = part["mechanism"], attributes[part["histogram"]]["protect"]
    blocks = protect.get("blocks", {"of": [0] * record["k"]})
    if set(protect) - {"epsilon", "blocks"} or "of" not in blocks or record["k"] * int(record["codes"]) > FEW:
        return True
    inside = [[value for value, block in enumerate(blocks["of"]) if block == one] for one in set(blocks["of"])]
    return all(keep_apart(record, values, protect["epsilon"]) for values in inside)


def keep_apart(record, values, epsilon):
    """Whether no code is more likely for one of some values than for another by more than e^epsilon."""
    rows = [code_distribution(Draw(record), value) for value in values]
    codes = set().union(*rows)
    least = [min(row.get(code, 0) for row in rows) for code in codes]
    most = [max(row[code] for row in rows if code in row) for code in codes]
    return all(low and Nats.log(high / low) <= Nats.of(epsilon) for low, high in zip(least, most, strict=True))


def test_all_of_them_are_read_as_they_were_made():
    golden, made, words = documents()
    texts = [sealed(document) for document in golden + made + words]
    opened = are_opened(texts)
    assert opened == [is_read(text) for text in texts]
    assert all(opened[: len(golden) + len(made)])
    assert sum(opened) > len(golden) + len(made) + len(words) / 2


def spellings(draw):
    """Numbers in the package's spelling, and the same or near ones in others that JSON has."""
    for _ in range(400):
        number = draw.choice(
            [draw.uniform(0, 1000), draw.uniform(0, 1) * 10 ** draw.randint(-30, 18), 10.0 ** draw.randint(-9, 25)]
        )
        whole = str(int(number))
        yield from {
            repr(number),
            f"{number:e}",
            f"{number:.{draw.randint(0, 20)}f}",
            f"{number:.17g}",
            whole,
            f"{whole}.0",
        }
        yield from {f"{whole}e0", f"{int(number * 10)}e-1", str(2 ** draw.randint(50, 65) + draw.randint(-3, 3))}


def test_numbers_are_spelled_one_way():
    document = json.loads(golden_text("number_sign"))
    document["attributes"]["age"]["number"] = {"low": -1, "high": 777777, "clip": False}
    whole = sealed(document)
    texts = []
    for spelling in spellings(random.Random(2)):
        content = "{" + whole[len('{"hash":"sha256:') + 64 + len('",') : -1].replace("777777", spelling)
        texts.append(f'{{"hash":"sha256:{sha256(content.encode()).hexdigest()}",{content[1:]}\n')
    read = [is_read(text) for text in texts]
    assert are_opened(texts) == read
    assert sum(read) > len(read) / 5
    assert sum(read) < len(read) / 2


def expected_tables(k):
    """What people are expected to be like, of k values: as it should be, and otherwise."""
    yield {"parts": [WHOLE, *[0] * (k - 1)]}, True
    yield {"parts": [0], "values": [k - 1]}, k > 1
    yield {"parts": [WHOLE], "values": [k - 1]}, True
    yield {"parts": [0] * k, "values": list(range(k))}, False
    yield {"parts": [WHOLE, *[0] * k]}, False
    yield {"parts": [*[0] * k, WHOLE], "values": list(range(k + 1))}, False
    yield {"parts": [WHOLE], "values": [2**53 - 1]}, False
    yield {"parts": [WHOLE - 1, *[0] * (k - 1)]}, False
    yield {"parts": [0.5, *[0] * (k - 1)]}, False


def shares_expected(question):
    """How many shares the expectation of a question of shares has: two for each category that is read by itself."""
    if isinstance(question, SeveralQuestion):
        return 2 * len(question.choices.marks) if question.by_mark else question.domain.k
    return question.mechanism.k


def changed_expectations(plan):
    """A plan with other expectations of one question, and whether it still is one."""
    for place, question in enumerate(plan.questions):
        if isinstance(question, NumbersQuestion):
            sizes = [statistic.k for statistic in question.query.statistics_read]
            right = [{"parts": [WHOLE, *[0] * (k - 1)]} for k in sizes]
            for i, k in enumerate(sizes):
                yield from ((place, [*right[:i], table, *right[i + 1 :]], holds) for table, holds in expected_tables(k))
            yield from ((place, right[1:], False), (place, [*right, right[0]], False), (place, right[0], False))
        elif (k := shares_expected(question)) <= 4096:
            yield from ((place, table, holds) for table, holds in expected_tables(k))
            yield place, [{"parts": [WHOLE]}], False


def test_expectations_are_refused_by_both_or_by_none():
    texts, right = [], []
    for name in NAMES:
        document = json.loads(golden_text(name))
        for place, expected, holds in changed_expectations(Plan.of_text(golden_text(name), name)):
            queries = copy.deepcopy(document["queries"])
            queries[place]["expected"] = expected
            texts.append(sealed({**document, "queries": queries}))
            right.append(holds)
    assert [is_read(text) for text in texts] == right
    assert are_opened(texts) == right
    assert len(texts) > 500
