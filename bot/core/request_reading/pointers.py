"""What in a text leads somewhere: addresses of the web and of mail, accounts, telephone numbers, names to call."""

import re
import unicodedata

from bot.core.invisible_characters import strip_invisible
from bot.core.request_reading.values import ADDRESS_ENDINGS, plain_address

DOTS = str.maketrans("\u3002\uff0e\uff61", "...")  # browsers take them for dots
# Each part is bounded, so that a long text takes a time that grows only with its length.
POINTER_PATTERN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]{0,30}://\S+|\b(?:mailto|tel|sms|tg|data|geo|facetime|skype|magnet|xmpp|matrix|signal|whatsapp|callto|irc):\S+)"
    r"|(?P<mail>[\w.+%'-]{1,64}+@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|(?P<mention><[@#][!&]?\d+>|(?<![\w.])@\w{2,})"
    r"|(?P<wallet>\b(?:0x[0-9a-f]{40}|bc1[a-z0-9]{25,60}|[13][1-9a-km-z]{25,34})\b)"
    r"|(?P<account>\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?\b)"
    r"|(?P<phone>(?:\+|\b00)\d[\d ()/.-]{5,30}\d|(?<![\w.,/-])\(?0[1-9]\d{1,4}\)?[ /-]?\d{3,20}(?:[ -]?\d{2,9}){0,6}"
    r"|(?<![\w.,/-])(?:1[ -])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3,4}[ .-]\d{4}(?![\w-]))"
    r"|(?P<number>\b\d{1,3}(?:\.\d{1,3}){3}\b\S*|\[[0-9a-f:]*:[0-9a-f:.]+\]\S*)"
    r"|(?P<host>(?<![\w@])(?<![\w-][.-])(?:[\w-]{1,63}\.)+(?P<ending>xn--[a-z0-9-]+|[^\W\d_]{2,63})\b(?:[:/?#]\S*)?)",
    re.IGNORECASE,
)
PATH_PATTERN = re.compile(r"[^\W\d_](?::\d+)?/[^\s/]*(?![\w.-]*\.\w)")  # no path of a file: “bank.sbs/login”
CODE_PATTERN = re.compile(  # of a card, a passport, a booking; in groups of digits, too
    r"(?<![\w-])(?:(?=(?:[\w-]*\d){5})[\w-]{7,}|\d{1,4}(?:[ ./-]\d{3,6}){2,6})(?![\w-])"
)
DATE_PATTERN = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
SIGNS_BEHIND = ".,;:!?…)]}>'\"”“»`*_~|"


def list_pointers(text: str) -> list[str]:
    """Return what in the text leads somewhere, in order, without the schemes of web addresses."""
    plain = unicodedata.normalize("NFKC", strip_invisible(text)).translate(DOTS)
    leading = (each for each in POINTER_PATTERN.finditer(plain) if leads(each))
    pointers = (each["mention"] or plain_address(each[0]).rstrip(SIGNS_BEHIND) for each in leading)
    return [pointer for pointer in dict.fromkeys(map(str.lower, pointers)) if pointer]


def list_codes(text: str) -> list[str]:
    """Return the long numbers in a text. A date is none."""
    return [each for each in CODE_PATTERN.findall(text) if not DATE_PATTERN.fullmatch(each)]


def is_web_address(pointer: str) -> bool:
    return "@" not in pointer and "." in pointer and any(map(str.isalpha, pointer))


def leads(found: re.Match[str]) -> bool:
    """Return True if apps make a link of it. With “www.” each host is one; other hosts need an ending that exists:
    each of two letters does, so “notes.md” is one too."""
    host, ending = found["host"], found["ending"]
    if not host:
        return True
    if host.lower().startswith("www.") or ending.lower().startswith("xn--"):
        return True
    if len(ending) == 2:
        return ending.islower() or ending.isupper()
    return ending.lower() in ADDRESS_ENDINGS.split() or not ending.isascii() or bool(PATH_PATTERN.search(host))
