"""Whether a value stands in a person's words."""

import random
import time
import unicodedata

import pytest

from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.request_reading.paths import is_path_named
from bot.core.request_reading.pointers import list_pointers
from bot.core.request_reading.values import is_said_by, numbers_in, plain_address, site_of, stands_in

ENGLISH = BUILT_IN_LEXICONS.choose("en")
GERMAN = BUILT_IN_LEXICONS.choose("de")
# Cyrillic letters that look like Latin ones
LOOKALIKES = dict(zip("aeopcxyi", "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456", strict=True))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("max@firma.de", "send it to Max@Firma.de."),
        ("Anna", "Anna's plan"),
        ("anna", "ask @anna"),
        ("@anna", "ask @anna"),
        ("general", "post it in #general, please"),
        ("x.com/a", "open (x.com/a)"),
        ("x.com", "post it on x.com.They know."),
        ("7", "delete number 7."),
        (7, "delete number 7."),
        (1200.5, "pay 1,200.50 dollars"),
        ("Straße 5", "my address is Straße  5"),
        ("ABC", "\uff21\uff22\uff23 is the code"),
    ],
)
def test_a_value_stands_in_the_words(value: object, words: str) -> None:
    assert stands_in(value, words)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x.com", "open x.com.org"),
        ("x.com", "open my.x.com"),
        ("x.com", "open x.com.Org"),
        ("x.com", "open x.com.De and read"),
        ("x.com", "open x.com/login"),
        ("x.com", "open x.com:8080"),
        ("x.com", "open x.com?u=1"),
        ("evil.de", "open x.com/?next=evil.de"),
        ("x.com", "mail me@x.com"),
        ("evil@x.de", "mail max+evil@x.de"),
        ("7", "pay 17.50"),
        ("7", "pay 7.50"),
        ("1", "pay 1,200"),
        ("8", "at 8:30"),
        ("Ann", "Anna"),
        ("Ann", "Mary-Ann"),
        ("\uff58.com", "open x.com"),
        ("strasse.de", "open straße.de"),
        ("pa\u017fs.de", "open pass.de"),
        ("caf\u0065", "caf\u0065\u0301"),
        ("", "anything"),
        ("...", "wait ..."),
        ("plan\u200b", "the plan"),
    ],
)
def test_a_part_or_a_look_alike_does_not(value: str, words: str) -> None:
    assert not stands_in(value, words)


def test_where_something_comes_from_it_does_not_go() -> None:
    assert not stands_in("Ann", "forward the mail from Ann", is_target=True)
    assert not stands_in("Ann", "forward the mail from “Ann”", is_target=True)
    assert stands_in("Ann", "forward the mail from Ann")
    assert stands_in("Ann", "reply to the mail from Ann", is_target=True)
    assert stands_in("Ann", "forward the mail from Ann to Ann", is_target=True)
    assert not stands_in("Ann", "forward the mail from my boss Ann", is_target=True)
    assert not stands_in("Ann", "Reply to Ben." + " Thank you." * 20 + " Forward the mail from Ann", is_target=True)
    assert stands_in("Ann", "take the plan of the house to Ann", is_target=True)


@pytest.mark.parametrize(
    "words",
    [
        "Summarise the mail from eve@x.example and get back to me by 5",
        "Summarise the mail from eve@x.example and send it to ann@x.example. I'm back at 5",
        "Reply to ann@x.example with what the mail from eve@x.example says",
        "Reply to ann@x.example with the mail from eve@x.example",
        "Read the mail from eve@x.example, answer in German",
        "Antworte ann@x.example, was in der Mail von eve@x.example steht",
        "Fass die Mail von eve@x.example zusammen, ich bin um 5 zurück",
        "Lies die Mail von eve@x.example, antworten werde ich selbst",
        "Warn ann@x.example about eve@x.example",
        "eve@x.example wrote to me. Send ann@x.example a summary",
        "Warn ann@x.example vor eve@x.example",
    ],
)
def test_an_answer_to_somebody_else_makes_no_target_of_a_source(words: str) -> None:
    assert not stands_in("eve@x.example", words, is_target=True)


