"""What `retinue sessions` does: it looks into the rows beside a running bot or without one, and deletes through it."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from bot import phrases
from bot.blocks import filled, kept_in
from bot.cli import one_line, ordering, records
from bot.cli.sessions import history, naming, reading, texts
from bot.config.paths import DEMO
from bot.errors import ConfigError
from bot.journal import forgetting
from bot.store import archive, media
from bot.store.archive import Passage, Record
from bot.store.connection import Connection
from bot.store.review import look
from bot.texts import operators
from bot.turn import SessionId, TurnId
from channels.terminal.channel import visible

R = TypeVar("R")
EVERY = -1  # as SQLite counts


def folder(data: Path, *, is_demo: bool) -> tuple[Path, bool]:
    """Where the rows are, and whether they are those of the demo."""
    demo = data / DEMO
    try:
        is_demo |= (demo / "bot.db").exists() and not (data / "bot.db").exists()
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename, reason=error.strerror)) from None
    return (demo, True) if is_demo else (data, False)


def looked(data: Path, work: Callable[[Connection], R]) -> R:
    found = look(data / "bot.db", work, None)
    if found is not None:
        return found
    if (data / "bot.db").exists():
        raise ConfigError(texts.OLD_ROWS(path=data / "bot.db"))
    raise click.ClickException(one_line(texts.NO_ROWS(folder=data)))


def listed(data: Path, limit: int) -> list[str]:
    def lines(db: Connection) -> list[str]:
        overviews = archive.overviews(db, limit or EVERY)
        return list(history.listed(overviews, archive.count(db))) or [texts.NO_CONVERSATIONS(folder=data)]

    return list(map(one_line, looked(data, lines)))


def shown(data: Path, part: str, *, is_whole: bool) -> list[str]:
    def lines(db: Connection) -> list[str]:
        if is_turn(part):
            top = archive.record(db, TurnId(naming.meant(part, archive.names_of_turns(db), "turn")))
            session = archive.session_of(db, top.turn.id)
            told = [texts.PART_OF(conversation=session), "", *history.tree(top)]
            passages = archive.passages(db, top.turn.session)
            if top.turn.is_root:  # the conversation is not its alone
                passages = [each for each in passages if each.turn == top.turn.id]
        else:
            session = session_of(db, part)
            passages, tops = archive.passages(db, session), archive.records(db, session)
            told = list(history.of_session(session, archive.opened_at(db, session), tops))
        return [*map(one_line, told), *(told_lines(passages) if is_whole else [])]

    return looked(data, lines)


def told_lines(passages: Sequence[Passage]) -> Iterator[str]:
    for paragraph in reading.transcript(passages):
        yield ""
        yield visible(paragraph)


def is_turn(part: str) -> bool:
    """Whether this looks like a turn's id: t7/2/0."""
    return part[:1] == "t" and part[1:2].isdecimal()


def session_of(db: Connection, part: str) -> SessionId:
    return SessionId(naming.meant(part, archive.names(db), "conversation"))


def as_markdown(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        session = session_of(db, part)
        tops = archive.records(db, session)
        facts = list(history.of_session(session, archive.opened_at(db, session), tops))
        parts = [texts.TITLE(conversation=session), reading.fenced("\n".join(facts))]
        for id, title in {session: texts.TRANSCRIPT, **titles(tops)}.items():
            parts += [f"## {title}", *reading.transcript(archive.passages(db, id))]
        return "\n\n".join(parts)

    return visible(looked(data, text)).encode(errors="replace").decode()


def titles(tops: Sequence[Record]) -> dict[SessionId, str]:
    """The sub-sessions, each with a heading; a delegation may go on in one of an earlier one."""
    below = [each.turn for top in tops for each in top.tree[1:]]
    return {
        turn.session: texts.TRANSCRIPT_OF(role=phrases.shown(turn.role), conversation=turn.session) for turn in below
    }


def as_json(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        session = session_of(db, part)
        tops = archive.records(db, session)
        transcripts = {str(id): with_media(db, archive.passages(db, id)) for id in (session, *titles(tops))}
        return json.dumps(records.of_session(session, archive.opened_at(db, session), tops, transcripts), indent=2)

    return looked(data, text)


def with_media(db: Connection, passages: Sequence[Passage]) -> list[Passage]:
    """The same with the images and PDFs, which have a table of their own, in their places."""
    calls = [block["source"]["call"] for passage in passages for block in kept_in(passage.entry.content)]
    encoded = media.encoded(db, calls)
    entries = [replace(passage.entry, content=filled(passage.entry.content, encoded)) for passage in passages]
    return [replace(passage, entry=entry) for passage, entry in zip(passages, entries, strict=True)]


def found(data: Path, part: str) -> tuple[SessionId, str]:
    """The conversation that is meant, and a line about it."""

    def line(db: Connection) -> tuple[SessionId, str]:
        if is_turn(part):
            raise click.ClickException(one_line(texts.IS_A_TURN(part=part)))
        session = session_of(db, part)
        facts = history.of_session(session, archive.opened_at(db, session), archive.records(db, session))
        return session, one_line(next(facts))

    return looked(data, line)


def deleted(data: Path, session: SessionId) -> tuple[str, bool]:
    """Deletes it; gives what was done, or why not, and whether it was."""

    def here(db: Connection) -> str:
        return forgetting.session(db, session, ordering.terms(), is_running=False)

    said = ordering.done(data, "delete", here, session=session)
    return one_line(said), said.startswith(forgetting.DELETED)
