"""A plan's entry for the registry of deployments: its promise is never stronger than the plan's, and YAML reads it."""

import json

import pytest

from in_one import in_one
from kinds_of_survey import KINDS
from sordino import LDP, Nats, certify
from sordino.query.sampled import Sampled
from sordino.registry.deployment_entry import OPEN, PublicationFacts, deployment_entry, open_fields, yaml_text
from surveys import planned

FACTS = PublicationFacts("An institute", "To know.", "Portugal", "Healthcare", "2026-11-26", ("Ana", "Rui"))

FIELDS = {
    "basic": "name data_curators intended_use data_product_type data_product_region description publication_date"
    " data_product_sector",
    "dp_variant": "variant_name data_domain unprotected_quantities",
    "privacy_loss": "privacy_unit privacy_unit_details privacy_parameters privacy_parameters_details",
    "deployment_model": "model_name model_name_details actors release_type release_type_details data_source_type"
    " data_source_type_details access_type access_type_details",
    "accounting": "post_processing composition",
    "implementation": "preprocessing_and_hyperparameter_tuning mechanisms justification",
    "administrative": "sources registry_authors",
}
"""As the registry's records have them."""

PROTECTED_LESS = (
    "histogram, blocks of 25",
    "histogram, a fifth sensitive",
    "histogram on a line",
    "histogram on a tree",
    "histogram under a matrix",
)


def planned_kind(kind):
    return planned(KINDS[kind].survey(6), 10_000)


def queries_of(query):
    return [one for each in query.queries for one in queries_of(each)] if isinstance(query, Sampled) else [query]


@in_one("kind", list(KINDS))
def test_an_epsilon_stands_only_where_it_holds_between_any_two_records(kind):
    """Checked by certificates of each query under LDP of that epsilon, which know nothing of entries."""
    frozen = planned_kind(kind)
    own = deployment_entry(frozen, FACTS, "0.1.0")["deployment"]
    parameters = own["privacy_loss"]["privacy_parameters"]
    if kind in PROTECTED_LESS:
        assert (own["dp_variant"]["variant_name"], parameters) == ("Custom", {})
        assert own["dp_variant"]["bound_on_output_distance"]
        return
    assert own["dp_variant"]["variant_name"] == "Pure DP"
    for question in frozen.questions:
        for query in queries_of(question.query):
            assert certify(query, LDP(parameters["epsilon"])).holds
    # Nor is it larger than what is promised.
    assert parameters["epsilon"] <= float(KINDS[kind].epsilon) * (1 + 1e-12)


def test_an_epsilon_is_rounded_up():
    survey = {"version": 1, "epsilon": "ln 3", "attribute": {"a": {"categories": 3}}, "ask": [{"histogram": "a"}]}
    own = deployment_entry(planned(survey), FACTS, "0.1.0")["deployment"]["privacy_loss"]
    assert Nats.of("ln 3") < Nats.of(own["privacy_parameters"]["epsilon"])


@in_one("kind", list(KINDS))
def test_every_reader_of_yaml_reads_the_entry_again(kind):
    yaml = pytest.importorskip("yaml")
    entry = deployment_entry(planned_kind(kind), FACTS, "0.1.0")
    assert yaml.safe_load(yaml_text(entry)) == entry
    assert {name: " ".join(part) for name, part in entry["deployment"].items() if name != "dp_variant"} == {
        name: fields for name, fields in FIELDS.items() if name != "dp_variant"
    }
    assert " ".join(entry["deployment"]["dp_variant"]).startswith("variant_name")


def test_names_that_would_break_out_stay_texts():
    yaml = pytest.importorskip("yaml")
    survey = {
        "version": 1,
        "epsilon": "1",
        "attribute": {"a: b # {": {"categories": ["yes", "no\u2028tier: 1"]}},
        "ask": [{"histogram": "a: b # {"}],
        "about": {"title": 'x"\ntier: 9', "by": "- nobody", "purpose": "|"},
    }
    entry = deployment_entry(planned(survey), PublicationFacts(), "0.1.0")
    read = yaml.safe_load(yaml_text(entry))
    assert read["tier"] == 3
    assert read["deployment"]["basic"]["data_curators"][0]["data_curator_name"] == "- nobody"
    assert read["deployment"]["basic"]["intended_use"] == "|"


def test_what_only_people_know_is_open_until_it_is_given():
    frozen = planned_kind("histogram")
    left = set(open_fields(deployment_entry(frozen, PublicationFacts(), "0.1.0")))
    assert {"deployment.basic.data_product_region", "deployment.administrative.registry_authors"} < left
    assert set(open_fields(deployment_entry(frozen, FACTS, "0.1.0"))) == {
        "url_slug",
        "deployment.basic.name",
        "deployment.basic.data_curators",
        "deployment.implementation.justification",
    }


def test_deltas_and_public_columns_are_said(tmp_path, run):
    survey = {
        "version": 1,
        "epsilon": "2",
        "attribute": {
            "diabetes": {"categories": ["yes", "no"], "delta": "0.5"},
            "age": {"number": {"low": 20, "high": 80}},
        },
        "public": {"region": {"categories": ["north", "south"]}},
        "dependence": {"rest": {"diabetes": 0.3}},
        "ask": [{"mean": ["age"]}, {"histogram": "diabetes"}],
    }
    frozen = planned(survey)
    frozen.save(tmp_path / "plan.json")
    code, out, errors = run("record", "plan.json", "--html", "label.html", "--json", folder=tmp_path)
    assert (code, errors) == (0, "")
    own = json.loads(out)["entry"]["deployment"]
    assert own["privacy_loss"]["privacy_parameters"] == {"epsilon": 2.0}
    assert "About 'diabetes' a report reveals at most 1/2 nats" in own["privacy_loss"]["privacy_parameters_details"]
    assert "'region'" in own["dp_variant"]["unprotected_quantities"]
    label = (tmp_path / "label.html").read_text(encoding="utf-8")
    assert frozen.hash in label
    assert OPEN not in label
    assert "Your answer to \u201cregion\u201d is sent as it is" in label
    assert "which randomizes all that is not sent in clear" in label
    assert "except those to public columns" in out
    assert "trusted with public columns alone" in out
    del survey["public"]
    planned(survey).save(tmp_path / "other.json")
    _, out, _ = run("record", "other.json", "--html", "other.html", "--json", folder=tmp_path)
    assert "No answer leaves it otherwise." in out
    assert "sent as it is" not in (tmp_path / "other.html").read_text(encoding="utf-8")


def test_the_entry_is_written_once_and_days_are_days(tmp_path, run):
    planned_kind("histogram").save(tmp_path / "plan.json")
    code, out, _ = run("record", "plan.json", folder=tmp_path)
    assert (code, out.startswith('url_slug: "To be filled in"\nstatus: "Draft"\ntier: 3\n')) == (0, True)
    assert run("record", "plan.json", "-o", "entry.yaml", folder=tmp_path)[0] == 0
    assert (tmp_path / "entry.yaml").read_text(encoding="utf-8") == out
    assert run("record", "plan.json", "-o", "entry.yaml", "--force", folder=tmp_path)[0] == 2
    code, _, errors = run("record", "plan.json", "--published", "2026-13-01", folder=tmp_path)
    assert (code, "must be a day" in errors) == (2, True)
