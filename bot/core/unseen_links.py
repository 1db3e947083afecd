"""Find the links in a text that nobody has shown to the bot: a model made them up, and they may carry private words.

A link is seen if one of the texts that the bot has read has the same link. A link that only begins like a seen one is
unseen, and so is the beginning of a seen one: what is added or left out may say something.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from bot.core.invisible_characters import strip_invisible
from bot.core.texts import people

WORD_PATTERN = re.compile(r"[^\s<>\"“”„«»「」\x00-\x1f]+")  # no platform takes more for one link
SCHEME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://|\b(?:mailto|tg|data|tel|sms):", re.IGNORECASE)
BRACKET_PATTERN = re.compile(r"[()\[\]{}]")
CLOSING_BY_OPENING = {"(": ")", "[": "]", "{": "}"}
# A host without a scheme, which Telegram makes a link of; behind “/”, “#” and “@” it makes none.
BARE_LINK_PATTERN = re.compile(
    r"(?<![^\W_])(?<![^\W_]-)(?<![./#@])(?P<host>(?:\d{1,3}\.){3}\d{1,3}(?=[:/?#])"
    r"|[^\W_][\w-]{0,62}(?:\.[\w-]{1,63}){0,126}\.(?:[^\W\d_]{2,63}|xn--[\w-]{1,59})(?![\w-]))"
    r"(?P<rest>(?::\d+)?(?:[/?#]\S*)?)",
    re.IGNORECASE,
)
FORMATTING_PATTERN = re.compile(r"[*_~`]|\|\|")  # it is not shown, so that what stands round it becomes one word
MIN_BARE_DOTS = 2  # of a host with nothing behind it: with a single dot it is more likely the name of a file
SURROUNDING_MARKS = ".,;:!?…'`*_~|"  # they stand round a link or end its sentence
HTTP_SCHEMES = ("http", "https")


def iterate_links(text: str) -> Iterator[str]:
    """Yield what platforms show as a link, or may show as one, also if hidden characters or formatting cut it."""
    decoded = decode(text)
    written = list(iterate_written_links(decoded))
    yield from written
    plain = without_formatting(decoded)
    if plain != decoded:
        known = set(map(without_formatting, written))
        yield from (link for link in iterate_written_links(plain) if link not in known)


def iterate_written_links(text: str) -> Iterator[str]:
    for word in WORD_PATTERN.findall(text):
        if "." not in word and ":" not in word:
            continue  # most words: a scheme has a colon, and a host without one has a dot
        at, besides = 0, list[str]()
        while scheme := SCHEME_PATTERN.search(word, at):
            besides.append(word[at : scheme.start()])
            at = find_link_end(word, scheme.end())
            if link := word[scheme.end() : at].rstrip(SURROUNDING_MARKS):
                yield scheme[0] + link
        for part in BRACKET_PATTERN.split(" ".join([*besides, word[at:]])):
            for bare in BARE_LINK_PATTERN.finditer(part):
                link = bare[0].rstrip(SURROUNDING_MARKS)
                if link != bare["host"] or link.count(".") >= MIN_BARE_DOTS:
                    yield link


def decode(text: str) -> str:
    """Return the text without characters that show nothing, without signs of HTML and without backslashes."""
    return strip_invisible(html.unescape(strip_invisible(text)).replace("\\", ""))


def without_formatting(text: str) -> str:
    return FORMATTING_PATTERN.sub("", text)


def holds_link(text: str) -> bool:
    return next(iterate_links(text), None) is not None


def find_link_end(word: str, begin: int) -> int:
    """Return where a link ends: at a bracket that nothing in it has opened, or with the word."""
    open_ones: list[str] = []
    for found in BRACKET_PATTERN.finditer(word, begin):
        if found[0] in CLOSING_BY_OPENING:
            open_ones.append(CLOSING_BY_OPENING[found[0]])
        elif not open_ones or open_ones.pop() != found[0]:
            return found.start()
    return len(word)


def normalize_link(link: str) -> str:
    """Return the link with its host in lower case. With and without a scheme it is the same, and so are both schemes of
    the web."""
    try:
        parts = urlsplit(link if SCHEME_PATTERN.match(link) else f"https://{link}")
    except ValueError:
        return link
    if parts.scheme not in HTTP_SCHEMES:
        return link
    return parts._replace(scheme="https", netloc=parts.netloc.casefold(), path=parts.path or "/").geturl()


def leave_out_links(text: str, are_left_out: Callable[[str], bool]) -> str:
    """Return the text with a note in place of each link whose normal form is to be left out."""
    links = {link for link in iterate_links(text) if are_left_out(normalize_link(link))}
    text = replace_links(text, links)
    for read in (decode, without_formatting):  # as some of them are written
        if any(link in read(text) for link in links):
            text = replace_links(read(text), links)
    return text


def replace_links(text: str, links: Iterable[str]) -> str:
    for link in sorted(links, key=len, reverse=True):
        text = text.replace(link, people.LINK_LEFT_OUT(site=site_of_link(link)))
    return text


def blank_links(text: str, mark: str) -> str:
    """Return a text that is shown as it is, with any formatting in it, with `mark` in place of each link."""
    for link in sorted(set(iterate_written_links(text)), key=len, reverse=True):
        text = text.replace(link, mark)
    return text


def site_of_link(link: str) -> str:
    """Return the site as the note may show it: apps make a link of that, too, so nothing in front of a domain is in it,
    where a model may have put private words."""
    try:
        host = urlsplit(link if SCHEME_PATTERN.match(link) else f"https://{link}").hostname or "?"
    except ValueError:
        return "?"
    return host if host.replace(".", "").isdigit() else ".".join(host.split(".")[-2:])
