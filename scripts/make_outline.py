"""The outline of land and its borders, `figures/outline.json`, from Natural Earth (public domain).

    npm pack world-atlas && tar xzf world-atlas-*.tgz && python scripts/make_outline.py package/countries-50m.json

A line is kept where several countries meet, a ring of land where none does. Points that lie within a twenty-fifth of a
degree of the line without them are left out. Units: hundredths of a degree, each point as its distance from the last.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

OUTLINE = Path(__file__).parents[1] / "src" / "sordino" / "show" / "html" / "figures" / "outline.json"
TOLERANCE = 0.04
"""In degrees: what is left out moves a line by less."""
SMALLEST = 0.08
"""In degrees: an island of less is left out."""

Points = NDArray[np.float64]


def arcs_of(topology: dict[str, object]) -> list[Points]:
    """The lines of a topology in degrees (TopoJSON 2.1: quantized, each point as its distance from the one before)."""
    scale, translate = (np.array(topology["transform"][name]) for name in ("scale", "translate"))
    return [np.cumsum(arc, axis=0) * scale + translate for arc in map(np.array, topology["arcs"])]


def simplified(points: Points) -> Points:
    """Douglas and Peucker: both ends, and between them what lies further than the tolerance from the line."""
    if len(points) < 3:
        return points
    first, last = points[0], points[-1]
    along, off = last - first, points - first
    length = np.hypot(*along)
    far = np.hypot(*off.T) if length == 0 else abs(along[0] * off[:, 1] - along[1] * off[:, 0]) / length
    at = int(far.argmax())
    if far[at] <= TOLERANCE:
        return np.array([first, last])
    return np.concatenate([simplified(points[: at + 1])[:-1], simplified(points[at:])])


def rings_of(geometry: dict[str, object]) -> list[list[int]]:
    """The rings of a country, each as its arcs; ~i is arc i backwards."""
    polygons = {"Polygon": lambda arcs: [arcs], "MultiPolygon": lambda arcs: arcs}[str(geometry["type"])]
    return [ring for polygon in polygons(geometry["arcs"]) for ring in polygon]


def joined(arcs: list[Points]) -> list[Points]:
    """Lines joined end to end until each is a ring."""
    starts: dict[tuple[float, float], list[Points]] = defaultdict(list)
    for arc in arcs:
        starts[tuple(arc[0])].append(arc)
    rings = []
    while any(starts.values()):
        ring = [next(found for found in starts.values() if found).pop()]
        while tuple(ring[-1][-1]) != tuple(ring[0][0]):
            ring.append(starts[tuple(ring[-1][-1])].pop())
        rings.append(np.concatenate([ring[0], *[arc[1:] for arc in ring[1:]]]))
    return rings


def written(points: Points) -> list[int]:
    """The points in hundredths of a degree: the first, then distances; repeated ones once."""
    whole = np.round(points * 100).astype(int)
    kept = whole[np.concatenate([[True], (np.diff(whole, axis=0) != 0).any(axis=1)])]
    return np.concatenate([kept[:1], np.diff(kept, axis=0)]).ravel().tolist()


def main() -> None:
    """Write the outline."""
    topology = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    arcs = [simplified(arc) for arc in arcs_of(topology)]
    rings = [ring for each in topology["objects"]["countries"]["geometries"] for ring in rings_of(each)]
    uses = Counter(place if place >= 0 else ~place for ring in rings for place in ring)
    own = [place for ring in rings for place in ring if uses[place if place >= 0 else ~place] == 1]
    coast = joined([arcs[place] if place >= 0 else arcs[~place][::-1] for place in own])
    land = [ring for ring in coast if np.ptp(ring, axis=0).max() >= SMALLEST]
    borders = [arcs[place] for place, count in uses.items() if count > 1]
    found = {
        "source": "Natural Earth 1:50m, public domain (naturalearthdata.com)",
        "unit": "hundredths of a degree: longitude, latitude, then distances from the point before",
        "land": sorted(map(written, land)),
        "borders": sorted(map(written, borders)),
    }
    OUTLINE.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(land)} rings, {len(borders)} borders, {OUTLINE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