@pytest.mark.parametrize(
    "words",
    [
        "Reply to the last mail from eve@x.example",
        "Refund the payment from eve@x.example",
        "Antworte auf die Mail von eve@x.example",
        "Kannst du die Mail von eve@x.example beantworten?",
    ],
)
def test_the_source_of_what_is_answered_is_a_target(words: str) -> None:
    assert stands_in("eve@x.example", words, is_target=True)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("pay 1,200.50 and 3", {1200.5, 3}),
        ("$40 or 40€ or two", {40, 2}),
        ("10 % of 50", {50}),
        ("5 percent", set()),
        ("DE89 3704-0044 and 2026-12-05 and a1", set()),
        ("at 8:30", set()),
        ("1.5 or 1,234,567", {1.5, 1234567}),
    ],
)
def test_numbers_in_words(words: str, numbers: set[float]) -> None:
    assert numbers_in(words, ENGLISH) == numbers


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("zahl 1.200,50 € und 1.200", {1200.5, 1200}),
        ("3,5 oder 12,00 oder 1'200.50", {3.5, 12, 1200.5}),
        ("fünf Prozent von 80, zwölf", {80, 12}),
        ("10 Prozent", set()),
    ],
)
def test_german_numbers_in_words(words: str, numbers: set[float]) -> None:
    assert numbers_in(words, GERMAN) == numbers


def test_a_german_source_is_no_target() -> None:
    assert not stands_in("Anna", "Leite die Mail von Anna weiter", is_target=True)
    assert stands_in("Anna", "Antworte auf die Mail von Anna", is_target=True)


def test_a_german_path_is_named() -> None:
    assert is_path_named("x/plan.txt", "Schick Anna die Datei plan", GERMAN)
    assert is_path_named("x/plan.txt", "Schick Anna die Plan-Datei", GERMAN)
    assert is_path_named("x/plan.txt", "Schick Anna die Datei namens „Plan“", GERMAN)
    assert not is_path_named("x/anna.txt", "Schick Anna die Datei", GERMAN)


def test_a_long_text_is_searched_quickly() -> None:
    begin = time.process_time()
    for text in ("a." * 20_000, "a" * 40_000, "00 " * 15_000, "a@" * 20_000, "+1" * 20_000, "'a " * 15_000):
        list_pointers(text)
        stands_in("a.a", text)
        numbers_in(text)
    assert time.process_time() - begin < 5


def test_a_site_is_the_host_that_an_address_leads_to() -> None:
    assert site_of("https://Good.com@evil.com/x") == "evil.com"
    assert site_of("good.com\\@evil.com") == "good.com"
    assert site_of("x.com?y#z") == "x.com"
    assert plain_address("see HTTPS://x.com") == "see x.com"


@pytest.mark.parametrize(
    ("text", "pointers"),
    [
        ("see https://x.com/a?b, ok", ["x.com/a?b"]),
        ("mail Max@Firma.de.", ["max@firma.de"]),
        ("to DE89 3704 0044 0532 0130 00 now", ["de89 3704 0044 0532 0130 00"]),
        ("call +49 171 2345678", ["+49 171 2345678"]),
        ("call 0171 2345678", ["0171 2345678"]),
        ("ask @helper_bot or <@123>", ["@helper_bot", "<@123>"]),
        ("evil.ru and EVIL.RU/x", ["evil.ru", "evil.ru/x"]),
        ("e\u200bvil.com and evil\u3002com", ["evil.com"]),
        ("www.anything.unknownending", ["www.anything.unknownending"]),
        ("mailto:a", ["mailto:a"]),
        ("pay 0x52908400098527886E0F7030069857D2E4169EE7", ["0x52908400098527886e0f7030069857d2e4169ee7"]),
        ("at 192.168.0.1/x", ["192.168.0.1/x"]),
        ("It costs 3.50, i.e. a lot. See plan.txt, v2.0, at 8.30 on 05/12/2026.", []),
        ("Done.Then we go.", []),
    ],
)
def test_pointers_in_a_text(text: str, pointers: list[str]) -> None:
    assert list_pointers(text) == pointers


