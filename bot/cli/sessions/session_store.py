"""The work of `retinue sessions`: read the rows, whether or not a bot runs, and delete through the running bot."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

import click

from bot.cli import json_records, order_client
from bot.cli.options import format_local_minute
from bot.cli.sessions import texts, transcript_markdown
from bot.core import phrases
from bot.core.content_blocks import fill_media, media_references_in
from bot.core.errors import ConfigError
from bot.core.phrases import role_display_name
from bot.core.prices import format_dollars
from bot.core.printable import escape_unprintable
from bot.core.turn import SessionId, TurnId
from bot.journal import deletion
from bot.store import session_records, transcript
from bot.store.chat_reader import read_database
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer
from bot.store.session_records import LocatedEntry, SessionOverview, TurnRecord
from channels.terminal.channel import strip_control_characters

R = TypeVar("R")
NO_LIMIT = -1  # SQLite reads a negative LIMIT as none
MAX_SHOWN = 5  # of the ids that match a part

Matcher = Callable[[str, str], bool]

MATCHERS: Sequence[Matcher] = (  # the first matcher that fits any id decides
    lambda id, part: id == part,
    lambda id, part: id.endswith(tuple(sign + part for sign in ":#/")),  # a whole piece: 3 means terminal:local#3
    lambda id, part: id.startswith(part),
    lambda id, part: part in id,
)


def look_into_rows(data: Path, work: Callable[[Connection], R]) -> R:
    found = read_database(data / "bot.db", work, None)
    if found is not None:
        return found
    if (data / "bot.db").exists():
        raise ConfigError(texts.OLD_ROWS(path=data / "bot.db"))
    raise click.ClickException(escape_unprintable(texts.NO_ROWS(folder=data)))


def list_sessions(data: Path, limit: int) -> list[str]:
    overviews, count = look_into_rows(
        data,
        lambda db: (
            session_records.list_session_overviews(db, limit or NO_LIMIT),
            session_records.count_conversations(db),
        ),
    )
    lines = list(format_overviews(overviews, count)) or [texts.NO_CONVERSATIONS(folder=data)]
    return list(map(escape_unprintable, lines))


def show_session(data: Path, part: str, *, is_whole: bool) -> list[str]:
    def lines(db: Connection) -> list[str]:
        if is_turn_id(part):
            top = session_records.load_turn_record(
                db, TurnId(resolve_id(part, session_records.list_turn_ids(db), "turn"))
            )
            session = session_records.session_of_turn(db, top.turn.id)
            told = [texts.PART_OF(conversation=session), "", *format_turn_tree(top)]
            passages = session_records.load_located_entries(db, top.turn.session)
            if top.turn.is_root:  # other turns share its conversation
                passages = [each for each in passages if each.turn == top.turn.id]
        else:
            session = resolve_session(db, part)
            passages, tops = (
                session_records.load_located_entries(db, session),
                session_records.load_turn_records(db, session),
            )
            told = list(format_session(session, session_records.session_opened_at(db, session), tops))
        return [*map(escape_unprintable, told), *(transcript_lines(passages) if is_whole else [])]

    return look_into_rows(data, lines)


def transcript_lines(passages: Sequence[LocatedEntry]) -> Iterator[str]:
    for paragraph in transcript_markdown.transcript_paragraphs(passages):
        yield ""
        yield strip_control_characters(paragraph)


def is_turn_id(part: str) -> bool:
    """Return True if this looks like a turn's id, such as t7/2/0."""
    return part[:1] == "t" and part[1:2].isdecimal()


def resolve_session(db: Connection, part: str) -> SessionId:
    return SessionId(resolve_id(part, session_records.list_session_ids(db), "conversation"))


