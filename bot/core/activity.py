"""What somebody is doing, in a few words: by the tools that are called, and nothing else."""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.core.phrases import first_words, role_display_name
from bot.core.texts import Text, people

OBJECT_ARGUMENTS = {  # by tool: which of its arguments says with what it is done
    "read_file": "path",
    "list_dir": "path",
    "write_file": "path",
    "edit_file": "path",
    "glob": "pattern",
    "grep": "pattern",
    "web_search": "query",
    "web_fetch": "url",
    "delegate": "role",
}
TOOL_NOT_SHOWN = "ask_person"  # the person who is asked sees it
LONGEST_OBJECT = 80  # characters of what it is done with


def describe_activity(calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Say what these calls do, by their tools' names and arguments: "reading a.md, b.md; searching the web: trains"."""
    does: dict[Text, list[str]] = {}
    for name, arguments in calls:
        key = OBJECT_ARGUMENTS.get(name, "")
        given = first_words(str(arguments.get(key) or ""), LONGEST_OBJECT)
        if given:
            does.setdefault(people.ACTIVITIES[name], []).append(role_display_name(given) if key == "role" else given)
        elif name != TOOL_NOT_SHOWN:
            does.setdefault(people.ACTIVITIES["other"], []).append(name)
    return "; ".join(text(things=", ".join(dict.fromkeys(each))) for text, each in does.items())
