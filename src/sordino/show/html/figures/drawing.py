"""A figure's bytes: a file of its own (SVG, PNG), or elements of the page that follow its colours.

Lengths are points; on a page a point of the drawing is about a pixel. The same figure gives the same bytes: no date, no
program's name, no numbers of the process. In SVG texts stay texts, in the fonts of whoever reads.
"""

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from warnings import catch_warnings, filterwarnings
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from sordino.document.files import replace_whole
from sordino.errors import SordinoError
from sordino.show.html.figures.colours import DARK, LIGHT, ROLES
from sordino.show.html.figures.lettering import drawable, families, for_markup
from sordino.show.html.figures.scenes.scene import POINTS, Scene, library_drawing

if TYPE_CHECKING:
    # It takes longer to load than most pages take, which draw scenes alone.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.text import Text

DRAWINGS = (".png", ".svg")
"""How names of files with drawings end."""

DPI = 160
"""Of PNG files."""
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "sordino", "image.composite_image": False}
"""Texts as texts, and names of parts that depend on nothing but the parts."""
COLOUR = re.compile("#[0-9a-f]{6}")
ROLE = {light: role for role, (light, _) in ROLES.items()}
PIXELS = re.compile(r"([\d.]+)px")
DIGITS = re.compile(r"(\.\d\d)\d+")
"""Beyond a hundredth of a point, which nobody sees."""
REFERENCE = re.compile(r"url\(#(.+)\)")
QUOTE = {'"': "&quot;"}

Picture: TypeAlias = "Scene | Drawing"
"""What is drawn here, or by a library: maps and matrices of colours."""


def sheet(width: float, height: float) -> "Drawing":
    """An empty drawing of so many points."""
    from matplotlib.figure import Figure as Drawing

    return Drawing(figsize=(width / POINTS, height / POINTS), dpi=POINTS, facecolor="none")


def area(drawing: "Drawing", left: float, top: float, width: float, height: float, colour: str = "none") -> "Axes":
    """Axes in a sheet, all in points, from its left and upper edges."""
    wide, high = drawing.get_size_inches() * POINTS
    return drawing.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high), facecolor=colour)


def size_of(drawing: Picture) -> tuple[float, float]:
    """Its width and height in points."""
    if isinstance(drawing, Scene):
        return drawing.width, drawing.height
    width, height = drawing.get_size_inches() * POINTS
    return float(width), float(height)


def png(drawing: Picture) -> bytes:
    """As a PNG file on white; letters that no installed font has become squares."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawing = library_drawing(drawing) if isinstance(drawing, Scene) else drawing
    _as_file(drawing)
    for text in _texts(drawing):
        text.set_text("\n".join(map(drawable, text.get_text().split("\n"))))
        text.set_fontfamily(families())
    stream = BytesIO()
    FigureCanvasAgg(drawing).print_figure(
        stream,
        format="png",
        dpi=DPI,
        facecolor="white",
        bbox_inches="tight",
        pad_inches=0.1,
        metadata={"Software": None},
    )
    return stream.getvalue()


def svg(drawing: Picture) -> bytes:
    """As an SVG file on white."""
    drawing = library_drawing(drawing) if isinstance(drawing, Scene) else drawing
    _as_file(drawing)
    return _write(drawing, "white")


def write_drawing(drawing: Picture, path: Path, *, overwrite: bool = False) -> None:
    """Write a file of the kind that its name says: .svg, or .png.

    Raises:
        SordinoError: another ending, a file that may not be overwritten, or the system refuses to write.
    """
    if path.suffix.lower() not in DRAWINGS:
        raise SordinoError("a figure's name must end in .png or .svg", found=repr(path.name), step="name it so")
    write = svg if path.suffix.lower() == ".svg" else png
    with replace_whole(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(write(drawing))


def inline(drawing: Picture, words: str, name: str) -> str:
    """As elements of an HTML page.

    Args:
        drawing: in the light colours of the roles; an image named "dark" takes the place of one named "light" on dark
            screens.
        words: what it shows, for those who do not see it.
        name: begins the names of its parts, so that no other drawing of the page has them.
    """
    width, height = size_of(drawing)
    attributes = {"viewBox": f"0 0 {width:g} {height:g}", "role": "img", "aria-label": for_markup(words)}
    if isinstance(drawing, Scene):
        named = " ".join(f'{key}="{escape(value, QUOTE)}"' for key, value in attributes.items())
        return f"<svg {named}>{drawing.elements(_by_role)}</svg>"
    root = ET.fromstring(_write(drawing, "none"))  # noqa: S314 (written in this process)
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        node.text, node.tail = node.text if node.tag == "text" else None, None
        _restyle(node, name)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in {"metadata", "style"}]:
            parent.remove(child)
    root.attrib = attributes
    return ET.tostring(root, encoding="unicode")


def _write(drawing: "Drawing", ground: str) -> bytes:
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    for text in _texts(drawing):
        text.set_text("\n".join(map(for_markup, text.get_text().split("\n"))))
    stream = BytesIO()
    with rc_context(SETTINGS), catch_warnings():
        # Who reads has other fonts than who draws.
        filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        FigureCanvasSVG(drawing).print_figure(
            stream, format="svg", facecolor=ground, metadata={"Date": None, "Creator": None}
        )
    return stream.getvalue()


def _as_file(drawing: "Drawing") -> None:
    for artist in drawing.findobj(lambda artist: artist.get_gid() == DARK):
        artist.remove()


def _texts(drawing: "Drawing") -> "list[Text]":
    from matplotlib.text import Text

    texts: list[Any] = drawing.findobj(Text)
    return texts


def _restyle(node: ET.Element, name: str) -> None:
    attributes = {key.rpartition("}")[2]: value for key, value in node.attrib.items()}
    own = attributes.pop("id", "")
    if own in {LIGHT, DARK}:
        attributes["class"] = own
    elif node.tag in {"path", "clipPath"} and own:
        attributes["id"] = f"{name}-{own}"
    if "d" in attributes:
        attributes["d"] = DIGITS.sub(r"\1", attributes["d"]).replace("  ", " ")
    if attributes.get("href", "").startswith("#"):
        attributes["href"] = f"#{name}-{attributes['href'][1:]}"
    if "clip-path" in attributes:
        attributes["clip-path"] = REFERENCE.sub(rf"url(#{name}-\1)", attributes["clip-path"])
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    style = dict(part.split(": ", 1) for part in attributes.pop("style", "").split("; ") if ": " in part)
    style.pop("font-family", None)
    # Older releases of the library write one property for both.
    if size := PIXELS.search(style.pop("font-size", "") or style.pop("font", "")):
        attributes["font-size"] = size[1]
    if style:
        text = "; ".join(f"{key}: {value}" for key, value in style.items())
        attributes["style"] = COLOUR.sub(lambda found: _by_role(found[0]), text)
    node.attrib = attributes


def _by_role(colour: str) -> str:
    role = ROLE.get(colour)
    return f"var(--{role})" if role else colour
