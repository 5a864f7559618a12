"""Each command does what its help says, and with --json prints one JSON object and nothing else."""

import html.parser
import json
import re
from itertools import pairwise

import click
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import sordino
from sordino.cli.main import cli
from sordino.tables.results.tidy import COLUMNS

COMMANDS = {
    "plan": ["survey.toml", "--people", "1000", "-o", "new.json"],
    "privatize": ["plan.json", "people.csv", "-o", "new.parquet"],
    "aggregate": ["plan.json", "reports.csv", "-o", "new.json"],
    "estimate": ["plan.json", "reports.csv", "-o", "new.csv", "--html", "new.html"],
    "certify": ["plan.json"],
    "explain": ["plan.json"],
    "format": ["survey.toml", "-o", "new.toml"],
    "change": ["plan.json", "reports.csv", "plan.json", "aggregate.json"],
    "compare": ["plan.json", "plan.json"],
    "odds": ["1", "ln 3", "--answers", "2"],
    "papers": [],
    "audit": ["--command", "cat", "--values", "a,b", "--reports", "30"],
    "record": ["plan.json", "-o", "new.yaml", "--html", "new.html"],
    "demo": ["--people", "2000", "--folder", "new", "--html", "new.html"],
}


def read_json(streams):
    """The one object on the one line of a quiet command's output."""
    code, out, err = streams
    assert (code, err) == (0, "")
    assert out.endswith("}\n")
    assert out.count("\n") == 1
    document = json.loads(out, parse_constant=pytest.fail)
    assert isinstance(document, dict)
    return document


def shares_of(run, *arguments):
    return read_json(run("estimate", "plan.json", "reports.csv", "--json", *arguments))


def test_every_command_is_covered_here():
    # What the others do is tested beside.
    beside = {
        "new",
        "reproduce",
        "dependence",
        "ask",
        "ledger",
        "report",
        "serve",
        "answer",
        "invite",
        "import",
        "collector",
    }
    assert {*COMMANDS, *beside} == set(cli.list_commands(click.Context(cli)))


# What the demo prints is read in its own tests too.
EACH = pytest.mark.parametrize("command", [*list(COMMANDS)[:-1], pytest.param("demo", marks=pytest.mark.long)])


@EACH
def test_json_is_one_object_and_nothing_else(released, run, command):
    assert read_json(run(command, *COMMANDS[command], "--json"))


@EACH
def test_text_is_for_people_and_goes_to_the_output(released, run, command):
    code, out, err = run(command, *COMMANDS[command])
    assert (code, err) == (0, "")
    assert out
    assert not out.startswith("{")
    assert "\x1b" not in out


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=lambda words: "".join(words) or "sordino")
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_tells_each_option(run, command, flag):
    code, out, err = run(*command, flag)
    assert (code, err) == (0, "")
    assert out.startswith("Usage: ")
    if command:
        for parameter in cli.get_command(click.Context(cli), command[0]).params:
            assert parameter.human_readable_name in out or parameter.opts[0] in out
            assert parameter.param_type_name == "argument" or parameter.help
    else:
        assert all(name in out for name in COMMANDS)


def test_the_version_is_told(run):
    assert re.search(r"\d+\.\d+\.\d+", run("--version")[1])


def test_plan_tells_what_it_froze(folder, run):
    document = read_json(run("plan", "survey.toml", "--people", "1000", "-o", "plan.json", "--json"))
    frozen = json.loads((folder / "plan.json").read_bytes())
    assert document["hash"] == frozen["hash"]
    (question,) = document["questions"]
    assert question["mechanism"] == frozen["queries"][0]["mechanism"]
    assert (question["attribute"], question["share"], question["people"]) == ("colour", "1", 1000)
    assert document["people"] == frozen["people"] == 1000
    assert document["certificate"] == question["certificate"]
    assert question["certificate"]["holds"] is True
    assert 0 <= question["certificate"]["slack"] < 1e-15
    assert 0 < question["expected"]["stderr"] < question["expected_uniform"]["stderr"]
    # Randomized response is the best there is for so few colours.
    assert 0 <= question["above_floor"] < 1e-9
    assert 0 < question["total_variation_floor"] < question["expected"]["total_variation"]
    assert any("public" in line for line in document["explanation"]["summary"])
    assert document["warnings"] == []
    assert document["expected_from"] is None


def test_privatize_tells_what_it_released(released, run):
    code, out, _ = run("privatize", "plan.json", "people.csv", "-o", "more.csv")
    assert code == 0
    assert "1,000 reports" in out
    assert "release" in out
    document = read_json(run("privatize", "plan.json", "people.csv", "-o", "again.csv", "--json"))
    assert (document["n"], document["bytes"]) == (1000, (released / "again.csv").stat().st_size)


