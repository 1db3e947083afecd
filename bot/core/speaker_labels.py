"""Labels say who speaks: `[Researcher]: …`. Only channels add them, and no text may seem to have one."""

# ruff: noqa: RUF001  # the letters below are ambiguous: that is the point

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator

from bot.core.texts import model

AD_HOC_ROLE_PREFIX = "ad hoc: "  # the beginning of the name of an undefined role
OPENING_BRACKETS, CLOSING_BRACKETS = r"\[［【〔〖⟦", r"\]］】〕〗⟧"  # brackets and their look-alikes
# Three steps find a label, and each passes over a line once. One pattern would backtrack for hours on many brackets.
OPENING_BRACKETS_PATTERN = re.compile(rf"(?<!\w)[{OPENING_BRACKETS}]++")
CLOSING_BRACKETS_PATTERN = re.compile(rf"[{CLOSING_BRACKETS}]++")
LABEL_COLON_PATTERN = re.compile(r"[^\w\n]{0,20}?[:：﹕︓∶꞉ː]")
MAX_LABEL_CHARACTERS = 80  # between the brackets

# Names that people take for the owner's or the bot's. Each platform declares the names that people take for its own.
REFUSED_NAMES = (
    "admin administrator anthropic claude moderator official operator owner retinue staff support system verified"
)
# Letters of other scripts, mapped to the Latin letters that they look like.
LATIN_BY_LOOKALIKE = str.maketrans(
    "аеорсухікмнтвгјѕһԁԛԝьαβεζηικμνορτυχωӏ0135", "aeopcyxikmhtbrjshdqwbabeznikuvoptuxwlolss"
)
SCRIPT_FAMILIES = dict.fromkeys(("HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"), "CJK")  # they are written together


def replace_brackets_of_false_labels(text: str) -> str:
    """Return the text with round brackets round everything that looks like a label."""
    if "&" not in text and not CLOSING_BRACKETS_PATTERN.search(text):
        return text
    return "\n".join(map(replace_false_label_brackets_in_line, text.split("\n")))


def replace_false_label_brackets_in_line(line: str) -> str:
    plain = html.unescape(line) if "&" in line else line  # Markdown decodes character references too
    done, at = list[str](), 0
    for begin, inner, end in find_label_lookalikes(plain):
        if any(sign.isalpha() for sign in inner):  # otherwise it is a number or a check box
            done += [plain[at:begin], f"({re.sub(f'[{OPENING_BRACKETS}]', '', inner)})"]
            at = end
    return "".join([*done, plain[at:]]) if done else line


def find_label_lookalikes(line: str) -> Iterator[tuple[int, str, int]]:
    """Yield the start of each look-alike of a label, the text in its brackets, and the end of its brackets."""
    at = 0
    for closed in CLOSING_BRACKETS_PATTERN.finditer(line):
        first = closed.start() - MAX_LABEL_CHARACTERS
        if LABEL_COLON_PATTERN.match(line, closed.end()):
            before = OPENING_BRACKETS_PATTERN.finditer(line, at, closed.start())
            if opened := next((each for each in before if each.end() >= first), None):
                yield opened.start(), line[opened.end() : closed.start()], closed.end()
        at = closed.end()


def without_own_label(text: str, role: str) -> str:
    """Return the text without its role's label if the model typed it, in any case and any number of times."""
    names = "|".join(map(re.escape, sorted({role, without_ad_hoc_prefix(role)}, key=len, reverse=True)))
    return re.sub(rf"\A(\s*\[({names})\]\s*:)+\s*", "", text, count=1, flags=re.IGNORECASE)


def without_labels(text: str, role: str) -> str:
    """Return a role's text without anything that looks like a label."""
    return replace_brackets_of_false_labels(without_own_label(text, role))


def is_ad_hoc(role: str) -> bool:
    """Return True for the name of a role that nobody has defined: a model has made it up."""
    return role.casefold().startswith(AD_HOC_ROLE_PREFIX)


def without_ad_hoc_prefix(role: str) -> str:
    return role[len(AD_HOC_ROLE_PREFIX) :] if is_ad_hoc(role) else role


def find_role_name_flaw(name: str, roles: frozenset[str], official_names: Iterable[str]) -> str:
    """Return why nobody may give a role that name; empty if the name is fine. `roles` are the defined ones."""
    if unicodedata.normalize("NFKC", name) != name:
        return model.NAME_NOT_PLAIN
    scripts = {unicodedata.name(sign, "UNKNOWN").partition(" ")[0] for sign in name if sign.isalpha()}
    if len({SCRIPT_FAMILIES.get(script, script) for script in scripts}) > 1:
        return model.NAME_IN_TWO_SCRIPTS
    taken = {lookalike_key(role) for role in roles}
    if lookalike_key(name) in taken:
        return model.NAME_LIKE_A_ROLE
    refused = {lookalike_key(word) for word in (*REFUSED_NAMES.split(), *official_names)}
    if any(lookalike_key(word) in refused for word in re.split(r"[ -]+", name)):
        return model.NAME_LIKE_SOMEBODY
    return ""


def lookalike_key(name: str) -> str:
    return unicodedata.normalize("NFKD", name).casefold().translate(LATIN_BY_LOOKALIKE)
