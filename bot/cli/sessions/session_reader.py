"""The work of `retinue sessions`: read the rows directly, and delete through the bot if one runs."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, TypeVar

import click

from bot.cli import order_client
from bot.cli.json_records import transcript_entry_as_json, turn_as_json
from bot.cli.options import CommandError, format_local_minute
from bot.cli.sessions import texts, transcript_markdown
from bot.core.content_blocks import media_key, media_references_in, replace_media_references
from bot.core.errors import ConfigError
from bot.core.limits import DecisionTerms
from bot.core.messages import role_display_name
from bot.core.prices import format_micro_dollars
from bot.core.texts import escape_unprintable
from bot.core.turn import SessionId, TurnId
from bot.journal import deletion
from bot.store import session_records, transcript
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer
from bot.store.session_records import LocatedEntry, SessionOverview, TurnRecord
from channels.terminal.channel import make_terminal_safe

ReturnType = TypeVar("ReturnType")
SQL_NO_LIMIT = -1  # SQLite treats a negative LIMIT as no limit
MAX_SHOWN_IDS = 5  # ids shown if several match a part
ID_MATCHERS: Sequence[Callable[[str, str], bool]] = (  # the first matcher that matches any id decides
    lambda id, part: id == part,
    lambda id, part: id.endswith(tuple(sign + part for sign in ":#/")),  # a whole last piece: 3 means terminal:local#3
    lambda id, part: id.startswith(part),
    lambda id, part: part in id,
)


class Conversation(NamedTuple):
    id: SessionId
    opened_at: datetime
    root_turns: list[TurnRecord]  # in order

    def sub_session_titles(self) -> dict[SessionId, str]:
        """Return a heading for each sub-session, by id. Several delegations may share one sub-session."""
        below = {each.turn.session: each.turn.role for top in self.root_turns for each in top.records_of_tree[1:]}
        return {id: texts.TRANSCRIPT_OF(role=role_display_name(role), conversation=id) for id, role in below.items()}


def read_database_or_fail(data: Path, work: Callable[[Connection], ReturnType]) -> ReturnType:
    found = query_database_file(data / "bot.db", work, None)
    if found is not None:
        return found
    if (data / "bot.db").exists():
        raise ConfigError(texts.OLD_ROWS(path=data / "bot.db"))
    raise CommandError(texts.NO_ROWS(folder=data))


def load_conversation_by_id_part(db: Connection, part: str) -> Conversation:
    """Return the conversation whose id the part matches. Raise the same errors as `resolve_partial_id`."""
    id = SessionId(resolve_partial_id(part, session_records.list_conversation_ids(db), "conversation"))
    opened_at = session_records.load_session_place(db, id).opened_at
    return Conversation(id, opened_at, session_records.load_root_turn_records(db, id))


def session_list_lines(data: Path, limit: int) -> list[str]:
    def lines(db: Connection) -> list[str]:
        overviews = session_records.list_session_overviews(db, limit or SQL_NO_LIMIT)
        return list(format_session_overviews(overviews, len(session_records.list_conversation_ids(db))))

    found = read_database_or_fail(data, lines) or [texts.NO_CONVERSATIONS(folder=data)]
    return list(map(escape_unprintable, found))


def session_or_turn_lines(data: Path, part: str, *, is_whole: bool) -> list[str]:
    def lines(db: Connection) -> list[str]:
        if is_turn_id(part):
            id = TurnId(resolve_partial_id(part, session_records.list_turn_ids(db), "turn"))
            top = session_records.load_turn_record_tree(db, id)
            session = session_records.find_conversation_of_turn(db, id)
            told = [texts.PART_OF(conversation=session), "", *format_turn_tree(top)]
            passages = session_records.load_located_entries(db, top.turn.session)
            if top.turn.is_root:  # other turns share its conversation
                passages = [each for each in passages if each.turn == id]
        else:
            found = load_conversation_by_id_part(db, part)
            passages = session_records.load_located_entries(db, found.id)
            told = list(format_conversation_overview(found))
        paragraphs = transcript_markdown.transcript_paragraphs(passages) if is_whole else ()
        transcript = [line for each in paragraphs for line in ("", make_terminal_safe(each))]
        return [*map(escape_unprintable, told), *transcript]

    return read_database_or_fail(data, lines)


def is_turn_id(part: str) -> bool:
    """Return True if the part looks like a turn's id, such as t7/2/0."""
    return part[:1] == "t" and part[1:2].isdecimal()