def test_privatize_with_a_key_repeats_its_reports_and_tells_when_to_destroy_it(released, run):
    (released / "few.csv").write_text("who,colour\n" + "".join(f"{i},red\n" for i in range(200)))
    words = ["privatize", "plan.json", "few.csv", "--id", "who", "--key", "key", "-o"]
    code, out, _ = run(*words, "first.csv")
    assert code == 0
    assert "200 reports" in out
    assert "Whoever has key can undo the noise: destroy it" in out
    assert read_json(run(*words, "again.csv", "--json"))["task"] == "reports"
    document = read_json(run(*words, "other.csv", "--json", "--task", "wave 2"))
    assert (document["key"], document["task"], document["n"]) == ("key", "wave 2", 200)
    first, again, other = ((released / name).read_bytes() for name in ("first.csv", "again.csv", "other.csv"))
    assert first == again != other
    assert (released / "key").read_text().splitlines()[1] not in out


def test_certify_tells_the_verdict(released, run):
    document = read_json(run("certify", "plan.json", "--json"))
    assert document["holds"] is True
    assert document["plan"] == json.loads((released / "plan.json").read_bytes())["hash"]
    assert "promise holds" in run("certify", "plan.json")[1]


def test_certify_bounds_a_batch_of_shuffled_reports(released, run):
    words = "certify", "plan.json", "--shuffled", "5000", "--delta-probability", "1e-6"
    batch = read_json(run(*words, "--json"))["batch"]
    assert (batch["shuffled"], batch["delta_probability"]) == (5000, "1/1000000")
    assert 0 < batch["below"] < batch["above"] < batch["report"] / 5
    (question,) = batch["questions"]
    assert question["pairs"][0]["above"] == question["above"] == batch["above"]
    certificate = sordino.certify(released / "plan.json", shuffled=5000, delta_probability="1e-6")
    assert certificate.batch.above.ceil() == batch["above"]
    printed = run(*words)[1]
    assert "holds only if someone other than the collector mixes at least 5,000 honest reports" in printed
    assert "holds only if someone other than the collector mixes" in certificate.lines[-2]
    few = run("certify", "plan.json", "--shuffled", "1", "--delta-probability", "1e-6")[1]
    assert "not shown to hide more than a single report does" in few
    for half in (words[:4], (*words[:2], *words[4:])):
        assert "a batch has a number of reports and a delta" in run(*half)[2]


@pytest.mark.parametrize("name", ["e.csv", "e.csv.gz", "e.parquet"])
def test_the_table_of_estimates_has_a_row_for_each_value(released, run, name):
    document = shares_of(run, "-o", name)
    table = pq.read_table(released / name) if name.endswith("parquet") else pc.read_csv(released / name)
    assert table.column_names == list(COLUMNS)
    assert table["kind"].to_pylist() == ["share"] * 4
    assert table["attribute"].to_pylist() == ["colour"] * 4
    assert table["term"].to_pylist() == ["red", "green", "blue, dark", "wei\u00df"]
    own = {name: own for name, own in COLUMNS.items() if own in document["rows"][0]}
    rows = [{name: row[json_name] for name, json_name in own.items()} for row in document["rows"]]
    assert table.select(list(own)).to_pylist() == [pytest.approx(row) for row in rows]
    again = run("estimate", "plan.json", "reports.csv", "-o", name)
    assert (again[0], "overwritten" in again[2]) == (2, True)


def test_several_files_are_written_at_once_each_under_a_name_of_its_own(released, run):
    assert shares_of(run, "-o", "f.csv", "-o", "f.arrow", "-o", "f.parquet")["n"] == 1000
    arrow = pa.ipc.open_file(released / "f.arrow").read_all()
    assert arrow.equals(pq.read_table(released / "f.parquet"))
    assert pc.read_csv(released / "f.csv")["estimate"].to_pylist() == arrow["estimate"].to_pylist()
    for wrong in (("-o", "g.csv", "-o", "g.csv"), ("-o", "g.csv", "--html", "g.csv")):
        code, _, errors = run("estimate", "plan.json", "reports.csv", *wrong)
        assert (code, "g.csv twice" in errors) == (2, True)
    code, _, errors = run("estimate", "plan.json", "reports.csv", "-o", "homes.geojson")
    assert (code, "a map must be estimated" in errors) == (2, True)


@pytest.mark.parametrize("method", ["unbiased", "simplex", "block-simplex", "likelihood"])
def test_methods_estimate_the_shares(released, run, method):
    document = shares_of(run, "--method", method)
    assert (document["questions"][0]["method"], document["n"]) == (method, 1000)
    plain = shares_of(run, "--method", "unbiased")
    for row, unbiased in zip(document["rows"], plain["rows"], strict=True):
        assert {name: row[name] for name in unbiased} == unbiased
    shares = [row["estimate" if method == "unbiased" else "fitted"] for row in document["rows"]]
    # Of 600 people in a block 2 % lie at epsilon 4: a standard error of 0.0034.
    assert shares == pytest.approx([0.5, 0.1, 0.3, 0.1], abs=0.05)
    assert sum(shares) == pytest.approx(1)
    if method != "simplex":
        assert shares[0] + shares[1] == pytest.approx(0.6)


