"""Draw a private chat as Telegram shows it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tests.teamwork.chat import Post, first_words
from tests.teamwork.drawing import LINE_HEIGHT, Drawing, Line, width_of, wrap_post

WIDTH, MARGIN, PADDING, GAP = 620, 14, 11, 8
ROOM = 470  # for the text of a bubble
SIZE, SMALL = 14.0, 11.5
STEP = SIZE * LINE_HEIGHT
BACKGROUND, HEAD = "#d5dfd0", "#ffffff"
OWN, OTHERS, TEXT, QUIET, ACCENT = "#e7fed6", "#ffffff", "#16191c", "#77868f", "#2f7ec7"
BUTTON, TOAST = "#7d9480", "#3b444b"


def draw(posts: Sequence[Post | None], title: str, toast: str = "") -> str:
    """Return the picture. `toast` is shown over the chat. None among the posts: some are left out."""
    drawing = Drawing(WIDTH, BACKGROUND)
    drawing.box(0, 0, WIDTH, 46, HEAD, round=10)
    drawing.portrait(MARGIN, 7, 32, b"", "Retinue", ACCENT)
    drawing.write(58, 21, "Retinue", TEXT, size=14, is_bold=True)
    drawing.write(58, 37, "bot", QUIET, size=SMALL)
    y = 58.0
    for post in posts:
        y = draw_post(drawing, post, y) + GAP if post else draw_gap(drawing, y)
    if toast:
        draw_toast(drawing, toast, y)
        y += 48
    return drawing.svg(y + 4, title)


def draw_gap(drawing: Drawing, y: float) -> float:
    """Show that messages are left out."""
    drawing.write(WIDTH / 2, y + 12, "· · ·", QUIET, size=18, anchor="middle")
    return y + 30


def draw_post(drawing: Drawing, post: Post, y: float) -> float:
    """Draw a message with what belongs to it. Return where it ends."""
    lines = wrap_post(post, SIZE, ROOM)
    reply = post.reply_to
    inner = max([line.width + 14 * line.is_quoted for line in lines] + [60])
    if reply:
        inner = max(inner, min(ROOM, width_of(reply_words(reply), SMALL) + 14))
    inner = min(ROOM, max(inner, buttons_width(post), lines[-1].width + 52))
    width, height = inner + 2 * PADDING, len(lines) * STEP + 2 * PADDING - 2 + 40 * bool(reply) + 8
    height += 28 * bool(post.reactions)
    x = WIDTH - MARGIN - width if post.is_mine else MARGIN
    drawing.box(x, y, width, height, OWN if post.is_mine else OTHERS, round=12)
    at = y + PADDING
    if reply:
        at = draw_reply(drawing, reply, x + PADDING, at, inner)
    at = draw_lines(drawing, lines, x + PADDING, at, inner)
    if post.reactions:
        drawing.box(x + PADDING, at + 4, 40, 24, "#c9e9b4" if post.is_mine else "#e6eef4", round=12)
        drawing.write(x + PADDING + 12, at + 21, "".join(post.reactions), TEXT, size=14)
    time = "edited " * post.is_edited + datetime.fromtimestamp(post.at, UTC).strftime("%H:%M")
    drawing.write(x + width - PADDING, y + height - 7, time, QUIET, size=SMALL - 1, anchor="end")
    return draw_buttons(drawing, post, x, y + height + 3, width)


def draw_reply(drawing: Drawing, reply: Post, x: float, y: float, width: float) -> float:
    drawing.box(x, y, width, 34, "#eef4fa", round=4)
    drawing.box(x, y, 3, 34, ACCENT, round=1)
    drawing.write(x + 10, y + 14, reply.author, ACCENT, size=SMALL, is_bold=True)
    drawing.write(x + 10, y + 28, reply_words(reply), TEXT, size=SMALL)
    return y + 40


def reply_words(reply: Post) -> str:
    return first_words(reply.text.split("\n")[0], 52)


def draw_lines(drawing: Drawing, lines: Sequence[Line], x: float, y: float, width: float) -> float:
    quoted = [number for number, line in enumerate(lines) if line.is_quoted]
    if quoted:
        top, height = y + quoted[0] * STEP, len(quoted) * STEP + 4
        drawing.box(x, top, width, height, "#edf4fb", round=4)
        drawing.box(x, top, 3, height, ACCENT, round=1)
        drawing.write(x + width - 16, top + height - 6, "⌄", ACCENT, size=14)
    for number, line in enumerate(lines):
        drawing.write(x + 12 * line.is_quoted, y + number * STEP + SIZE + 1, line, TEXT, size=SIZE)
    return y + len(lines) * STEP


def buttons_width(post: Post) -> float:
    """Return how wide a bubble must be so that its buttons show their labels."""
    return max((len(row) * (width_of(max(row, key=len), 13) + 16) for row in post.buttons), default=0)


def draw_buttons(drawing: Drawing, post: Post, x: float, y: float, width: float) -> float:
    for row in post.buttons:
        each = (width - 3 * (len(row) - 1)) / len(row)
        for number, label in enumerate(row):
            left = x + number * (each + 3)
            drawing.box(left, y, each, 30, BUTTON, round=7)
            drawing.write(left + each / 2, y + 20, label, "#ffffff", size=13, anchor="middle")
        y += 33
    return y


def draw_toast(drawing: Drawing, toast: str, y: float) -> None:
    width = width_of(toast, SIZE) + 44
    drawing.box((WIDTH - width) / 2, y + 2, width, 36, TOAST, round=8)
    drawing.write(WIDTH / 2, y + 25, toast, "#ffffff", size=SIZE, anchor="middle")