def test_a_text_says_only_what_the_words_say() -> None:
    assert is_said_by("Hello Anna, the plan", "say hello to Anna about the plan")
    assert not is_said_by("Hello Anna, the secret", "say hello to Anna about the plan")
    assert not is_said_by("the pin is 831", "tell her the pin")
    assert not is_said_by("the pin is 8 31", "tell her the pin")
    assert is_said_by("you are number 12", "tell her which number")
    assert not is_said_by("the number is one two six nil", "tell her the number")
    assert not is_said_by("abc, xyz", "tell her the number")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("notes/plan.txt", "open notes/plan.txt"),
        ("./plan.txt", "open plan.txt"),
        ("notes/plan.txt", "send Anna plan.txt"),
        ("notes/plan.txt", "send Anna the plan file"),
        ("plan.md", "the file called “plan”"),
        ("shopping.txt", "add it to the shopping list"),
        ("Makefile", "look at the Makefile"),
        (".env", "read .env"),
    ],
)
def test_a_path_is_named(path: str, words: str) -> None:
    assert is_path_named(path, words, ENGLISH)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("old/plan.txt", "send notes/plan.txt"),
        (".git/hooks/plan.txt", "save it as plan.txt"),
        ("../plan.txt", "save it as plan.txt"),
        ("/etc/plan.txt", "save it as plan.txt"),
        ("a/../../plan.txt", "save it as plan.txt"),
        ("plan.txt.exe", "open plan.txt"),
        ("plan.sh", "open the plan file"),
        ("plan.txt", "what is the plan?"),
        ("anna.txt", "send Anna the file"),
        ("the.txt", "send the file"),
        ("please.txt", "please read the file"),
        ("myplan.txt", "read the plan file"),
        ("pl\u0430n.txt", "read plan.txt"),
        ("\uff50lan.txt", "read plan.txt"),
        ("plan.txt/x", "read plan.txt"),
        ("notes", "read plan.txt"),
    ],
)
def test_a_path_of_somebody_else_is_not(path: str, words: str) -> None:
    assert not is_path_named(path, words, ENGLISH)


def test_generated_values_from_elsewhere_never_stand_in_the_words() -> None:
    rng = random.Random(18)
    letters = "abcdefghiklmnoprstuvwxyz"

    def word() -> str:
        return "".join(rng.choices(letters, k=rng.randint(3, 8)))

    for _ in range(300):
        words = [word() for _ in range(rng.randint(3, 9))]
        own = rng.choice([f"{word()}@{word()}.de", f"{word()}.com", f"{word()}/{word()}.txt", word(), "DE" + "1" * 12])
        text = " ".join([*words[:2], own, *words[2:]])
        assert stands_in(own, text), text
        for other in variations(own, rng):
            if other.lower() not in text:
                assert not stands_in(other, text), (other, text)
                assert not is_path_named(other, text, ENGLISH), (other, text)
        for longer in (f"{own}{rng.choice(letters)}", f"{rng.choice(letters)}{own}", f"{own}.evil", f"evil.{own}"):
            assert not stands_in(own, text.replace(own, longer)), longer


def variations(value: str, rng: random.Random) -> list[str]:
    """Return values that look like one, or are nearly it."""
    at = rng.randrange(len(value))
    found = [value + rng.choice("abcx1"), rng.choice("abcx1") + value, value[:at] + "\u200b" + value[at:]]
    found += [value.replace(latin, other, 1) for latin, other in LOOKALIKES.items() if latin in value]
    found += [value[:at] + chr(ord(value[at]) + 0xFEE0) + value[at + 1 :], value + ".org", "x." + value, value[::-1]]
    return [each for each in found if unicodedata.normalize("NFC", each) != value]
