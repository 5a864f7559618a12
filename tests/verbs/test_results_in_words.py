"""Results are shown in the words of the survey, in the language asked for; what programs read keeps stable names."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

import sordino
from sordino.blocks.block import Block, BlockGroup, blocks_of
from sordino.blocks.tables import QuantityTable, TextTable, readable_header, readable_rows
from sordino.cli.explanations import promise_rows
from sordino.errors import SordinoError
from sordino.show.findings import finding_blocks
from sordino.verbs.plan_results import PlanEstimate
from sordino.words.condition_sentences import condition_sentences
from sordino.words.odds_by_attribute import coordinate_sentences, coordinate_summary
from sordino.words.public_columns import public_sentences

WAYS = {"car": {"en": "By car", "de": "Mit dem Auto"}, "foot": {"en": "On foot", "de": "Zu Fuß"}}
ASKED = {
    "version": 1,
    "epsilon": "4",
    "about": {"languages": ["en", "de"]},
    "attribute": {
        "way": {
            "categories": ["car", "foot"],
            "text": {"en": "How, mostly, do you travel?", "de": "Wie sind Sie unterwegs?"},
            "labels": WAYS,
        },
        "works": {"categories": ["yes", "no"], "text": {"en": "Do you work?", "de": "Arbeiten Sie?"}},
        "minutes": {
            "number": {"low": 0, "high": 100},
            "text": {"en": "How long is the way?", "de": "Wie lang ist der Weg?"},
            "unit": {"en": "minutes", "de": "Minuten"},
        },
        "plain": {"categories": ["a", "b"]},
    },
    "ask": [{"table": ["way", "works"]}, {"mean": "minutes"}, {"histogram": "plain"}],
}
PEOPLE = pa.table(
    {
        "way": ["car", "car", "foot"] * 2000,
        "works": ["yes", "no", "yes"] * 2000,
        "minutes": [20.0, 30.0, 60.0] * 2000,
        "plain": ["a", "b", "a"] * 2000,
    }
)


@pytest.fixture(scope="module")
def found() -> dict[str, PlanEstimate]:
    plan = sordino.plan(ASKED, people=6000)
    tally = sordino.aggregate(plan, sordino.privatize(plan, PEOPLE))
    return {language: sordino.estimate(plan, tally, language=language) for language in ("en", "de")}


def texts(estimated: PlanEstimate) -> str:
    """All that tables, titles and findings show."""
    views = [block for view in estimated.views for block in view.blocks()]
    blocks: list[Block] = [*(block for own in estimated.blocks for block in own), *views]
    blocks += finding_blocks(estimated.results, estimated.views)
    said = [group.title + group.of for group in blocks if isinstance(group, BlockGroup)]
    for table in blocks_of(QuantityTable, blocks):
        said += [*readable_header(table), *(row[0] for row in readable_rows(table))]
    said += [sentence.text for group in finding_blocks(estimated.results) for sentence in group.parts]
    return "\n".join(said)


def test_people_read_questions_labels_and_units_of_the_language(found: dict[str, PlanEstimate]) -> None:
    english, german = texts(found["en"]), texts(found["de"])
    assert "“How, mostly, do you travel?”, “Do you work?”" in english
    assert "By car, yes" in english
    assert "“How long is the way?” (minutes)" in english
    assert "“Wie sind Sie unterwegs?”, “Arbeiten Sie?”" in german
    assert "Mit dem Auto, yes" in german
    assert "“Wie lang ist der Weg?” (Minuten)" in german
    # Nobody reads a name that has words; one without them stands as it is.
    lines = f"{english}\n{german}".split("\n")
    assert not any(line.startswith(("way", "car", "minutes", "works")) for line in lines)
    assert "plain" in english


def test_the_page_is_in_the_words_too(found: dict[str, PlanEstimate], tmp_path: Path) -> None:
    found["de"].page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Arbeiten Sie?” within “Wie sind Sie unterwegs?”" in page
    assert "Mit dem Auto" in page
    assert "How, mostly" not in page
    # What a certificate says of codes and values is for whoever checks a plan, by its names.
    assert "car, yes" not in page.split("How this was checked</h2>")[0]


def test_programs_keep_names_and_numbers_and_read_words_beside_them(found: dict[str, PlanEstimate]) -> None:
    english, german = (found[language].to_tidy() for language in ("en", "de"))
    said = ["question.text", "label"]
    assert english.drop_columns(said).equals(german.drop_columns(said))
    assert found["en"].to_arrow(derived=True).equals(found["de"].to_arrow(derived=True))
    row = german.to_pylist()[0]
    assert (row["question"], row["term"]) == ("way, works", "car, yes")
    assert (row["question.text"], row["label"]) == ("“Wie sind Sie unterwegs?”, “Arbeiten Sie?”", "Mit dem Auto, yes")


def test_another_language_is_refused() -> None:
    plan = sordino.plan(ASKED, people=600)
    with pytest.raises(SordinoError, match="must be shown in a language of its own; found 'fr': take one of en, de"):
        plan.in_language("fr")
    assert plan.in_language("de") == plan
    assert plan.in_language("de").hash == plan.hash


def test_a_share_is_written_in_one_way_wherever_it_stands(found: dict[str, PlanEstimate], tmp_path: Path) -> None:
    estimated = found["en"]
    shares, means, plain = (next(blocks_of(QuantityTable, blocks)) for blocks in estimated.blocks)
    (number,) = (row[1] for row in readable_rows(means))
    assert "%" not in number
    for table in (shares, plain):
        assert all(cell.endswith(" %") for row in readable_rows(table) for cell in row[1:])
    # The sentence, the table and the row percentages of one page have the same number in the same digits.
    estimated.page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    _, estimate, _, low, high, *_ = readable_rows(plain)[0]
    assert f"plain: the share of &#39;a&#39; is {estimate} (95 % interval {low} to {high})." in page
    within = re.findall(r'data-name="“Do you work\?”: yes"[^>]*>(.*?)<', page)
    assert len(within) == 2
    assert all(re.fullmatch(r"[\d.]+ % \([\d.]+\s%\sto\s[\d.]+\s%\)", cell) for cell in within)
    assert not re.findall(r"\d% (interval|confidence|from)", page)


WORDED = {
    "way": {
        "categories": ["car", "foot"],
        "text": "How do you travel?",
        "labels": {"car": "By car", "foot": "On foot"},
    },
    "brand": {"categories": ["x", "y"], "text": "Which car?", "only_if": {"way": "car"}},
    "minutes": {
        "number": {"low": 0, "high": 100, "bins": 4},
        "text": "How long?",
        "unit": "minutes",
        "protect": {"epsilon": "4"},
    },
    "plain": {"categories": ["a", "b"]},
}
GROUPED = {
    "version": 1,
    "epsilon": "4",
    "public": {
        "area": {"categories": ["n", "s"], "text": "Where do you live?", "labels": {"n": "In the north", "s": "South"}},
        "wave": {"categories": ["one"]},
    },
    "attribute": WORDED,
    "ask": [{"histogram": name} for name in ("way", "brand", "plain")] + [{"distribution": "minutes"}],
}


@pytest.fixture(scope="module")
def grouped() -> PlanEstimate:
    plan = sordino.plan(GROUPED, people=4000)
    people = pa.table(
        {
            "area": ["n", "s"] * 2000,
            "wave": ["one"] * 4000,
            "way": ["car", "foot"] * 2000,
            "brand": ["x", None] * 2000,
            "minutes": [20.0, 30.0] * 2000,
            "plain": ["a", "b"] * 2000,
        }
    )
    tally = sordino.aggregate(plan, sordino.privatize(plan, people))
    return sordino.estimate(plan, tally, by=["area", "wave"]).with_views(differences=[("way", "car", "foot")])


def test_groups_and_differences_are_in_the_words_too(grouped: PlanEstimate) -> None:
    shown = texts(grouped)
    assert "“How do you travel?” by “Where do you live?”, wave" in shown
    assert "“Where do you live?”, wave: “How do you travel?”" in shown
    assert "In the north, one: By car" in shown
    assert "By car minus On foot" in shown
    assert "“How do you travel?”: each group minus all other people" in shown
    assert "In the north, one: 0 to 25 (minutes)" in shown
    tables = [table for view in grouped.views for table in blocks_of(TextTable, view.blocks())]
    assert ("shares of “How do you travel?”", "2") in [row[:2] for table in tables for row in table.rows]
    assert ("In the north, one", "2,000") in [row[:2] for table in tables for row in table.rows]
    finding = " ".join(sentence.text for group in finding_blocks((), grouped.views) for sentence in group.parts)
    assert "By “Where do you live?”, wave: the share of" in finding
    for name in ("way", "area", "car:", "n, one"):
        assert not re.search(rf"^{name}|: {name}", shown, re.MULTILINE), name


def test_files_keep_the_names_of_groups_and_differences(grouped: PlanEstimate) -> None:
    rows = grouped.to_tidy().to_pylist()
    (between,) = [row for row in rows if row["kind"] == "between"]
    assert (between["attribute"], between["term"], between["minus"]) == ("way", "car", "foot")
    differences = {(row["group"], row["term"], row["minus"]) for row in rows if row["kind"] == "group difference"}
    assert {("n, one", "car", "rest"), ("s, one", "0 to 25", "rest")} <= differences
    assert next(row["term"] for row in rows if row["kind"] == "equality") == "shares of way"


def test_a_difference_of_shares_is_in_percentage_points(grouped: PlanEstimate) -> None:
    (table,) = [
        table
        for view in grouped.views
        for table in blocks_of(QuantityTable, view.blocks())
        if table.kind(0) == "between"
    ]
    assert table.texts(0)["estimate"] == f"{100 * table.numbers(0)['estimate']:.1f} %"


def test_a_promise_is_in_the_words_too() -> None:
    plan = sordino.plan(GROUPED, 4000)
    said = "\n".join(map(str, sordino.explain(plan)))
    assert "“Where do you live?” and 'wave' are sent as they are" in said
    assert "“Which car?” is asked only if “How do you travel?” is 'By car'." in "\n".join(condition_sentences(plan))
    assert "Every report shows “Where do you live?”, one of 2 values, as it is." in list(public_sentences(plan))
    own = {"way": WORDED["way"], "plain": WORDED["plain"]}
    deltas = {name: {**one, "delta": "1"} for name, one in own.items()}
    asked = [{"histogram": name} for name in own]
    bounded = {"version": 1, "epsilon": "4", "attribute": deltas, "ask": asked, "dependence": {"rest": "0.1"}}
    promise = sordino.plan(bounded, 4000).promise
    assert promise is not None
    assert "at most: 'plain' 2.72, “How do you travel?” 2.72." in " ".join(coordinate_summary(promise))
    assert "“How do you travel?”: at most" in " ".join(sentence.text for sentence in coordinate_sentences(promise))
    assert [row[0] for row in promise_rows(promise)] == ["plain", "“How do you travel?”", "the whole record"]
