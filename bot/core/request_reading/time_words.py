"""What a person's words say about times: clock times, parts of the day, days, weekdays, durations and repetitions.

The words are read by one lexicon at a time, and what several understand is put together. “At 8” may be in the morning
or in the evening, unless the words say which.
"""

# ruff: noqa: RUF001  # an apostrophe and a dash of people

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Any

from bot.core.request_reading.lexicon import Lexicon

Clock = tuple[int, int]  # hour and minute
UNITS = ("minute", "hour", "day", "week", "month", "year")
MINUTES_OF_UNIT = {"minute": 1, "hour": 60}
DAYS_OF_UNIT = {"day": 1, "week": 7}
WEEKEND, WORKDAYS = frozenset({5, 6}), frozenset(range(5))
ALL_DAYS = frozenset(range(7))
YEAR_PATTERN = re.compile(r"(?<![\w.:/-])20\d\d(?![\w:/-])")
ISO_DATE_PATTERN = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")


@dataclass(slots=True)
class TimeFacts:
    """What words say about times. `clocks` are sure or possible times of the day; `parts` are hours from and to."""

    clocks: set[Clock] = field(default_factory=set)
    parts: set[tuple[int, int]] = field(default_factory=set)
    days: set[date] = field(default_factory=set)
    weekdays: set[int] = field(default_factory=set)
    days_of_month: set[int] = field(default_factory=set)
    months: set[int] = field(default_factory=set)
    ordinals: set[int] = field(default_factory=set)  # “the first Monday”; -1 is the last
    minutes: set[int] = field(default_factory=set)  # durations
    spans_of_days: set[int] = field(default_factory=set)  # durations of whole days
    spans_of_months: set[int] = field(default_factory=set)
    repeats: set[tuple[str, int]] = field(default_factory=set)  # a unit and how many of them
    repeated_days: set[int] = field(default_factory=set)  # weekdays of a repetition
    counts: set[int] = field(default_factory=set)  # “three times”

    def add(self, other: "TimeFacts") -> None:
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))


@lru_cache(maxsize=8)
def read_times(words: str, today: date, lexicons: tuple[Lexicon, ...]) -> TimeFacts:
    """Return what the words say. `today` is the day on the person's clock when they wrote."""
    facts = TimeFacts()
    plain = " ".join(unicodedata.normalize("NFKC", words).lower().split())
    for lexicon in lexicons:
        reader = words_of_time(lexicon)
        for text in dict.fromkeys((plain, with_usual_spelling(plain, lexicon.respellings))):
            facts.add(reader.read(text, today))
    return facts


def with_usual_spelling(text: str, respellings: Mapping[str, str]) -> str:
    for usual, other in respellings.items():
        text = text.replace(other, usual)
    return text


@cache
def words_of_time(lexicon: Lexicon) -> "WordsOfTime":
    return WordsOfTime(lexicon)