def session_as_markdown(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        found = load_conversation_by_id_part(db, part)
        facts = transcript_markdown.fence_code("\n".join(format_conversation_overview(found)))
        parts = [texts.TITLE(conversation=found.id), facts]
        for id, title in {found.id: texts.TRANSCRIPT, **found.sub_session_titles()}.items():
            passages = session_records.load_located_entries(db, id)
            parts += [f"## {title}", *transcript_markdown.transcript_paragraphs(passages)]
        return "\n\n".join(parts)

    return make_terminal_safe(read_database_or_fail(data, text)).encode(errors="replace").decode()


def session_as_json_text(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        found = load_conversation_by_id_part(db, part)
        transcripts = {}
        for id in (found.id, *found.sub_session_titles()):
            passages = entries_with_media(db, session_records.load_located_entries(db, id))
            transcripts[id] = list(map(transcript_entry_as_json, passages))
        turns = [{**turn_as_json(record), "session": record.turn.session} for record in found.root_turns]
        facts = {"id": found.id, "opened_at": found.opened_at.isoformat()}
        return json.dumps({**facts, "turns": turns, "transcripts": transcripts}, indent=2)

    return read_database_or_fail(data, text)


def entries_with_media(db: Connection, passages: Sequence[LocatedEntry]) -> list[LocatedEntry]:
    """Return the entries with their images and PDFs, which are stored in a table of their own."""
    calls = [media_key(block) for passage in passages for block in media_references_in(passage.entry.content)]
    encoded = transcript.load_media_as_base64(db, calls)
    entries = [replace(each.entry, content=replace_media_references(each.entry.content, encoded)) for each in passages]
    return [replace(passage, entry=entry) for passage, entry in zip(passages, entries, strict=True)]


def find_and_describe_session(data: Path, part: str) -> tuple[SessionId, str]:
    """Return the conversation that matches the part, and a line about it. Raise CommandError for a turn's id."""
    if is_turn_id(part):
        raise CommandError(texts.IS_A_TURN(part=part))
    found = read_database_or_fail(data, lambda db: load_conversation_by_id_part(db, part))
    return found.id, escape_unprintable(next(format_conversation_overview(found)))


def send_or_run_delete_order(data: Path, session: SessionId) -> OrderAnswer:
    def delete(db: Connection, terms: DecisionTerms) -> OrderAnswer:
        return deletion.delete_conversation(db, session, terms, is_running=False)

    return order_client.send_or_run_order(data, "delete", delete, session=session)


def resolve_partial_id(part: str, ids: Sequence[str], what: str) -> str:
    """Return the one id that matches a part. Raise CommandError, which names the matching ids or the nearest one, if
    several or none match; click's UsageError if the part is blank. `what` are the ids: “conversation” or “turn”."""
    if not part.strip():
        raise click.UsageError(texts.NAME_ONE[what])
    found = next((some for fits in ID_MATCHERS if (some := [id for id in ids if fits(id, part)])), [])
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join([*found[:MAX_SHOWN_IDS], *(["…"] if len(found) > MAX_SHOWN_IDS else [])])
        raise CommandError(texts.MAY_BE_ANY_OF(part=part, ids=shown))
    near = find_nearest_id(part, ids)
    said = texts.NO_SUCH_BUT[what](part=part, nearest=near) if near else texts.NO_SUCH[what](part=part)
    raise CommandError(said)


def find_nearest_id(part: str, ids: Sequence[str]) -> str:
    """Return the id that has the piece most similar to the part, or "" if there are no ids."""
    pieces = {id: [id, *(id.rpartition(sign)[2] for sign in ":#/" if sign in id)] for id in ids}
    known = {piece: id for id in reversed(ids) for piece in pieces[id]}  # if two ids share a piece, the newer wins
    near = get_close_matches(part, known, 1, cutoff=0.0)
    return known[near[0]] if near else ""


def format_session_overviews(overviews: Sequence[SessionOverview], count: int) -> Iterator[str]:
    """Yield a line for each overview. If there are more conversations (`count` in all), yield a line that says so."""
    width = max((len(each.id) for each in overviews), default=0)
    for each in overviews:
        facts = [texts.OF_GROUP(group=each.group)] if each.group else []
        facts.append(texts.TURNS(each.root_turn_count))
        facts += [texts.DELEGATIONS(each.delegation_count)] if each.delegation_count else []
        facts.append(format_micro_dollars(each.cost))
        facts += [texts.AT_WORK] if each.is_open else []
        id, time = each.id.ljust(width), format_local_minute(each.newest_turn_at)
        yield texts.CONVERSATION_LINE(id=id, time=time, facts=", ".join(facts), gist=each.first_words)
    if count > len(overviews):
        yield texts.OLDER_LEFT_OUT(count - len(overviews))


def format_conversation_overview(found: Conversation) -> Iterator[str]:
    below = sum(len(record.records_of_tree) - 1 for record in found.root_turns)
    tokens = sum(record.tree_usage.tokens_without_cache_reads for record in found.root_turns)
    cost = format_micro_dollars(sum(record.tree_cost for record in found.root_turns))
    facts = ", ".join([texts.TURNS(len(found.root_turns)), texts.DELEGATIONS(below), texts.NEW_TOKENS(tokens), cost])
    yield texts.CONVERSATION(id=found.id, time=format_local_minute(found.opened_at), facts=facts)
    for record in found.root_turns:
        yield ""
        yield from format_turn_tree(record)


def format_turn_tree(record: TurnRecord, indent: str = "") -> Iterator[str]:
    """Yield a line for a turn, and below it, indented, a line for each delegation. A line is like `t7/2/0  Researcher:
    completed, 38 s, $0.03: Find out …`. The cost includes all turns below."""
    turn = record.turn
    role = role_display_name(turn.role)
    facts = [texts.STATE_AND_REASON(state=record.state, reason=turn.reason) if turn.reason else record.state]
    if record.duration_seconds is not None:
        facts.append(texts.SECONDS(seconds=record.duration_seconds))
    facts.append(format_micro_dollars(record.tree_cost))
    name = texts.IN_BACKGROUND(role=role) if turn.background else role
    yield indent + texts.TURN(id=turn.id, role=name, facts=", ".join(facts), task=record.task_excerpt)
    for each in record.delegations:
        yield from format_turn_tree(each, f"{indent}  ")
