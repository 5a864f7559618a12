"""Plans of several questions on the command line: what each command tells of each question."""

import hashlib
import html.parser
import json
import re
import shutil
from pathlib import Path

import pyarrow.csv as pc
import pytest

from sordino import Plan, Survey
from sordino.tables.reports import privatize_table
from sordino.tables.results.tidy import COLUMNS

SURVEY = """\
version = 1
epsilon = "2"
[attribute.job]
categories = { file = "jobs.txt" }
protect = { sensitive = { file = "sensitive.txt" } }
missing = "none, or <other>"
[attribute.home]
grid = { south = 0, north = 4, west = 0, east = 4, rows = 4, columns = 4 }
protect = { blocks = [2, 4] }
[attribute.visits]
categories = 4
protect = { metric = [0, 1, 2, 3] }
[attribute.smoker]
categories = ["yes", "no"]
protect = { matrix = [["0", "1"], ["inf", "0"]] }
[[ask]]
histogram = "job"
weight = 2
[[ask]]
histogram = "home"
weight = 3
[[ask]]
histogram = "visits"
[[ask]]
histogram = "smoker"
"""
JOBS = ["baker", "clerk", "judge", "none, or <other>"]
NAMES = {"job": 4, "home": 16, "visits": 4, "smoker": 2}
SHARES = {"job": "2/7", "home": "3/7", "visits": "1/7", "smoker": "1/7"}
PEOPLE = 2100


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A folder with the survey, its people, the plan and reports, made once."""
    root = tmp_path_factory.mktemp("answered")
    (root / "survey.toml").write_text(SURVEY)
    (root / "jobs.txt").write_bytes(("\ufeff" + "\r\n".join(JOBS) + "\r\n").encode())
    (root / "sensitive.txt").write_text("judge\n")
    rows = [
        f"{('baker', 'clerk', 'judge', '')[i % 4]},{i % 16 // 4 + 0.5},{i % 4 + 0.5},{i % 4},{('yes', 'no')[i % 2]}"
        for i in range(PEOPLE)
    ]
    (root / "people.csv").write_text("\n".join(["job,latitude,longitude,visits,smoker", *rows, ""]))
    plan = Plan.of(Survey.load(root / "survey.toml"), PEOPLE)
    plan.save(root / "plan.json")
    privatize_table(plan, root / "people.csv", root / "reports.csv")
    return root


@pytest.fixture
def asked(answered, tmp_path, monkeypatch):
    """A copy of it, where the commands run."""
    shutil.copytree(answered, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(streams):
    code, out, err = streams
    assert (code, err, out.count("\n")) == (0, "", 1)
    return json.loads(out, parse_constant=pytest.fail)


def test_plan_tells_each_question(asked, run):
    document = printed(run("plan", "survey.toml", "--people", PEOPLE, "-o", "again.json", "--json"))
    frozen = json.loads((asked / "again.json").read_bytes())
    assert (asked / "again.json").read_bytes() == (asked / "plan.json").read_bytes()
    assert {question["attribute"]: question["share"] for question in document["questions"]} == SHARES
    assert [question["people"] for question in document["questions"]] == [600, 900, 300, 300]
    for question, query in zip(document["questions"], frozen["queries"], strict=True):
        assert question["mechanism"] == query["mechanism"]
        assert question["certificate"]["holds"] is True
        assert question["certificate"]["attribute"] == question["attribute"] == query["histogram"]
        assert 0 < question["expected"]["stderr"] <= question["expected_uniform"]["stderr"]
        assert question["candidates"]
    slacks = [question["certificate"]["slack"] for question in document["questions"]]
    assert document["certificate"]["slack"] == min(slacks)
    assert document["code_bits"] >= max(question["code_bits"] for question in document["questions"])
    # The witness is a code as reports have it: in the question's own range.
    offsets = Plan.load("plan.json").sampled.offsets
    for question, first, end in zip(document["questions"], offsets, offsets[1:], strict=False):
        assert first <= int(question["certificate"]["witness"]["code"]) < end


def test_plan_shows_a_table_for_each_question(asked, run):
    code, out, _ = run("plan", "survey.toml", "--people", PEOPLE, "-o", "again.json")
    assert code == 0
    for name, people in (("job", 600), ("home", 900), ("visits", 300), ("smoker", 300)):
        assert re.search(rf"^  share of (a bin of )?{name} +{people:,} ", out, re.MULTILINE)
    assert "All 4 certificates hold" in out
    everything = run("plan", "survey.toml", "--people", PEOPLE, "--all")[1]
    for name, people in (("job", 600), ("home", 900), ("visits", 300), ("smoker", 300)):
        assert f"{name}, at {people:,} people" in everything
    assert everything.count("The promise holds") == 4


def test_certify_tells_each_verdict(asked, run):
    document = printed(run("certify", "plan.json", "--json"))
    assert [question["attribute"] for question in document["questions"]] == list(NAMES)
    assert all(question["holds"] for question in document["questions"])
    least = min(document["questions"], key=lambda question: question["slack"])
    assert {key: document[key] for key in least} == least
    assert "code" in document["witness"]
    code, out, _ = run("certify", "plan.json")
    assert code == 0
    assert [line for line in out.splitlines() if line.endswith(":")] == [f"{name}:" for name in NAMES]
    # Codes are for programs.
    codes = [question["witness"]["code"] for question in document["questions"]]
    assert "code " not in out
    # The values have their names, not their places.
    for question, (one, two) in zip(
        document["questions"], re.findall(r"distinguishes (\S+) from (\S+) by", out), strict=True
    ):
        assert question["witness"]["labels"] == [one.strip("'"), two.strip("'")]
        domain = next(q.domain for q in Plan.load(Path("plan.json")).about_shares if q.name == question["attribute"])
        places = question["witness"]["value"], question["witness"]["other"]
        assert question["witness"]["labels"] == [domain.label(place) for place in places]
    offsets = Plan.load(Path("plan.json")).sampled.offsets
    for code, first, end in zip(codes, offsets, offsets[1:], strict=False):
        assert first <= int(code) < end


def test_explain_tells_every_promise(asked, run):
    code, out, _ = run("explain", "plan.json", "--all")
    assert code == 0
    for words in (
        "one of 4 questions",
        "'judge'",
        "is public",
        "any factor",
        "depends on the pair",
        "A missing answer",
    ):
        assert words in out


def test_estimates_tell_their_attribute(asked, run):
    document = printed(run("estimate", "plan.json", "reports.csv", "--json", "-o", "shares.csv"))
    assert document["n"] == PEOPLE
    assert [question["attribute"] for question in document["questions"]] == list(NAMES)
    assert sum(question["n"] for question in document["questions"]) == PEOPLE
    rows = document["rows"]
    for name, count in NAMES.items():
        own = [row for row in rows if row["attribute"] == name and "given" not in row]
        assert len(own) == count
        assert sum(row["estimate"] for row in own) == pytest.approx(1)
    # The last job is what a missing one counts as.
    answered = [row["value"] for row in rows if row.get("given") == {"job": "answered"}]
    assert [row["value"] for row in rows if row["attribute"] == "job"] == [*JOBS, *answered]
    assert answered == [job for job in JOBS if job != "none, or <other>"]
    table = pc.read_csv(asked / "shares.csv")
    assert table.column_names == list(COLUMNS)
    assert table["attribute"].to_pylist() == [row["attribute"] for row in rows]
    assert table["estimate"].to_pylist() == pytest.approx([row["estimate"] for row in rows])
    code, out, _ = run("estimate", "plan.json", "reports.csv")
    assert code == 0
    assert sum(int(found.replace(",", "")) for found in re.findall(r"([\d,]+) reports; (?!among)", out)) == PEOPLE
    # In the survey's order, however large shares are; and of whom intervals are, once.
    places = [re.search(rf"^  {re.escape(label)} ", out, re.MULTILINE).start() for label in JOBS]
    assert places == sorted(places)
    assert re.findall(r"^  (\d)  ", out, re.MULTILINE) == ["0", "1", "2", "3"]
    assert out.count("a population from which these people were drawn at random") == 1


def test_reports_and_aggregates_of_all_questions_add_up(asked, run):
    run("privatize", "plan.json", "people.csv", "-o", "more.parquet")
    run("aggregate", "plan.json", "reports.csv", "-o", "a.json")
    run("aggregate", "plan.json", "a.json", "more.parquet", "-o", "both.json")
    whole = printed(run("estimate", "plan.json", "both.json", "--json"))
    assert whole["n"] == 2 * PEOPLE
    assert printed(run("estimate", "plan.json", "reports.csv", "more.parquet", "--json")) == whole


class Headings(html.parser.HTMLParser):
    """The headings of a page, its images' words and its texts."""

    def __init__(self):
        super().__init__()
        self.headings, self.images, self.texts, self._open = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self._open = tag
        if tag == "svg":
            self.images.append(dict(attrs)["aria-label"])

    def handle_data(self, data):
        self.texts.append(data)
        if self._open == "h2" and data.strip():
            self.headings.append(data)


