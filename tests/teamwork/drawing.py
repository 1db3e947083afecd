"""Draw text, boxes and pictures as SVG. The widths are those of Verdana and DejaVu Sans, which are alike."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

from tests.teamwork.chat import Post, Span

FONT = "Verdana, 'DejaVu Sans', Geneva, sans-serif"
LINE_HEIGHT = 1.45  # of the size of the letters
NARROW, WIDE = "iIjl.,:;'|!()[]ft· ", "mwMW@%—…"
SIGNS = "👀✅⏹"  # drawn as shapes: not everybody has letters for them


def width_of(text: str, size: float, *, is_bold: bool = False) -> float:
    """Return about how wide a text is, rather too much than too little."""
    share = sum(
        0.4 if letter in NARROW else 1.0 if letter in WIDE or letter in SIGNS else 0.72 if letter.isupper() else 0.635
        for letter in text
    )
    return share * size * (1.12 if is_bold else 1.0)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a wrapped text: its pieces, and whether it stands in a quote."""

    pieces: tuple[tuple[str, bool], ...]  # text, and whether it is bold
    is_quoted: bool = False
    size: float = 14

    @property
    def width(self) -> float:
        return sum(width_of(text, self.size, is_bold=is_bold) for text, is_bold in self.pieces)


def wrap_post(post: Post, size: float, room: float) -> list[Line]:
    """Return the lines of a post's text that fit into a width."""
    lines, at = list[Line](), 0
    for paragraph in post.text.split("\n"):
        is_quoted = any(
            span.kind in ("fold", "quote") and span.begin < at + max(1, len(paragraph)) and at < span.end
            for span in post.spans
        )
        bold = [is_bold_at(post.spans, at + place) for place in range(len(paragraph))]
        for begin, end in wrap(paragraph, bold, size, room - (14 if is_quoted else 0)):
            marked = zip(paragraph[begin:end], bold[begin:end], strict=True)
            pieces = [
                ("".join(letter for letter, _ in group), key) for key, group in groupby(marked, lambda each: each[1])
            ]
            lines.append(Line(tuple(pieces), is_quoted, size))
        at += len(paragraph) + 1
    return lines


def is_bold_at(spans: Iterable[Span], place: int) -> bool:
    return any(span.kind == "bold" and span.begin <= place < span.end for span in spans)


def wrap(text: str, bold: Sequence[bool], size: float, room: float) -> list[tuple[int, int]]:
    """Return where the lines begin and end that a text is cut into between words."""
    found, begin, end = list[tuple[int, int]](), 0, 0
    while end < len(text):
        space = text.find(" ", end + 1)
        upto = len(text) if space < 0 else space
        used = sum(width_of(text[at], size, is_bold=bold[at]) for at in range(begin, upto))
        if used > room and end > begin:
            found.append((begin, end))
            begin = end + 1
        end = upto
    return [*found, (begin, len(text))]


@dataclass
class Drawing:
    width: float
    background: str
    parts: list[str] = field(default_factory=list)
    pictures: dict[bytes, str] = field(default_factory=dict)  # the id of each picture that is there

    def box(self, x: float, y: float, width: float, height: float, fill: str, *, round: float = 0) -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round:g}" fill="{fill}"/>'
        )

    def write(
        self,
        x: float,
        y: float,
        words: str | Line,
        fill: str,
        *,
        size: float = 14,
        is_bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """Write one line whose letters stand on `y`."""
        pieces = words.pieces if isinstance(words, Line) else ((words, is_bold),)
        if pieces and pieces[0][0][:1] and pieces[0][0][0] in SIGNS:
            text = pieces[0][0]
            if anchor == "middle":
                x, anchor = x - width_of(text, size) / 2, "start"
            self.draw_sign(text[0], x, y, size, fill)
            pieces, x = ((text[1:].lstrip(), pieces[0][1]), *pieces[1:]), x + size * 1.4
        told = "".join(
            f'<tspan font-weight="bold">{escape(text)}</tspan>' if bold else escape(text) for text, bold in pieces
        )
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}"'
        end = "" if anchor == "start" else f' text-anchor="{anchor}"'
        if told:
            self.parts.append(f'<text {place}{end} xml:space="preserve">{told}</text>')

    def draw_sign(self, sign: str, x: float, y: float, size: float, fill: str) -> None:
        """Draw a sign as high as letters that stand on `y`."""
        top = y - size * 0.8
        match sign:
            case "⏹":
                self.box(x, top, size * 0.85, size * 0.85, fill, round=2)
            case "✅":
                self.box(x, top, size * 0.95, size * 0.95, "#43a047", round=3)
                begin = f"M{x + size * 0.2:.1f} {top + size * 0.5:.1f}"
                strokes = f"l{size * 0.2:.1f} {size * 0.22:.1f} l{size * 0.36:.1f} {-size * 0.46:.1f}"
                self.line(f"{begin} {strokes}", "#ffffff")
            case "👀":
                for left in (x, x + size * 0.55):
                    middle = left + size * 0.25, top + size * 0.45
                    self.oval(*middle, size * 0.25, size * 0.42, "#ffffff", edge="#5b6166")
                    self.oval(middle[0] - size * 0.06, middle[1] + size * 0.06, size * 0.11, size * 0.18, "#2a2d30")

    def oval(self, x: float, y: float, width: float, height: float, fill: str, *, edge: str = "none") -> None:
        self.parts.append(
            f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width:.1f}" ry="{height:.1f}" fill="{fill}" stroke="{edge}"/>'
        )

    def line(self, path: str, stroke: str, width: float = 2) -> None:
        self.parts.append(f'<path d="{path}" stroke="{stroke}" stroke-width="{width:g}" fill="none"/>')

    def portrait(self, x: float, y: float, size: float, picture: bytes, name: str, fill: str) -> None:
        """Draw a round picture; of somebody without one, the first letter of the name."""
        middle = x + size / 2, y + size / 2
        if picture:
            if picture not in self.pictures:
                self.pictures[picture] = f"picture-{len(self.pictures) + 1}"
            place = f'x="{x:g}" y="{y:.1f}" width="{size:g}" height="{size:g}"'
            self.parts.append(f'<use href="#{self.pictures[picture]}" {place}/>')
            return
        self.parts.append(f'<circle cx="{middle[0]:g}" cy="{middle[1]:.1f}" r="{size / 2:g}" fill="{fill}"/>')
        self.write(middle[0], middle[1] + size * 0.18, name[0], "#ffffff", size=size * 0.45, anchor="middle")

    def svg(self, height: float, title: str) -> str:
        defined = [symbol(id, picture) for picture, id in self.pictures.items()]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {height:.0f}"'
                f' width="{self.width:g}" height="{height:.0f}" font-family="{FONT}" role="img">',
                f"<title>{escape(title)}</title>",
                *(["<defs>", *defined, "</defs>"] if defined else []),
                f'<rect width="{self.width:g}" height="{height:.0f}" rx="10" fill="{self.background}"/>',
                *self.parts,
                "</svg>\n",
            ]
        )


def symbol(id: str, picture: bytes) -> str:
    """Return a round picture that can be used several times."""
    data = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    clip = f'<clipPath id="{id}-round"><circle cx="20" cy="20" r="20"/></clipPath>'
    image = f'<image href="{data}" width="40" height="40" clip-path="url(#{id}-round)"/>'
    return f'<symbol id="{id}" viewBox="0 0 40 40">{clip}{image}</symbol>'