def test_by_default_public_blocks_keep_their_shares(released, run):
    document = shares_of(run)
    assert document == shares_of(run, "--method", "block-simplex")
    assert document["questions"][0]["method"] == "block-simplex"
    text = run("estimate", "plan.json", "reports.csv")[1]
    assert "Estimates are unbiased" in text
    assert "Fitted (block-simplex) is" in text
    assert "fitted" not in run("estimate", "plan.json", "reports.csv", "--method", "unbiased")[1]


def test_a_higher_confidence_gives_wider_intervals(released, run):
    widths = []
    for confidence in ("0.5", "0.9", "0.95", "0.999"):
        document = shares_of(run, "--confidence", confidence)
        assert document["confidence"] == float(confidence)
        widths.append([row["high"] - row["low"] for row in document["rows"]])
        assert all(0 <= row["low"] <= row["high"] <= 1 for row in document["rows"])
    for narrow, wide in pairwise(widths):
        assert all(a < b for a, b in zip(narrow, wide, strict=True))
    assert shares_of(run) == shares_of(run, "--confidence", "0.95", "--method", "block-simplex")


def test_what_intervals_hold_against_is_told(released, run):
    alone = shares_of(run)
    assert (alone["simultaneous"], alone["watched"], alone["forged"]) == (False, False, 0)
    document = shares_of(run, "--simultaneous", "--watched", "--forged", "3")
    assert (document["simultaneous"], document["watched"], document["forged"]) == (True, True, 3)
    (question,) = document["questions"]
    assert (question["simultaneous"], question["each"]) == ("Bonferroni", 1 - 0.05 / 4)
    assert shares_of(run, "--simultaneous")["questions"][0]["simultaneous"] == "max-|z|"
    for row, before in zip(document["rows"], alone["rows"], strict=True):
        assert row["low"] < before["low"] < before["high"] < row["high"]
        assert 0.003 < row["moved"] < 0.01
    code, out, _ = run("estimate", "plan.json", "reports.csv", "--simultaneous", "--forged", "3", "--html", "new.html")
    said = "for all values together with 95 % confidence (max-|z|), even if up to 3 reports are forged."
    assert code == 0
    assert said in " ".join(out.split())
    assert said in (released / "new.html").read_text(encoding="utf-8")
    assert "moved at most" in out
    code, _, err = run("estimate", "plan.json", "reports.csv", "--forged", "1000")
    assert (code, "more reports than the 1,000 that may be forged" in err) == (2, True)


def test_a_difference_of_two_shares_is_told(released, run):
    document = shares_of(run, "--difference", "colour", "red", "green")
    (row,) = document["between"]
    assert (row["attribute"], row["value"], row["minus"]) == ("colour", "red", "green")
    assert row["low"] < 0.4 + 0.1
    assert row["estimate"] == pytest.approx(document["rows"][0]["estimate"] - document["rows"][1]["estimate"])
    code, out, _ = run("estimate", "plan.json", "reports.csv", "--difference", "colour", "red", "green")
    assert (code, "red minus green" in out) == (0, True)
    code, _, err = run("estimate", "plan.json", "reports.csv", "--difference", "colour", "red", "gren")
    assert (code, "did you mean 'green'" in err) == (2, True)
    assert "between" not in shares_of(run)


def test_what_changed_is_told_with_an_interval(released, run):
    (released / "more.csv").write_text("colour\n" + "red\n" * 200 + "green\n" * 600)
    run("privatize", "plan.json", "more.csv", "-o", "later.csv")
    words = ["change", "plan.json", "reports.csv", "plan.json", "later.csv"]
    document = read_json(run(*words, "--json"))
    assert (document["n"], document["confidence"], document["not_comparable"]) == ([1000, 800], 0.95, {})
    rows = {row["value"]: row for row in document["rows"]}
    assert rows["red"]["high"] < 0 < rows["green"]["low"]
    assert rows["green"]["change"] == pytest.approx(rows["green"]["after"] - rows["green"]["before"])
    wider = read_json(run(*words, "--json", "--simultaneous"))["rows"]
    assert all(one["high"] < more["high"] for one, more in zip(document["rows"], wider, strict=True))
    code, out, _ = run(*words)
    assert (code, "1,000 reports, then 800" in out) == (0, True)
    assert all(name in out for name in rows)
    # Another survey's reports tell nothing that these do.
    (released / "other.toml").write_text(
        'version = 1\nepsilon = "1"\n[attribute.job]\ncategories = ["a", "b"]\n[[ask]]\nhistogram = "job"\n'
    )
    (released / "jobs.csv").write_text("job\na\nb\n")
    run("plan", "other.toml", "--people", "2", "-o", "other.json")
    run("privatize", "other.json", "jobs.csv", "-o", "jobs_reports.csv")
    code, out, err = run("change", "plan.json", "reports.csv", "other.json", "jobs_reports.csv")
    assert (code, out) == (2, "")
    assert "job must be a question of both collections; found in the later one alone" in err
    assert "colour must be a question of both collections; found in the earlier one alone" in err