def test_the_page_draws_every_question(asked, run):
    assert run("estimate", "plan.json", "reports.csv", "--html", "page.html")[0] == 0
    page = Headings()
    page.feed((asked / "page.html").read_text(encoding="utf-8"))
    assert len(set(page.headings)) == len(page.headings)
    for name in NAMES:
        about = [heading for heading in page.headings if heading.endswith((f" of {name}", f" for {name}"))]
        # Bars beside their table; of places a map, and of jobs those who answered. A certificate is folded.
        assert len(about) == (2 if name in ("home", "job") else 1), about
    assert len(page.images) == 4 + 4 + 1
    assert [label for label in JOBS if label not in page.texts] == []
    assert json.loads((asked / "plan.json").read_bytes())["hash"] in page.texts


def test_questions_without_answers_are_told_beside_the_others(asked, run):
    tag = int(json.loads((asked / "plan.json").read_bytes())["hash"][7:23], 16)
    line = (asked / "reports.csv").read_text().splitlines()[1]
    digits = len(line.split(",")[1])
    (asked / "few.csv").write_text(f"plan,code\n{tag:020},{0:0{digits}}\n")
    code, out, err = run("estimate", "plan.json", "few.csv", "--html", "new.html", "-o", "new.csv")
    assert (code, err) == (0, "")
    assert out.count("must have been answered; found no reports about it") == len(NAMES) - 1
    assert (asked / "new.html").read_text(encoding="utf-8").count("not estimated from 0 reports</h2>") == len(NAMES) - 1
    told = pc.read_csv(asked / "new.csv")
    assert set(told["attribute"].to_pylist()) == {"job"}