class WordsOfTime:
    """The patterns of one lexicon's table of time."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.table: Mapping[str, Any] = lexicon.time
        self.numbers = dict(lexicon.grammar.numbers) | dict.fromkeys(self.table["one"].split(), 1)
        self.weekdays = number_words(self.table["weekdays"])
        self.months = number_words(self.table["months"], first=1)
        self.number = rf"(?:\d{{1,3}}|{alternatives(self.numbers)})"
        self.unit = {word: unit for unit in UNITS for word in self.table[unit].split()}

    def read(self, text: str, today: date) -> TimeFacts:
        facts = TimeFacts()
        text = self.read_parts_of_several_words(self.read_dates(text, today, facts), facts)
        text = self.read_repetitions(text, facts)
        text = self.read_durations(text, facts)
        self.read_days(text, today, facts)
        self.read_clocks(text, facts)
        return facts

    def value_of(self, written: str) -> int:
        return int(written) if written.isdecimal() else self.numbers[written]

    def read_dates(self, text: str, today: date, facts: TimeFacts) -> str:
        """Note the dates, and return the text without them: their numbers are no clock times."""
        ordinal, table = self.table["ordinal_ending"], self.table
        month, year = alternatives(self.months), r"(?:,?\s+(\d{4}))?(?!\d)"
        day = rf"(?<!\d)(\d{{1,2}})(?:{ordinal})?"
        patterns: list[tuple[str, str]] = [(rf"{day}\s*(?:{table['of']}\s+)?({month})\b\.?{year}", "dmy")]
        patterns += [(rf"\b({month})\.?\s+{day}(?!\w|:\d){year}", "mdy")]
        patterns += [(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2})(?!\d))?(?![\d])", "dmy")]
        patterns += [
            (r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?(?![\d/])", "dmy" if table["day_first"] else "mdy")
        ]

        def note(found: re.Match[str], order: str) -> str:
            one, two, year = found[1], found[2], found[3]
            given_day, given_month = (one, two) if order == "dmy" else (two, one)
            month_number = self.months.get(given_month) or (int(given_month) if given_month.isdecimal() else 0)
            for each in [int(year)] if year else [None, *named_years]:  # “January 11th to January 15th 2025”
                self.note_date(facts, int(given_day), month_number, each, today)
            return " ; "

        named_years = sorted({int(each) for each in YEAR_PATTERN.findall(text)})
        for found in ISO_DATE_PATTERN.finditer(text):
            self.note_date(facts, int(found[3]), int(found[2]), int(found[1]), today)
        text = ISO_DATE_PATTERN.sub(" ; ", text)
        for pattern, order in patterns:  # the lambda keeps the order of its own round; mypy cannot infer its default
            text = re.sub(pattern, lambda found, order=order: note(found, order), text)  # type: ignore[misc]
        return text

    def read_parts_of_several_words(self, text: str, facts: TimeFacts) -> str:
        """Note parts such as “jeden Morgen”: their words alone mean something else. Return the text without them."""
        table = self.table
        for words in table["parts"]:
            pattern = rf"\b{words}\b"
            if " " in words and words not in table["day_words"] and re.search(pattern, text):
                facts.parts.add(tuple(table["parts"][words]))
                if meaning := table["adverbs_of_frequency"].get(words):
                    facts.repeats.add((meaning, 1))
                text = re.sub(pattern, " ; ", text)
        return text

    def note_date(self, facts: TimeFacts, day: int, month: int, year: int | None, today: date) -> None:
        if year is not None and year < 100:
            year += 2000
        for candidate in [year] if year else [today.year, today.year + 1]:
            try:
                found = date(candidate, month, day)
            except ValueError:
                continue
            if year or found >= today:
                facts.days.add(found)
                facts.months.add(month)
                facts.days_of_month.add(day)
                return

    def read_repetitions(self, text: str, facts: TimeFacts) -> str:
        """Note the repetitions, and return the text without their numbers."""
        table = self.table
        every, other = alternatives(table["every"].split()), alternatives(table["every_other"])
        weekday, unit = alternatives(self.weekdays), alternatives(self.unit)
        ending = table["weekday_plural"]
        joined = rf"(?:{weekday})(?:(?:\s*,\s*|\s+(?:{table['and']})\s+|\s*,\s*(?:{table['and']})\s+)(?:{weekday}))*"
        for found in re.finditer(rf"\b(?:{every})\s+(?:{table['single']}\s+)?({joined})\b", text):
            facts.repeats.add(("week", 1))
            facts.repeated_days |= {self.weekdays[word] for word in re.findall(rf"\b(?:{weekday})\b", found[1])}
        for found in re.finditer(rf"\b({weekday})(?:{ending})\b", text):
            if found[0] not in self.weekdays:
                facts.repeats.add(("week", 1))
                facts.repeated_days.add(self.weekdays[found[1]])
        for words, days in ((table["workday"], WORKDAYS), (table["weekend"], WEEKEND)):
            if re.search(rf"\b(?:{every}|{table['on']})\s+(?:{alternatives(words.split())})\b", text):
                facts.repeats.add(("week", 1))
                facts.repeated_days |= days
        for found in re.finditer(rf"\b(?:{other})\s+({unit}|{weekday})\b", text):
            facts.repeats.add((self.unit.get(found[1], "week"), 2))
            facts.repeated_days |= {self.weekdays[found[1]]} if found[1] in self.weekdays else set()
        for found in re.finditer(rf"\b(?:{every})\s+(?:({self.number})\s+)?({unit})\b", text):
            facts.repeats.add((self.unit[found[2]], self.value_of(found[1]) if found[1] else 1))
        if re.search(rf"\b(?:{every})\s+({alternatives(table['parts'])})\b", text):
            facts.repeats.add(("day", 1))
        for word, meaning in table["adverbs_of_frequency"].items():
            if re.search(rf"\b{re.escape(word)}\b", text):
                *count, name = meaning.split()
                if name == "workday":
                    facts.repeats.add(("week", 1))
                    facts.repeated_days |= WORKDAYS
                else:
                    facts.repeats.add((name, int(count[0]) if count else 1))
        for found in re.finditer(rf"\b({self.number})\s*(?:{alternatives(table['times'].split())})\b", text):
            facts.counts.add(self.value_of(found[1]))
        return re.sub(rf"\b(?:{every})\s+{self.number}\s+(?:{unit})\b", " ; ", text)

    def read_durations(self, text: str, facts: TimeFacts) -> str:
        table, unit = self.table, alternatives(self.unit)
        half, more = alternatives(table["half_units"]), table["and_a_half"]

        def note(count: float, name: str) -> None:
            if name in MINUTES_OF_UNIT:
                facts.minutes.add(round(count * MINUTES_OF_UNIT[name]))
            elif count == int(count) and name in DAYS_OF_UNIT:
                facts.spans_of_days.add(int(count) * DAYS_OF_UNIT[name])
            elif count == int(count):
                facts.spans_of_months.add(int(count) * (12 if name == "year" else 1))

        if re.search(rf"\b(?:{half})\b", text):
            facts.minutes.add(30)
        for word, minutes in table["duration_words"].items():
            if re.search(rf"\b{word}\b", text):
                facts.minutes.add(minutes)
        joined = rf"\b(\d{{1,3}}(?:[.,]\d)?|{alternatives(self.numbers)})\s*(?:-\s*)?({unit})\b(\s+(?:{more})\b)?"
        total, end = 0, -10
        for found in re.finditer(joined, text):
            written = found[1].replace(",", ".")
            count = float(written) if written[0].isdecimal() else float(self.numbers[written])
            name = self.unit[found[2]]
            note(count + (0.5 if found[3] else 0), name)
            if name in MINUTES_OF_UNIT:  # “1 hour 20 minutes”
                minutes = round(count * MINUTES_OF_UNIT[name])
                total = total + minutes if found.start() - end <= len(" and ") else minutes
                facts.minutes.add(total)
                end = found.end()
        return re.sub(joined, " ; ", re.sub(rf"\b(?:{half})\b", " ; ", text))

    def read_days(self, text: str, today: date, facts: TimeFacts) -> None:
        table = self.table
        for word in sorted(table["day_words"], key=len, reverse=True):
            pattern = rf"\b{re.escape(word)}\b"
            if re.search(pattern, text):
                facts.days.add(today + timedelta(days=table["day_words"][word]))
                parts = {word, *word.split()} & table["parts"].keys()
                facts.parts |= {tuple(table["parts"][each]) for each in parts}
                text = re.sub(pattern, " ; ", text)
        following = alternatives(table["next"].split())
        weekday = alternatives(self.weekdays)
        for found in re.finditer(rf"(?:\b({following})\s+)?\b({weekday})\b", text):
            number = self.weekdays[found[2]]
            facts.weekdays.add(number)
            first = today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)
            facts.days |= {first} | ({first + timedelta(days=7)} if found[1] else set())
            if number == today.weekday() and not found[1]:
                facts.days.add(today)
        for found in re.finditer(rf"\b(?:{following})\s+({alternatives(self.unit)})\b", text):
            match self.unit[found[1]]:
                case "week":
                    facts.days |= {today + timedelta(days=7), today + timedelta(days=7 - today.weekday())}
                case "month":
                    facts.days |= {add_months(today, 1), add_months(today.replace(day=1), 1)}
        if re.search(rf"\b(?:{alternatives(table['weekend'].split())})\b", text):
            saturday = today + timedelta(days=(5 - today.weekday()) % 7)
            facts.days |= {saturday, saturday + timedelta(days=1)}
            facts.weekdays |= WEEKEND
        if re.search(rf"\b(?:{alternatives(table['workday'].split())})\b", text):
            facts.weekdays |= WORKDAYS
        before = (
            rf"\b(?:{alternatives(table['before_ordinal'].split())})\s+" if table["before_ordinal"] else r"(?<![\d.,:])"
        )
        for found in re.finditer(rf"{before}(\d{{1,2}})(?:{table['ordinal_ending']})(?!\w)", text):
            if 1 <= int(found[1]) <= 31:
                facts.days_of_month.add(int(found[1]))
                facts.days |= day_of_month_after(today, int(found[1]))
        for word, number in table["first_days"].items():
            if re.search(rf"\b{word}\b", text):
                facts.ordinals.add(number)
                facts.days_of_month.add(number)
        facts.months |= {self.months[word] for word in re.findall(rf"\b({alternatives(self.months)})\b", text)}

    def read_clocks(self, text: str, facts: TimeFacts) -> None:
        table = self.table
        for word, hour in table["clock_words"].items():
            if re.search(rf"\b{word}\b", text):
                facts.clocks.add((hour, 0))
        parts = set[tuple[int, int]]()
        for word in sorted(table["parts"], key=len, reverse=True):
            if re.search(rf"\b{word}\b", text):
                parts.add(tuple(table["parts"][word]))
                text = re.sub(rf"\b{word}\b", " , ", text)
        facts.parts |= parts
        halves = halves_of(facts.parts)
        am, pm = alternatives(table["am"].split()), alternatives(table["pm"].split())
        hour, clock = rf"(\d{{1,2}}|{alternatives(self.numbers)})", r"(\d{1,2})[:.](\d{2})"

        def add(at_hour: int, minute: int, half: str | None) -> None:
            facts.clocks |= clocks_of(at_hour, minute, half, halves)

        def half_of(found: re.Match[str]) -> str | None:
            return "am" if found["am"] else "pm" if found["pm"] else None

        day_half = rf"(?:\s*(?P<am>{am})(?!\w)|\s*(?P<pm>{pm})(?!\w))"
        for found in re.finditer(rf"(?<![\d.:,]){clock}(?![\d:]|\.\d){day_half}?", text):
            add(int(found[1]), int(found[2]), half_of(found))
        text = re.sub(rf"(?<![\d.:,]){clock}(?![\d:]|\.\d){day_half}?", " , ", text)
        for pattern, minute, shift in self.fractions():
            for found in re.finditer(rf"\b{pattern}\s+{hour}\b{day_half}?", text):
                add((self.value_of(found[1]) + shift) % 24, minute, half_of(found))
            text = re.sub(rf"\b{pattern}\s+{hour}\b{day_half}?", " , ", text)
        past, to = (alternatives(table[each]) for each in ("past", "to"))
        for sign, words in ((1, past), (-1, to)):
            pattern = rf"\b{hour}\s+(?:{alternatives(table['minute'].split())})?\s*(?:{words})\s+{hour}\b{day_half}?"
            for found in re.finditer(pattern, text):
                minutes = self.value_of(found[2]) * 60 + sign * self.value_of(found[1])
                add(minutes // 60 % 24, minutes % 60, half_of(found))
        for found in re.finditer(rf"(?<![\w.,:]){hour}{day_half}", text):
            add(self.value_of(found[1]), 0, half_of(found))
        text = re.sub(rf"(?<![\w.,:]){hour}{day_half}", " , ", text)
        before, after = alternatives(table["before_clock"].split()), alternatives(table["after_clock"].split())
        single = rf"{hour}(?![\w:.%€$]*\d)(?!\s*[%€$£])(?:\s*(?:{after}))?"
        joins = rf"(?:\s*[,;–-]+\s*(?:{table['and']}\s+)?|\s+(?:{table['and']})\s+)(?:(?:{before})\s+)?"
        for found in re.finditer(rf"(?:(?<!\w)(?:{before})\s*)({single}(?:{joins}{single})*)", text):
            for each in re.finditer(rf"(?<![\w.,:]){single}", found[1]):
                add(self.value_of(each[1]), 0, None)
        for found in re.finditer(rf"(?<![\w.,:]){hour}\s*(?:{after})(?!\w)(?:\s*(\d{{2}})\b)?", text):
            add(self.value_of(found[1]), int(found[2] or 0), None)

    def fractions(self) -> Iterable[tuple[str, int, int]]:
        """Yield patterns such as “quarter to”, the minute, and how many hours are added to the named one."""
        table = self.table
        past, to = (f"(?:{alternatives(table[each])})" for each in ("past", "to"))
        yield rf"(?:a\s+)?{table['quarter']}\s+{past}", 15, 0
        yield rf"(?:a\s+)?{table['quarter']}\s+{to}", 45, -1
        if table["half_past"]:
            yield table["half_past"], 30, 0
        if table["half_to"]:
            yield table["half_to"], 30, -1


def clocks_of(hour: int, minute: int, half: str | None, halves: frozenset[str]) -> set[Clock]:
    """Return what a named time may be. `half` is “am” or “pm” if it is said; `halves` are those of the named parts of
    the day."""
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return set()
    if half:
        return {(hour % 12 + (12 if half == "pm" else 0), minute)}
    if hour == 24:
        return {(0, minute)}
    if hour > 12 or hour == 0:
        return {(hour, minute)}
    both = {"am": (hour % 12, minute), "pm": (hour % 12 + 12, minute)}
    return {both[each] for each in halves or both}


def halves_of(parts: Iterable[tuple[int, int]]) -> frozenset[str]:
    """Return in which halves of the day the parts are."""
    found = set[str]()
    for begin, end in parts:
        found |= ({"am"} if begin < 12 else set()) | ({"pm"} if end > 12 else set())
        found |= {"am"} if end == 24 and begin >= 19 else set()  # the night goes on after midnight
    return frozenset(found)


def number_words(groups: Sequence[str], first: int = 0) -> dict[str, int]:
    return {word: number for number, words in enumerate(groups, first) for word in words.split()}


def alternatives(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first; one that never matches if there are none."""
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len, reverse=True)) or "(?!)"


def add_months(day: date, count: int) -> date:
    month = day.month - 1 + count
    year, month = day.year + month // 12, month % 12 + 1
    for number in range(day.day, 0, -1):
        try:
            return date(year, month, number)
        except ValueError:
            continue
    raise ValueError(day)


def day_of_month_after(today: date, number: int) -> set[date]:
    """Return the next day with this number in its month."""
    found = set[date]()
    for ahead in range(3):
        first = add_months(today.replace(day=1), ahead)
        try:
            candidate = first.replace(day=number)
        except ValueError:
            continue
        if candidate >= today:
            return {candidate}
    return found
