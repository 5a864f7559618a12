"""`sordino papers` lists the public names of the papers, and what it shows of each runs in an empty prompt."""

import doctest
import json

import pytest

from sordino import papers


def test_each_name_has_a_line_with_its_paper_and_item(run):
    code, output, errors = run("papers")
    assert (code, errors) == (0, "")
    listed = dict(line.split(maxsplit=1) for line in output.splitlines())
    assert sorted(listed) == sorted(papers.__all__)
    assert listed["NestedMean"] == "BCDP paper, Mechanism 1 and Figure 2."
    assert listed["interact"] == "Bayesian privacy filter paper, Algorithm 1."
    assert listed["attribute_loss"].endswith("`Dependence.realized_losses_bound_dependence`).")
    assert listed == json.loads(run("papers", "--json")[1])["names"]


@pytest.mark.parametrize("name", papers.__all__)
def test_what_is_shown_of_a_name_runs_as_it_stands(name, run):
    code, output, errors = run("papers", name)
    assert (code, errors) == (0, "")
    session = doctest.DocTestParser().get_doctest(output, {}, name, None, 0)
    assert len(session.examples) > 1
    printed = []
    doctest.DocTestRunner().run(session, out=printed.append)
    assert printed == []
    document = json.loads(run("papers", name, "--json")[1])
    assert document.keys() == {"name", "source", "text"}
    assert document["text"] in output


def test_an_unknown_name_is_refused_with_those_that_there_are(run):
    code, output, errors = run("papers", "Nested")
    assert (code, output) == (2, "")
    assert all(name in errors for name in papers.__all__)
