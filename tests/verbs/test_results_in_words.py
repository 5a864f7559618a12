"""Results are shown in the words of the survey, in the language asked for; what programs read keeps stable names."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

import sordino
from sordino.blocks.block import Block, BlockGroup, blocks_of
from sordino.blocks.tables import QuantityTable, readable_header, readable_rows
from sordino.errors import SordinoError
from sordino.show.findings import finding_blocks
from sordino.verbs.plan_results import PlanEstimate

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
    assert f"plain: &#39;a&#39; has the largest share, {estimate} (95 % interval {low} to {high})." in page
    within = re.findall(r'data-name="“Do you work\?”: yes"[^>]*>(.*?)<', page)
    assert len(within) == 2
    assert all(re.fullmatch(r"[\d.]+ % \([\d.]+\s%\sto\s[\d.]+\s%\)", cell) for cell in within)
    assert not re.findall(r"\d% (interval|confidence|from)", page)