def test_reports_and_aggregates_add_up(released, run):
    run("privatize", "plan.json", "people.csv", "-o", "more.parquet")
    run("aggregate", "plan.json", "more.parquet", "reports.csv", "-o", "both.json")
    run("aggregate", "plan.json", "more.parquet", "-o", "more.json")
    whole = read_json(run("estimate", "plan.json", "both.json", "--json"))
    assert whole["n"] == 2000
    choices = ["more.parquet", "reports.csv"], ["more.json", "reports.csv"], ["aggregate.json", "more.json"]
    for i, parts in enumerate(choices):
        # Of equal counts, which chance gives one time in some tens, a note is told beside.
        assert json.loads(run("estimate", "plan.json", *parts, "--json")[1]) == whole
        assert json.loads(run("aggregate", "plan.json", *parts, "-o", f"sum{i}.json", "--json")[1])["n"] == 2000
        assert (released / f"sum{i}.json").read_bytes() == (released / "both.json").read_bytes()


def test_labels_are_printed_in_the_encoding_of_the_output(released, run):
    assert "wei\u00df" in run("estimate", "plan.json", "reports.csv", encoding="latin-1")[1]
    assert r"wei\xdf" in run("estimate", "plan.json", "reports.csv", encoding="ascii")[1]


def test_labels_are_texts_and_never_markup(released, run):
    labels = ["[red]a[/red]", "[/b]", ":smile:", "$\\frac$", "<script>"]
    survey = ["version = 1", 'epsilon = "2"', '[attribute."[b]"]', f"categories = {json.dumps(labels)}"]
    (released / "odd.toml").write_text("\n".join([*survey, "[[ask]]", 'histogram = "[b]"']))
    (released / "odd.csv").write_text("\n".join(["[b]", *labels, ""]))
    assert run("plan", "odd.toml", "--people", "5", "-o", "odd.json")[0] == 0
    assert run("privatize", "odd.json", "odd.csv", "-o", "odd.parquet")[0] == 0
    code, out, _ = run("estimate", "odd.json", "odd.parquet", "--html", "odd.html")
    assert code == 0
    assert [label for label in ["[b]", *labels] if label not in out] == []
    assert "<script" not in (released / "odd.html").read_text(encoding="utf-8")


class Links(html.parser.HTMLParser):
    """Every address that a page would load or follow, and its scripts."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in {"src", "href", "srcset", "data", "action", "poster"}]
        if tag in {"script", "iframe", "object", "embed", "base"}:
            self.found.append(tag)


def test_the_page_is_self_contained(released, run):
    run("estimate", "plan.json", "reports.csv", "--html", "page.html")
    page = (released / "page.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(page)
    assert links.found
    assert all(link.startswith(("data:", "#")) for link in links.found)
    assert "@import" not in page
    assert page.count("url(") == page.count("url(#")
    assert json.loads((released / "plan.json").read_bytes())["hash"] in page
    assert "wei\u00df" in page
    assert "public" in page


def test_a_plan_can_be_written_again_but_not_replaced(released, run):
    before = (released / "plan.json").read_bytes()
    assert run("plan", "survey.toml", "--people", "1000", "-o", "plan.json")[0] == 0
    code, out, err = run("plan", "survey.toml", "--people", "1001", "-o", "plan.json")
    assert (code, out) == (2, "")
    assert "plan.json must not exist" in err
    assert (released / "plan.json").read_bytes() == before


def test_the_demo_takes_no_folder_and_no_page_of_others(released, run):
    before = {path: path.read_bytes() for path in released.iterdir()}
    for words in (["--folder", ".", "--html", "new.html"], ["--folder", "new", "--html", "plan.json"]):
        code, out, err = run("demo", "--people", "100", *words)
        assert (code, out) == (2, "")
        assert "must" in err
        assert {path: path.read_bytes() for path in released.iterdir()} == before


def test_help_names_the_extra_that_a_command_needs(run):
    for name, lazy in cli.lazy.items():
        _, out, _ = run(name, "--help")
        assert ("Needs the extra" in out) == bool(lazy.extra), name
        assert f"sordino[{lazy.extra}]" in out or not lazy.extra
    assert "sordino[server]" in run("collector", "key", "rotate", "--help")[1]
