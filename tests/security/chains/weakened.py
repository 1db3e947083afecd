"""Rules of flow, each weakened as a change of the source: chains played on such a copy of the bot must find a hole.

`way` is a part of the text of the chains among which the hole is looked for: the carrier that the rule is about."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.simulation.mutation import Mutation

ROOT = Path(__file__).parents[3]
BOT = "bot"


@dataclass(frozen=True, kw_only=True)
class Weakening(Mutation):
    way: str


def weakening(name: str, path: str, old: str, new: str, way: str) -> Weakening:
    return Weakening(name=name, path=f"bot/{path}", old=old, new=new, way=way)


def without(name: str, path: str, line: str, way: str) -> Weakening:
    """Return a weakening that deletes a line, or replaces it where its block would be empty."""
    indent = line[: len(line) - len(line.lstrip())]
    return weakening(name, path, f"{line}\n", f"{indent}pass\n", way)


CARRIED_DOWN = "    provenance.carry_sources(db, parent, turn)"
CARRIED_UP = "        provenance.carry_sources(db, turn, turns.get_turn(db, turn.parent_id))"
OF_SCHEDULE = "            provenance.add_turn_sources_to_session(db, turn, schedule.sources)"
NEW_CHAPTER = (
    "def begin_chapter("
    'db: Connection, turn: Turn, prefix: PromptPrefix, content: list[Block], terms: DecisionTerms) -> None:\n    """'
)
IS_NO_NEW_ROLE = "    if child.session is None:\n        sessions.add_sub_session"
FORGET_SOURCES = "db.execute(\"UPDATE sessions SET sources = '[]' WHERE id = ?\", ({session},))\n"
IS_WRITTEN = "f\"kind IN ('text', 'command') AND origin = '{InboundOrigin.PERSON}'\"\n"
IS_NO_SCHEDULE = "    f\" AND key NOT GLOB '{SCHEDULE_MESSAGE_ID_PREFIX}*'\""
IS_JUDGED = "    if not acting or not terms.settings.approvals.enabled"
WHOSE_GRANT = "key.removeprefix(begin).partition(GROUP_SEPARATOR), key) for key in granted if key.startswith(begin)]"
ANYBODYS_GRANT = 'key.partition(" ")[2].partition(GROUP_SEPARATOR), key) for key in granted]'
WEAKENED = (
    # What brings words of others in
    weakening(
        "files are nobody's words",
        "tools/files.py",
        "{Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}",
        "{Effect.READS_PRIVATE}",
        ": file →",
    ),
    weakening(
        "pages of the server are nobody's words",
        "engine/reply_planner.py",
        "frozenset({str(Source.WEB)} if content_blocks.has_server_tool_blocks(content) else ())",
        "frozenset()",
        ": page that the server reads",
    ),
    weakening(
        "results of tools are nobody's words",
        "tools/__init__.py",
        "if Effect.READS_UNTRUSTED in self.effects:",
        "if False:",
        ": mail",
    ),
    weakening(
        "descriptions of undeclared tools are nobody's words",
        "mcp_client/declarations.py",
        "description_source=None if listed.name in server.tools else Source.SERVERS",
        "description_source=None",
        ": description of a tool",
    ),
    weakening(
        "skills are nobody's words",
        "tools/skills.py",
        "is_trusted = all(skill.is_trusted for skill in skills)",
        "is_trusted = True",
        ": skill",
    ),
    weakening(
        "quotes are nobody's words",
        "core/sources.py",
        "is_quoting = message.quotes or message.attachments or has_foreign_words(message)",
        "is_quoting = has_foreign_words(message)",
        ": quote",
    ),
    weakening(
        "pasted lines are the person's words",
        "core/sources.py",
        "message.attachments or has_foreign_words(message)",
        "message.attachments",
        ": pasted lines",
    ),
    weakening(
        "members of a chat are nobody",
        "core/sources.py",
        "if message.group_chat else set()",
        "if message.group_chat and not message.text else set()",
        ": member of the chat",
    ),
    # Down, up and sideways
    without("a brief carries nothing down", "journal/call_rows.py", CARRIED_DOWN, "→ brief →"),
    without("a report carries nothing up", "journal/endings.py", CARRIED_UP, "file that a role reads → report"),
    weakening(
        "nothing passes between groups",
        "journal/provenance.py",
        "        carried = without_private_sources(carried)",
        "        carried = NO_SOURCES",
        "another group's file → report",
    ),
    without(
        "a report that is handed on carries nothing",
        "journal/call_rows.py",
        "        provenance.carry_sources(db, turns.get_turn(db, id), turn)",
        "report, handed on",
    ),
    without(
        "a report of a stopped role carries nothing",
        "journal/call_rows.py",
        "        provenance.carry_sources(db, delegation, turn)",
        "report of a stopped role",
    ),
    weakening(
        "a report that is looked up is nobody's word",
        "delegation/delegation_oversight.py",
        "FROM_OTHERS = frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})",
        "FROM_OTHERS = frozenset()",
        "report, looked up",
    ),
    weakening(
        "what an agent tells a role is the person's word",
        "store/written_words.py",
        "AND origin = '{InboundOrigin.PERSON}'",
        "",
        "words to a role at work",
    ),
    weakening(
        "what a schedule does is the person's word",
        "store/written_words.py",
        IS_WRITTEN + IS_NO_SCHEDULE,
        "\"kind IN ('text', 'command')\"",
        "schedule",
    ),
    weakening(
        "a picked option is the person's word",
        "store/written_words.py",
        'AND answer NOT IN (SELECT value FROM json_each(options))"',
        '"',
        "option of a question",
    ),
    # Stored
    weakening(
        "memories need nobody's yes",
        "store/memories.py",
        "is_confirmed=not sources",
        "is_confirmed=True",
        "memory (read in a new conversation",
    ),
    weakening(
        "memories are nobody's words",
        "journal/provenance.py",
        "if not memories.list_unconfirmed_memories(db, scopes):",
        "if True:",
        "memory (read in a new conversation",
    ),
    weakening(
        "memories of other people are the person's own, when searched",
        "journal/provenance.py",
        "sources_of_savers(db, turn, memories.list_savers(db, scopes), terms)",
        "NO_SOURCES",
        "memory of a member, searched",
    ),
    weakening(
        "memories of other people are the person's own, in the beginning",
        "journal/memory.py",
        "private | others | KNOWN_SOURCES",
        "private | KNOWN_SOURCES",
        "memory that a member",
    ),
    weakening(
        "what was said before is nobody's word",
        "journal/provenance.py",
        "sources = sources - {Source.CONVERSATIONS} | earlier",
        "sources = sources - {Source.CONVERSATIONS}",
        "what was said",
    ),
    without(
        "a schedule forgets what it was made of",
        "journal/openings.py",
        OF_SCHEDULE,
        "schedule (read in a new conversation",
    ),
    weakening(
        "a schedule is made of nothing",
        "journal/schedules.py",
        "sources=sessions.load_session_sources(db, turn.session)",
        "sources=frozenset()",
        "schedule (read in a new conversation",
    ),
    weakening(
        "a summary forgets what was read",
        "journal/chapters.py",
        NEW_CHAPTER,
        NEW_CHAPTER.removesuffix('"""') + FORGET_SOURCES.format(session="turn.session") + '    """',
        "summary",
    ),
    weakening(
        "a role's conversation forgets what it has read",
        "journal/call_rows.py",
        IS_NO_NEW_ROLE,
        "    if child.session:\n        " + FORGET_SOURCES.format(session="child.session") + IS_NO_NEW_ROLE,
        "conversation of a role (read in a new",
    ),
    # Errors
    weakening(
        "errors repeat names that models have made up",
        "delegation/delegation_oversight.py",
        "return texts.NAME_MADE_UP if is_ad_hoc(role) else role",
        "return role",
        "name of a role",
    ),
    weakening(
        "errors of editing name other files",
        "tools/files.py",
        "explain_path_errors(self.workspace, path, may_name_others=False)",
        "explain_path_errors(self.workspace, path)",
        "in an error →",
    ),
    weakening(
        "errors of sending name other files",
        "tools/send_file.py",
        "explain_path_errors(workspace, path, may_name_others=False)",
        "explain_path_errors(workspace, path)",
        "in an error of sending",
    ),
    # Private things
    weakening(
        "private files are not private",
        "tools/__init__.py",
        "if Effect.READS_PRIVATE in self.effects:",
        "if False:",
        "private things were read: page → leak by an address",
    ),
    # What somebody has agreed to
    weakening(
        "a yes counts in other conversations",
        "store/known_values.py",
        "WHERE session IN (SELECT value FROM json_each(?))",
        "WHERE ? != ''",
        "somebody has agreed in another conversation",
    ),
    weakening(
        "a yes counts in other groups",
        "store/known_values.py",
        "if place == group for",
        "for",
        "name that somebody has agreed to",
    ),
    weakening(
        "a yes to one target counts for all",
        "core/gate.py",
        "return target is not None and grant_of(act, target) in known.grants",
        "return any(tool == act.tool for tool, _ in known.grants)",
        "elsewhere than somebody has agreed",
    ),
    weakening(
        "a yes to one person counts for all",
        "store/known_values.py",
        WHOSE_GRANT,
        ANYBODYS_GRANT,
        "somebody else has agreed",
    ),
    weakening(
        "what was made here counts in other groups",
        "store/held_calls.py",
        "(SELECT group_name FROM turns WHERE id = calls.turn) = ?",
        "? IS NOT NULL",
        "name that was made here",
    ),
    # The judge
    weakening(
        "delegations are not judged",
        "journal/holds.py",
        f"{IS_JUDGED}:",
        f"{IS_JUDGED} or not turn.is_root:",
        "brief →",
    ),
    weakening(
        "runs of schedules are not judged",
        "journal/holds.py",
        f"{IS_JUDGED}:",
        f"{IS_JUDGED} or turn.schedule:",
        "schedule",
    ),
    weakening(
        "links are left in",
        "journal/withheld_links.py",
        "    return flags.untrusted and (flags.private or flags.knows_memories)",
        "    return False",
        "leak by a link",
    ),
)


def find_with(weakened: Weakening) -> subprocess.CompletedProcess[str]:
    """Look for a hole on a copy of the bot with this weakening."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / BOT, copy / BOT)  # with what is compiled: only one module is compiled again
        weakened.apply(copy)
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.security.chains", "find", weakened.way],
            cwd=copy,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}"},
            check=False,
        )
