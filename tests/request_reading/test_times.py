"""Whether a time or a repetition is what a person's words say."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.request_reading.time_values import names_time

ENGLISH = BUILT_IN_LEXICONS.choose("en")
NOW = datetime(2026, 11, 28, 17, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # a Saturday

NAMED = [
    ("remind me in 20 minutes", "PT20M"),
    ("remind me in 20 minutes", "2026-11-28 17:20"),
    ("in 20 min", "in 20 minutes"),
    ("tomorrow at 8", "2026-11-29 08:00"),
    ("tomorrow at 8", "2026-11-29T20:00"),
    ("8 pm", "2026-11-28 20:00"),
    ("at 8pm", "PT3H"),
    ("next Friday", "2026-12-04 09:00"),
    ("next Friday", "2026-12-11 09:00"),
    ("on 5 December at 14:30", "2026-12-05 14:30"),
    ("on December 5th at 2:30 pm", "2026-12-05 14:30"),
    ("every weekday at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0"),
    ("every weekday at 8", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0"),
    ("every day at eight in the morning", "RRULE:FREQ=DAILY;BYHOUR=8"),
    ("each Monday and Friday at 7:30", "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7;BYMINUTE=30"),
    ("every two hours", "FREQ=HOURLY;INTERVAL=2"),
    ("tonight", "2026-11-28 20:00"),
    ("this evening", "2026-11-28 19:30"),
    ("half past nine tomorrow", "2026-11-29 09:30"),
    ("quarter to six", "2026-11-28 17:45"),
    ("at noon tomorrow", "2026-11-29 12:00"),
    ("in half an hour", "PT30M"),
    ("in an hour and a half", "PT90M"),
    ("in an hour", "PT1H"),
    ("on the first Monday of every month at 10", "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=10;BYMINUTE=0"),
    ("on the 15th of each month", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("every other week on Tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
    ("Mondays at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    ("in three days", "P3D"),
    ("in 2 weeks", "2026-12-12 09:00"),
    ("daily at 8, 12 and 18", "FREQ=DAILY;BYHOUR=8,12,18;BYMINUTE=0"),
    ("every day for five days at 9", "FREQ=DAILY;BYHOUR=9;COUNT=5"),
    ("from 2 to 3 pm on Tuesday", "2026-12-01 15:00"),
    ("from 2 to 3 pm on Tuesday", "2026-12-01 14:00"),
    ("every day until 5 December", "FREQ=DAILY;UNTIL=20261205"),
    ("at 3 o'clock", "2026-11-29 03:00"),
    ("every morning", "FREQ=DAILY;BYHOUR=8"),
    ("on 2026-12-24", "2026-12-24"),
    ("in 1 hour 20 minutes", "PT80M"),
    ("at midnight", "2026-11-29 00:00"),
    ("every year on 3 May", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
    ("day after tomorrow at 10", "2026-11-30 10:00"),
    ("the weekend", "2026-11-29 10:00"),
]
NOT_NAMED = [
    ("remind me in 20 minutes", "PT2M"),
    ("remind me in 20 minutes", "PT20H"),
    ("tomorrow at 8", "2026-11-30 08:00"),
    ("tomorrow at 8", "2026-11-29 09:00"),
    ("tomorrow at 8 pm", "2026-11-29 08:00"),
    ("8 pm", "2026-11-30 20:00"),
    ("next Friday", "2026-12-05 09:00"),
    ("next Friday", "2026-12-04 03:00"),
    ("next Friday", "2026-12-04 09:07"),
    ("every weekday at 8", "FREQ=DAILY;BYHOUR=8"),
    ("every weekday at 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=8"),
    ("every weekday at 8", "FREQ=HOURLY"),
    ("tomorrow at 8", "FREQ=DAILY;BYHOUR=8"),
    ("each Monday", "FREQ=WEEKLY;BYDAY=TU"),
    ("every two hours", "FREQ=HOURLY"),
    ("every two hours", "FREQ=MINUTELY;INTERVAL=2"),
    ("tonight", "2026-11-29 20:00"),
    ("tonight", "2026-11-28 04:00"),
    ("read my mails", "2026-11-28 20:00"),
    ("read my mails", "PT1H"),
    ("read my 3 mails", "2026-11-29 15:00"),
    ("pay 20 euros", "2026-11-28 20:00"),
    ("on 5 December", "2026-12-06 10:00"),
    ("on 5 December", "2027-12-05 10:00"),
    ("every day for five days", "FREQ=DAILY;COUNT=50"),
    ("every day until 5 December", "FREQ=DAILY;UNTIL=20271205"),
    ("on the 15th of each month", "FREQ=MONTHLY;BYMONTHDAY=1"),
    ("", "PT1H"),
    ("x", ""),
    ("every Monday at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,10;BYMINUTE=0"),
    ("every Monday at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0,30"),
    ("tomorrow at 8", "2026-11-29 08:00:30"),
    ("tomorrow", "FREQ=X"),
    ("every second of it", "FREQ=SECONDLY"),
    ("the may file", "2027-05-01 10:00"),
]


def test_what_the_words_say_is_theirs() -> None:
    assert [each for each in NAMED if not names_time(each[1], each[0], NOW, ENGLISH)] == []


def test_what_says_more_than_the_words_is_not() -> None:
    assert [each for each in NOT_NAMED if names_time(each[1], each[0], NOW, ENGLISH)] == []
