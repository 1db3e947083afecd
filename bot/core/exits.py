"""The exits: what becomes of a text before anybody outside reads it.

`clean_outgoing` is the one function for all that is said or sent: texts, options, captions, names of files and roles,
boards and drafts. It takes out the tenant's own secrets and invisible characters, and no text keeps what looks like the
label of a role. `bot/journal/bus.py` calls it for each message, and `bot/engine/drafts.py` for each draft.

It searches no content of files; `bot/tools/outgoing_folder.py` looks there for the exact bytes of a secret. It does not
judge links: `bot/core/unseen_links.py` finds those that a model made up.
"""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bot.core.command_choices import CommandChoice
from bot.core.invisible_characters import strip_invisible
from bot.core.messages import BoardLine, Draft, OutboundMessage, RoleName
from bot.core.secret_search import NO_SECRETS, SecretIndex
from bot.core.speaker_labels import replace_brackets_of_false_labels, without_labels

SECRET_MARK = "█████"  # in place of a secret; it needs no translation, and its length tells nothing
KEPT_BACK_TEXT = "…"  # of a draft that is nothing but the beginning of a secret so far
NOTHING_REMOVED: frozenset[str] = frozenset()


def tell_nobody(place: str, names: frozenset[str]) -> None:
    """Do nothing: nobody wants to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitRules:
    secrets: SecretIndex = NO_SECRETS
    # Called with the id of a message, and the settings whose secrets were kept back from it
    on_secrets_kept_back: Callable[[str, frozenset[str]], None] = tell_nobody


class CleanText(NamedTuple):
    text: str
    removed: frozenset[str]  # the settings whose secrets the text has held


def clean_outgoing(text: str, rules: ExitRules, *, role: str | None = None, is_growing: bool = False) -> CleanText:
    """Return a text as people may read it. `role` is who says it, if it is a message of a role. If the text
    `is_growing`, its end is left out as long as it may be the beginning of a secret."""
    shown, removed = remove_secrets(strip_invisible(text), rules.secrets, is_growing=is_growing)
    return CleanText(without_labels(shown, role) if role else replace_brackets_of_false_labels(shown), removed)


def remove_secrets(text: str, secrets: SecretIndex, *, is_growing: bool = False, mark: str = SECRET_MARK) -> CleanText:
    """Return the text with `mark` in place of each secret, and of each piece of one."""
    done, at, removed = list[str](), 0, set[str]()
    for found in secrets.find(text):
        if found.is_unfinished:
            if is_growing:
                return CleanText("".join([*done, text[at : found.begin]]), frozenset(removed))
            continue
        done += [text[at : found.begin], mark]
        at = found.end
        removed.add(found.name)
    return CleanText("".join([*done, text[at:]]), frozenset(removed)) if removed else CleanText(text, NOTHING_REMOVED)


def remove_secrets_from_json(value: Any, secrets: SecretIndex) -> Any:
    """Return a value that is to be JSON with a mark in place of each secret in its texts."""
    match value:
        case str():
            return remove_secrets(value, secrets).text
        case list():
            return [remove_secrets_from_json(each, secrets) for each in value]
        case dict():
            return {name: remove_secrets_from_json(each, secrets) for name, each in value.items()}
    return value


class Cleaner:
    """Clean several texts, and note whose secrets they have held."""

    def __init__(self, rules: ExitRules) -> None:
        self.rules = rules
        self.removed: frozenset[str] = NOTHING_REMOVED

    def clean(self, text: str, *, role: str | None = None, is_growing: bool = False) -> str:
        cleaned = clean_outgoing(text, self.rules, role=role, is_growing=is_growing)
        self.removed |= cleaned.removed
        return cleaned.text

    def clean_role(self, role: RoleName) -> RoleName:
        return RoleName(self.clean(role))

    def clean_board_line(self, line: BoardLine) -> BoardLine:
        return replace(
            line, role=self.clean_role(line.role), task=self.clean(line.task), activity=self.clean(line.activity)
        )


def clean_message(message: OutboundMessage, rules: ExitRules) -> tuple[OutboundMessage, frozenset[str]]:
    """Return a message with everything cleaned that people read of it, and whose secrets it has held. A platform's name
    for who speaks, such as that of a webhook, is made of the role."""
    cleaner = Cleaner(rules)
    clean = cleaner.clean
    cleaned = replace(
        message,
        text=clean(message.text, role=message.role),
        role=message.role and cleaner.clean_role(message.role),
        options=tuple(map(clean, message.options)),
        board=tuple(map(cleaner.clean_board_line, message.board)),
        files=tuple(replace(file, name=clean(file.name), source=clean(file.source)) for file in message.files),
    )
    whole = "\n".join([cleaned.text, *cleaned.options, *(file.name for file in cleaned.files)])
    if removed := remove_secrets(whole, rules.secrets).removed:  # in pieces, some here and some there
        names = tuple(replace(file, name=SECRET_MARK) for file in cleaned.files)
        options = tuple(f"{SECRET_MARK} {number}" for number, _ in enumerate(cleaned.options, 1))
        cleaned = replace(cleaned, text=SECRET_MARK, options=options, files=names)
    return cleaned, cleaner.removed | removed


def clean_draft(draft: Draft, rules: ExitRules) -> Draft:
    """Return a draft with everything cleaned that people read of it. The message that it becomes is reported."""
    text = clean_outgoing(draft.text, rules, is_growing=True).text or (draft.text and KEPT_BACK_TEXT)
    return replace(draft, text=text, activity=draft.activity and clean_outgoing(draft.activity, rules).text)


def clean_choice(choice: CommandChoice, rules: ExitRules) -> CommandChoice:
    return replace(choice, text=clean_outgoing(choice.text, rules).text)


NO_RULES = ExitRules()
_current: ContextVar[ExitRules] = ContextVar("exit rules", default=NO_RULES)


def current_exit_rules() -> ExitRules:
    """Return the rules of the bot that runs in this task, or in whose transaction this is."""
    return _current.get()


def set_exit_rules(rules: ExitRules) -> None:
    """Clean by these rules from now on: in this task, and in the tasks and transactions that it begins."""
    _current.set(rules)
