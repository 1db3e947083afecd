"""Draw a channel as Discord shows it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tests.teamwork.chat import Post, first_words
from tests.teamwork.drawing import LINE_HEIGHT, Drawing, width_of, wrap_post

WIDTH, MARGIN, GAP = 760, 16, 12
LEFT = 70  # where names and texts begin
ROOM = WIDTH - LEFT - 24
SIZE, SMALL = 14.0, 11.5
STEP = SIZE * LINE_HEIGHT
BACKGROUND, HEAD, TEXT, QUIET = "#313338", "#2b2d31", "#dbdee1", "#949ba4"
BADGE, BUTTON, ONLY_MINE, QUOTE = "#5865f2", "#4e5058", "#383a52", "#4e5058"
COLOURS = {"Ann": "#c2566f", "Bob": "#4f8a5b", "Retinue": "#5865f2"}


def draw(posts: Sequence[Post | None], title: str, channel: str) -> str:
    """Return the picture. None among the posts: some are left out."""
    drawing = Drawing(WIDTH, BACKGROUND)
    drawing.box(0, 0, WIDTH, 42, HEAD, round=10)
    drawing.write(MARGIN, 27, f"# {channel}", TEXT, size=15, is_bold=True)
    y = 58.0
    for post in posts:
        y = draw_post(drawing, post, y) + GAP if post else draw_gap(drawing, y)
    return drawing.svg(y + 2, title)


def draw_gap(drawing: Drawing, y: float) -> float:
    """Show that messages are left out."""
    drawing.write(WIDTH / 2, y + 12, "· · ·", QUIET, size=18, anchor="middle")
    return y + 30


def draw_post(drawing: Drawing, post: Post, y: float) -> float:
    """Draw a message with what belongs to it. Return where it ends."""
    lines = wrap_post(post, SIZE, ROOM)
    if post.command:
        height = 22 + (len(lines) + 2) * STEP + 8
        drawing.box(6, y - 6, WIDTH - 12, height, ONLY_MINE, round=4)
        y = draw_above(drawing, f"you used {post.command}", "", y)
    elif post.reply_to:
        y = draw_above(drawing, post.reply_to.author, first_words(post.reply_to.text.split("\n")[0], 60), y)
    drawing.portrait(MARGIN, y, 40, post.picture, post.author, COLOURS.get(post.author, QUIET))
    at = draw_head(drawing, post, y)
    for line in lines:
        if line.is_quoted:
            drawing.box(LEFT, at, 4, STEP, QUOTE, round=2)
        drawing.write(LEFT + 14 * line.is_quoted, at + SIZE + 1, line, TEXT, size=SIZE)
        at += STEP
    if post.command:
        drawing.write(LEFT, at + SIZE + 1, "Only you can see this", QUIET, size=SMALL)
        at += STEP
    at = draw_buttons(drawing, post, at + 4)
    if post.reactions:
        drawing.box(LEFT, at + 2, 52, 24, "#3c3f58", round=8)
        drawing.write(LEFT + 10, at + 19, f"{''.join(post.reactions)} 1", TEXT, size=13)
        at += 28
    return at


def draw_above(drawing: Drawing, name: str, words: str, y: float) -> float:
    """Draw the small line above a message: what it replies to."""
    drawing.line(f"M{MARGIN + 20} {y + 18:.1f} v-6 q0 -5 5 -5 h{LEFT - MARGIN - 30}", QUOTE)
    drawing.write(LEFT, y + 11, name, QUIET, size=SMALL, is_bold=True)
    drawing.write(LEFT + width_of(name, SMALL, is_bold=True) + 8, y + 11, words, QUIET, size=SMALL)
    return y + 22


def draw_head(drawing: Drawing, post: Post, y: float) -> float:
    drawing.write(LEFT, y + 12, post.author, "#f2f3f5", size=SIZE, is_bold=True)
    at = LEFT + width_of(post.author, SIZE, is_bold=True) + 8
    if not post.is_person:
        drawing.box(at, y, 34, 16, BADGE, round=4)
        drawing.write(at + 17, y + 12, "APP", "#ffffff", size=10, anchor="middle")
        at += 42
    time = datetime.fromtimestamp(post.at, UTC).strftime("%H:%M") + "  (edited)" * (post.is_edited and not post.command)
    drawing.write(at, y + 12, time, QUIET, size=SMALL)
    return y + 19


def draw_buttons(drawing: Drawing, post: Post, y: float) -> float:
    for row in post.buttons:
        x = float(LEFT)
        for label in row:
            width = width_of(label, 13) + 28
            drawing.box(x, y, width, 30, BUTTON, round=4)
            drawing.write(x + width / 2, y + 20, label, "#ffffff", size=13, anchor="middle")
            x += width + 8
        y += 36
    return y
