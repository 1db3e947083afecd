"""Summaries: one line of an answer that returns to where its request was written, if the answer stands elsewhere.

A turn that answers while roles still work for the request says only what it knows by then. So the line comes when the
request is over: with the turn that answers the last report.
"""

import re
from collections.abc import Iterator

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import MessageId, OutboundId, OutboundKind, OutboundMessage
from bot.core.texts import people
from bot.core.turn import Turn, TurnId, delegation_of_report
from bot.journal import boards
from bot.journal.bus import Urgency, post
from bot.journal.withheld_links import withhold_unseen_links
from bot.store import inbox, outbox, turns
from bot.store.connection import Connection
from bot.store.inbox import ClosedMessages

MAX_SUMMARY_CHARACTERS = 200  # of the answer's line
FENCE_PATTERN = re.compile(r"(`{3,}|~{3,})")
WHOLE_LINE_MARKS = ("**", "__", "~~", "*", "_", "`")
RULE_PATTERN = re.compile(r"[-=*_ ]*")  # also the line below a heading


def post_summaries_of_requests_over(
    db: Connection, turn: Turn, text: str, closed: ClosedMessages, terms: DecisionTerms
) -> None:
    """Post the summaries that the end of a root turn makes due: of its own request, and of those whose last reports it
    has answered. `text` is its reply."""
    wanting = {turn.id: closed.wants_summary}
    for delegation in filter(None, map(delegation_of_report, closed.ids)):
        request = request_above(delegation)
        wanting.setdefault(request, inbox.find_message_wanting_summary(db, request))
    for root, asked in wanting.items():
        if asked:
            post_summary_if_over(db, root, text, asked, terms)


def post_summary_of_unanswered_reports(db: Connection, delegation: TurnId, terms: DecisionTerms) -> None:
    """Post the summary of the own reply of the root turn above a delegation if nothing more will be said about the
    request by itself."""
    root = request_above(delegation)
    if asked := inbox.find_message_wanting_summary(db, root):
        post_summary_if_over(db, root, turns.get_turn(db, root).report, asked, terms)


def post_summary_if_over(db: Connection, root: TurnId, text: str, asked: MessageId, terms: DecisionTerms) -> None:
    """Post the first line of a reply, with what roles took for it, in reply to the message that asked for it. Do it
    once, when the request is over."""
    turn = turns.get_turn(db, root)
    text = withhold_unseen_links(db, turn, text, terms)
    words = next(lines_of_prose(text), "") or next(filter(None, map(strip_marks, text.splitlines())), "")
    if not (words and outbox.is_request_over(db, root)):
        return
    words = words if len(words) <= MAX_SUMMARY_CHARACTERS else words[: MAX_SUMMARY_CHARACTERS - 1] + "…"
    if lines := boards.board_lines_of_root(db, root):
        words = people.SUMMARY_WITH_ROLES(summary=words, roles=phrases.closed_board_text(lines, cost=turn.spent.cost))
    summary = OutboundMessage(
        id=OutboundId(f"{root}:summary"),
        address=turn.address,
        kind=OutboundKind.NOTICE,
        is_summary=True,
        text=words,
        is_quiet=True,
        reply_to=asked,
    )
    post(db, summary, terms.now, urgency=Urgency.ANSWER)


def request_above(delegation: TurnId) -> TurnId:
    """Return the root turn of the request that a delegation works for, also if its money is counted apart."""
    return TurnId(delegation.partition("/")[0])


def lines_of_prose(text: str) -> Iterator[str]:
    """Yield the lines of a text without code, tables and rules, and without the marks around them."""
    fence = ""
    for line in text.splitlines():
        line = line.strip()
        mark = FENCE_PATTERN.match(line)
        if fence:
            fence = "" if mark and line == mark[1] and line.startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif not (line.startswith("|") or RULE_PATTERN.fullmatch(line)) and (words := strip_marks(line)):
            yield words


def strip_marks(line: str) -> str:
    """Return a line without the marks of a heading or a quote, and without marks around the whole line."""
    line = line.strip().lstrip("#> ")
    for mark in WHOLE_LINE_MARKS:
        inner = line.removeprefix(mark).removesuffix(mark)
        if line == f"{mark}{inner}{mark}" and mark not in inner:
            return inner.strip()
    return line
