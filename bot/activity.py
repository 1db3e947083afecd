"""What somebody is doing, in a few words: by the tools that are called, and nothing else."""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.phrases import first_words, shown

DOES = {  # by tool: what it does, and which of its arguments says with what
    "read_file": ("reading", "path"),
    "list_dir": ("looking into", "path"),
    "write_file": ("writing", "path"),
    "edit_file": ("changing", "path"),
    "glob": ("looking for files", "pattern"),
    "grep": ("looking in files for", "pattern"),
    "web_search": ("searching the web:", "query"),
    "web_fetch": ("reading", "url"),
    "delegate": ("delegating to", "role"),
    "ask_person": ("", ""),  # whoever is asked sees it
}
USING = "using"  # of any other tool
LONGEST = 80  # characters of what it is done with


def activity_of(calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Say what these calls do, by their tools' names and arguments: "reading a.md, b.md; searching the web: trains"."""
    does: dict[str, list[str]] = {}
    for name, arguments in calls:
        verb, key = DOES.get(name, (USING, ""))
        given = first_words(str(arguments.get(key) or ""), LONGEST)
        if verb and given:
            does.setdefault(verb, []).append(shown(given) if key == "role" else given)
        elif verb:
            does.setdefault(USING, []).append(name)
    return "; ".join(f"{verb} {', '.join(dict.fromkeys(each))}" for verb, each in does.items())