def test_all_mistakes_of_many_attributes_are_told_at_once(asked, run):
    text = SURVEY.replace('"sensitive.txt"', '"none.txt"').replace("[0, 1, 2, 3]", "[0, 1, 1, 3]")
    text = text.replace('["inf", "0"]', '["-1", "0"]').replace("weight = 3", "weight = 0").replace("[2, 4]", "[2]")
    (asked / "wrong.toml").write_text(text)
    code, out, err = run("plan", "wrong.toml", "--people", "9", "-o", "new.json")
    assert (code, out) == (2, "")
    for words in (
        "wrong.toml has 5 mistakes",
        "attribute.job.protect.sensitive: none.txt",
        "attribute.home: blocks of a grid",
        "attribute.visits: a distance between two values must be above 0",
        "attribute.smoker: row 1, column 0",
        "ask.1.weight",
    ):
        assert words in err
    assert not list(asked.glob("new*"))


SPOILED = {
    "job": lambda part: part.update(hidden=str(int(part["hidden"]) - 1)),
    "home": lambda part: part["inner"][0].update(threshold=str(int(part["inner"][0]["threshold"]) + 1)),
    "smoker": lambda part: part.update(second=str(int(part["second"]) - 1)),
}
USES = {
    "privatize": ["people.csv", "-o", "new.csv"],
    "aggregate": ["reports.csv", "-o", "new.json"],
    "estimate": ["reports.csv", "-o", "new.csv"],
    "certify": [],
    "explain": [],
}


@pytest.mark.each_value
@pytest.mark.parametrize("command", USES)
@pytest.mark.parametrize("name", SPOILED)
def test_no_command_takes_a_plan_with_one_broken_question(asked, run, command, name):
    document = json.loads((asked / "plan.json").read_bytes())
    (query,) = [query for query in document["queries"] if query["histogram"] == name]
    SPOILED[name](query["mechanism"])
    content = {key: value for key, value in document.items() if key != "hash"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    document["hash"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    (asked / "plan.json").write_text(json.dumps(document, sort_keys=True, separators=(",", ":")))
    code, out, err = run(command, "plan.json", *USES[command])
    assert (code, out) == (3, "")
    assert "keep its own promise" in err
    assert not list(asked.glob("new*"))
