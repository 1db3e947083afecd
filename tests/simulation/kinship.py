"""What must hold of people who link accounts, remember and are forgotten: after each commit, in each request to the
model, and at rest. Every word of theirs is another one.

- Nobody's words reach a chat of somebody who was never linked with them.
- From the commit that forgets a person on, no row has a word of theirs that was taken in before, and no request and no
  message to people has one either. At rest no index and no file has one.
- A search finds what the accounts of its person have saved, and nothing else.
- An index has no word that none of its texts has.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.texts import people_accounts as texts
from bot.store.connection import Connection
from tests.rig.clubs import is_club
from tests.rig.traces import INDEXES, find_in_files, rows_of_tables, terms_of_index

if TYPE_CHECKING:
    from tests.simulation.run import Simulation

GAP = "a conversation has a gap"  # one of the invariants
WORD = re.compile(r"zq\d+q")
CODE = re.compile(r"/link ([A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4})")
LINKS = "SELECT channel || ':' || account, person FROM linked_accounts"
FORGOTTEN = "SELECT key FROM outbox WHERE kind = 'notice' AND text = ?"
SAVED = """SELECT chat, text FROM memories WHERE text LIKE 'zebra-%'"""
SEARCHES = """SELECT turns.address, turns.person, calls.result FROM calls JOIN turns ON turns.id = calls.turn
    WHERE calls.name = 'memory_search' AND calls.state = 'done' AND NOT calls.is_error ORDER BY turns.rowid"""


@dataclass(frozen=True)
class Said:
    address: str
    account: str
    message: str  # its key


@dataclass
class Kinship:
    run: Simulation
    is_quiet: Callable[[], bool]
    busy: int = 0  # chats in which people still do something
    words: dict[str, Said] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)  # words
    codes: list[tuple[str, str]] = field(default_factory=list)  # the address where a code was shown, and the code
    links: dict[str, str] = field(default_factory=dict)  # account → first account, after the last commit
    kept: set[str] = field(default_factory=set)  # keys of messages, after the last commit
    told: set[str] = field(default_factory=set)  # keys of notices that somebody is forgotten
    ever_linked: dict[str, set[str]] = field(default_factory=dict)

    # What people do

    def new_word(self, address: str, who: str, update: int) -> str:
        word = f"zq{len(self.words) + 1}q"
        self.words[word] = Said(address, f"{address.split(':')[0]}:{who}", f"{address}:{update}")
        return word

    def codes_shown_elsewhere(self, address: str) -> list[str]:
        return [code for shown_at, code in self.codes if shown_at != address]

    # What the bot does

    def after_commit(self, db: Connection) -> None:
        before, links = self.links, dict(db.execute(LINKS).fetchall())
        for account in links:
            same = {other for other in links if links[other] == links[account]}
            self.ever_linked.setdefault(account, set()).update(same)
        for (key,) in db.execute(FORGOTTEN, (texts.FORGOTTEN(),)).fetchall():
            if key not in self.told:
                self.told.add(key)
                self.forget(db, key, before)
        self.links = links
        self.kept = {key for (key,) in db.execute("SELECT key FROM inbox")}

    def forget(self, db: Connection, notice: str, links: dict[str, str]) -> None:
        """Note whose words are forgotten by this commit, and that no row has them."""
        channel, chat = notice.split(":")[:2]
        who = {said.account for said in self.words.values() if said.address == f"{channel}:{chat}"}
        persons = {links.get(account, account) for account in who}
        words = {
            word
            for word, said in self.words.items()
            if links.get(said.account, said.account) in persons and said.message in self.kept
        }
        self.run.figures["kin: forgotten words"] += len(words - self.forgotten)
        self.forgotten |= words
        for table, row in rows_of_tables(db):
            # A row of a file says where it lies until it is removed, which is done after the commit.
            left = set() if table in (*SHADOWS, "incoming_files") else self.forgotten & set(WORD.findall(row))
            if left:
                self.run.add_fault(f"{table} still has {sorted(left)}: {row}")

    def excuses(self, fault: str) -> bool:
        """Return True if this fault is none once somebody is forgotten: a conversation with others keeps what those
        wrote, and is not continued."""
        return bool(self.told) and GAP in fault

    def see_request(self, asked: dict[str, Any]) -> None:
        """A request has no forgotten word, and none of somebody who has nothing to do with its chat."""
        address = asked["chapter"].partition("#")[0]
        found = set(WORD.findall(str(asked["messages"])))
        for word in sorted(found & self.forgotten):
            self.run.add_fault(f"{word} is forgotten, and the model reads it in {asked['chapter']}")
        for word in sorted(found):
            if not self.may_be_known(word, address):
                self.run.add_fault(f"{word}, {self.words[word]}, is read in {asked['chapter']}")

    def may_be_known(self, word: str, address: str) -> bool:
        said = self.words[word]
        if said.address == address:
            return True
        if is_club(address) or is_club(said.address):
            return False
        there = {each.account for each in self.words.values() if each.address == address}
        return any(said.account in {account, *self.ever_linked.get(account, ())} for account in there)

    def see_message(self, asked: dict[str, Any]) -> None:
        """A message that the bot wants to be shown has no forgotten word."""
        for word in sorted(set(WORD.findall(asked["text"])) & self.forgotten):
            self.run.add_fault(f"{word} is forgotten, and said in {asked['key']}")
        if (found := CODE.search(" ".join(asked["text"].split()))) and asked["do"] == "send":
            self.codes.append((asked["address"], found[1]))

    # At rest

    def at_rest(self, data: Path, workspace: Path) -> Iterator[str]:
        """Yield what is wrong once the last bot has ended."""
        with closing(sqlite3.connect(data / "bot.db")) as db:
            for table, row in rows_of_tables(db):
                if left := self.forgotten & set(WORD.findall(row)):
                    yield f"{table} has {sorted(left)} at rest: {row}"
            yield from self.of_indexes(db)
            yield from self.searches(db)
        for word in sorted(self.forgotten):
            for folder in (data, workspace):
                yield from find_in_files(folder, word)
        self.run.figures["kin: words"] += len(self.words)
        self.run.figures["kin: linked"] += len(self.ever_linked)
        self.run.figures["kin: people forgotten"] += len(self.told)

    def of_indexes(self, db: sqlite3.Connection) -> Iterator[str]:
        for index, table in INDEXES.items():
            texts_there = " ".join(text for (text,) in db.execute(f"SELECT text FROM {table}"))
            for term in terms_of_index(db, index):
                word = WORD.search(term)
                if word and word[0] not in texts_there:
                    yield f"{index} has {term}, and no text of it has"

    def searches(self, db: sqlite3.Connection) -> Iterator[str]:
        """The last search of each chat finds the memories of its person, or of the group chat."""
        saved: dict[str, set[str]] = {}
        for chat, text in db.execute(SAVED):
            saved.setdefault(chat, set()).update(WORD.findall(text))
        newest = {address: (person, result) for address, person, result in db.execute(SEARCHES)}
        for address, (person, result) in newest.items():
            account = f"{address.split(':')[0]}:{person}"
            first = self.links.get(account, account)
            own = {account, *(other for other, of in self.links.items() if of == first)}
            scopes = [address] if is_club(address) else [address, *(f"@{each}" for each in own)]
            wanted = set().union(*(saved.get(scope, set()) for scope in scopes))
            found = set(WORD.findall(result))
            self.run.figures["kin: memories found"] += len(found)
            self.run.figures["kin: memories of other accounts found"] += sum(
                self.words[word].account != account for word in found
            )
            if found != wanted:
                yield f"{account} at {address} finds {sorted(found)}, not {sorted(wanted)}"


SHADOWS = [f"{index}{part}" for index in INDEXES for part in ("_data", "_idx", "_content", "_docsize", "_config")]