def session_as_markdown(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        session = resolve_session(db, part)
        tops = session_records.load_turn_records(db, session)
        facts = list(format_session(session, session_records.session_opened_at(db, session), tops))
        parts = [texts.TITLE(conversation=session), transcript_markdown.fence_code("\n".join(facts))]
        for id, title in {session: texts.TRANSCRIPT, **sub_session_titles(tops)}.items():
            parts += [
                f"## {title}",
                *transcript_markdown.transcript_paragraphs(session_records.load_located_entries(db, id)),
            ]
        return "\n\n".join(parts)

    return strip_control_characters(look_into_rows(data, text)).encode(errors="replace").decode()


def sub_session_titles(tops: Sequence[TurnRecord]) -> dict[SessionId, str]:
    """Return a heading for each sub-session, by id. Several delegations may share one sub-session."""
    below = [each.turn for top in tops for each in top.tree[1:]]
    return {
        turn.session: texts.TRANSCRIPT_OF(role=phrases.role_display_name(turn.role), conversation=turn.session)
        for turn in below
    }


def export_session_json(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        session = resolve_session(db, part)
        tops = session_records.load_turn_records(db, session)
        transcripts = {
            str(id): fill_in_media(db, session_records.load_located_entries(db, id))
            for id in (session, *sub_session_titles(tops))
        }
        return json.dumps(
            json_records.session_as_json(session, session_records.session_opened_at(db, session), tops, transcripts),
            indent=2,
        )

    return look_into_rows(data, text)


def fill_in_media(db: Connection, passages: Sequence[LocatedEntry]) -> list[LocatedEntry]:
    """Return the entries with their images and PDFs filled in. These are stored in a table of their own."""
    calls = [block["source"]["call"] for passage in passages for block in media_references_in(passage.entry.content)]
    encoded = transcript.media_as_base64(db, calls)
    entries = [replace(passage.entry, content=fill_media(passage.entry.content, encoded)) for passage in passages]
    return [replace(passage, entry=entry) for passage, entry in zip(passages, entries, strict=True)]


def describe_session(data: Path, part: str) -> tuple[SessionId, str]:
    """Return the conversation that matches the part, and a line about it. Raise click's error if the part is a turn."""

    def line(db: Connection) -> tuple[SessionId, str]:
        if is_turn_id(part):
            raise click.ClickException(escape_unprintable(texts.IS_A_TURN(part=part)))
        session = resolve_session(db, part)
        facts = format_session(
            session, session_records.session_opened_at(db, session), session_records.load_turn_records(db, session)
        )
        return session, escape_unprintable(next(facts))

    return look_into_rows(data, line)


def delete_session(data: Path, session: SessionId) -> OrderAnswer:
    """Delete a conversation."""
    return order_client.carry_out_order(
        data,
        "delete",
        lambda db: deletion.delete_conversation(db, session, order_client.default_terms(), is_running=False),
        session=session,
    )


def resolve_id(part: str, ids: Sequence[str], what: str) -> str:
    """Return the one id that matches a part.

    Raise click's error (exit status 1) if several ids match, and name them, or if none matches, and name the nearest.
    Raise click's UsageError if the part is blank. `what` says what the ids stand for: “conversation” or “turn”.
    """
    if not part.strip():
        raise click.UsageError(texts.NAME_ONE[what])
    found = next((some for fits in MATCHERS if (some := [id for id in ids if fits(id, part)])), [])
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join([*found[:MAX_SHOWN], *(["…"] if len(found) > MAX_SHOWN else [])])
        raise click.ClickException(escape_unprintable(texts.MAY_BE_ANY_OF(part=part, ids=shown)))
    near = hint_at_nearest_id(part, ids)
    said = texts.NO_SUCH_BUT[what](part=part, nearest=near) if near else texts.NO_SUCH[what](part=part)
    raise click.ClickException(escape_unprintable(said))


def hint_at_nearest_id(part: str, ids: Sequence[str]) -> str:
    """Return the id with the piece most similar to the part, or "" if there are no ids."""
    if not ids:
        return ""
    pieces = {id: [id, *(id.rpartition(sign)[2] for sign in ":#/" if sign in id)] for id in ids}
    known = {piece: id for id in reversed(ids) for piece in pieces[id]}  # of two with the same piece, the newer wins
    near = get_close_matches(part, known, 1, cutoff=0.0)
    return known[near[0]] if near else ""


def format_overviews(overviews: Sequence[SessionOverview], count: int) -> Iterator[str]:
    """Yield a line for each overview. `count` is the number of all conversations: say how many of them are left out."""
    width = max((len(each.id) for each in overviews), default=0)
    for each in overviews:
        done = ", ".join(
            [
                *([texts.OF_GROUP(group=each.group)] if each.group else []),
                texts.TURNS(each.turns),
                *([texts.DELEGATIONS(each.delegations)] if each.delegations else []),
                format_dollars(each.cost),
                *([texts.AT_WORK] if each.is_open else []),
            ]
        )
        yield texts.CONVERSATION_LINE(
            id=each.id.ljust(width), time=format_local_minute(each.last_at), facts=done, gist=each.gist
        )
    if count > len(overviews):
        yield texts.OLDER_LEFT_OUT(count - len(overviews))


def format_session(id: SessionId, opened_at: datetime, records: Sequence[TurnRecord]) -> Iterator[str]:
    """Yield the facts of a conversation, then the tree of its turns and their delegations."""
    below = sum(len(record.tree) - 1 for record in records)
    tokens = sum(record.tree_usage.new_tokens for record in records)
    cost = sum(record.tree_cost for record in records)
    parts = [texts.TURNS(len(records)), texts.DELEGATIONS(below), texts.NEW_TOKENS(tokens), format_dollars(cost)]
    yield texts.CONVERSATION(id=id, time=format_local_minute(opened_at), facts=", ".join(parts))
    for record in records:
        yield ""
        yield from format_turn_tree(record)


def format_turn_tree(record: TurnRecord, indent: str = "") -> Iterator[str]:
    """Yield a line for a turn, and below it, indented, a line for each delegation.

    A line is like `t7/2/0  Researcher: completed, 38 s, $0.03: Find out …`. The cost includes all turns below.
    """
    turn = record.turn
    role = role_display_name(turn.role)
    facts = [texts.STATE_AND_REASON(state=record.state, reason=turn.reason) if turn.reason else record.state]
    if record.seconds is not None:
        facts.append(texts.SECONDS(seconds=record.seconds))
    facts.append(format_dollars(record.tree_cost))
    name = texts.IN_BACKGROUND(role=role) if turn.background else role
    yield indent + texts.TURN(id=turn.id, role=name, facts=", ".join(facts), task=record.task)
    for each in record.below:
        yield from format_turn_tree(each, f"{indent}  ")
