"""Whether a time or a repetition is what a person's words say."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.request_reading.time_values import names_time

ENGLISH = BUILT_IN_LEXICONS.choose("en")
GERMAN = BUILT_IN_LEXICONS.choose("de")
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
    ("a 2-hour meeting tomorrow at 10:00", "2026-11-29 12:00"),
    ("tomorrow at 10:00 for 90 minutes", "2026-11-29 11:30"),
    ("on 5 December", "2026-12-05 00:00"),
    ("on 5 December", "2026-12-05 23:59"),
    ("from January 11th to January 15th 2028", "2028-01-11"),
]
NOT_NAMED = [
    ("a 2-hour meeting tomorrow at 10:00", "2026-11-29 13:00"),
    ("on 5 December", "2026-12-05 23:00"),
    ("on 5 December at 10", "2026-12-05 00:00"),
    ("from January 11th to January 15th 2028", "2029-01-11"),
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

NAMED_IN_GERMAN = [
    ("erinnere mich in 20 Minuten", "PT20M"),
    ("in einer halben Stunde", "PT30M"),
    ("in anderthalb Stunden", "PT90M"),
    ("in einer Stunde", "2026-11-28 18:00"),
    ("in einer Stunde und 20 Minuten", "PT80M"),
    ("morgen um 8", "2026-11-29 08:00"),
    ("morgen früh um acht", "2026-11-29 08:00"),
    ("morgen Abend um acht", "2026-11-29 20:00"),
    ("übermorgen um 10", "2026-11-30 10:00"),
    ("uebermorgen um 10", "2026-11-30 10:00"),
    ("heute Abend", "2026-11-28 19:00"),
    ("heute um 20 Uhr", "2026-11-28 20:00"),
    ("um 18 Uhr 30", "2026-11-28 18:30"),
    ("um 18.30 Uhr", "2026-11-28 18:30"),
    ("um halb neun", "2026-11-28 20:30"),
    ("um Viertel nach acht", "2026-11-28 20:15"),
    ("um viertel vor neun", "2026-11-29 08:45"),
    ("zehn nach acht", "2026-11-28 20:10"),
    ("nächsten Freitag", "2026-12-04 09:00"),
    ("am Freitag um 14 Uhr", "2026-12-04 14:00"),
    ("am 5. Dezember um 14:30", "2026-12-05 14:30"),
    ("am 5.12. um 14:30", "2026-12-05 14:30"),
    ("am 5.12.2026", "2026-12-05"),
    ("am 15. um 9", "2026-12-15 09:00"),
    ("jeden Werktag um 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=0"),
    ("werktags um acht", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8"),
    ("jeden Tag um 7:30", "FREQ=DAILY;BYHOUR=7;BYMINUTE=30"),
    ("täglich um 12", "FREQ=DAILY;BYHOUR=12"),
    ("jeden Morgen", "FREQ=DAILY;BYHOUR=8"),
    ("jeden Montag und Freitag um 7", "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7"),
    ("montags um 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"),
    ("alle zwei Stunden", "FREQ=HOURLY;INTERVAL=2"),
    ("alle zwei Wochen am Dienstag", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
    ("jede zweite Woche", "FREQ=WEEKLY;INTERVAL=2"),
    ("monatlich am 1. um 9", "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9"),
    ("am ersten Montag jedes Monats", "FREQ=MONTHLY;BYDAY=1MO"),
    ("in drei Tagen", "P3D"),
    ("in zwei Wochen", "2026-12-12 10:00"),
    ("von 14 bis 15 Uhr am Dienstag", "2026-12-01 15:00"),
    ("am Wochenende", "2026-11-29 10:00"),
    ("morgen Mittag", "2026-11-29 12:00"),
    ("um Mitternacht", "2026-11-29 00:00"),
    ("jeden Abend um zehn", "FREQ=DAILY;BYHOUR=22"),
    ("fünfmal täglich für 5 tage um 8", "FREQ=DAILY;COUNT=5;BYHOUR=8"),
    ("jährlich am 3. Mai", "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"),
    ("jeden zweiten Montag", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
    ("kommenden Montag um 8:15", "2026-11-30 08:15"),
    ("am 24. Dezember", "2026-12-24 18:00"),
    ("in 1,5 Stunden", "PT90M"),
    ("in einer Viertelstunde", "PT15M"),
]
NOT_NAMED_IN_GERMAN = [
    ("erinnere mich in 20 Minuten", "PT20H"),
    ("morgen um 8", "2026-11-30 08:00"),
    ("morgen früh um acht", "2026-11-29 20:00"),
    ("morgen um 8", "FREQ=DAILY;BYHOUR=8"),
    ("heute Abend", "2026-11-28 04:00"),
    ("heute Abend", "2026-11-29 19:00"),
    ("um halb neun", "2026-11-28 21:30"),
    ("um Viertel nach acht", "2026-11-28 20:45"),
    ("jeden Werktag um 8", "FREQ=DAILY;BYHOUR=8"),
    ("jeden Werktag um 8", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SU;BYHOUR=8"),
    ("jeden Montag", "FREQ=WEEKLY;BYDAY=MO,TU"),
    ("jeden Montag", "FREQ=DAILY"),
    ("alle zwei Stunden", "FREQ=HOURLY"),
    ("alle zwei Wochen am Dienstag", "FREQ=WEEKLY;BYDAY=TU"),
    ("nächsten Freitag", "2026-12-03 09:00"),
    ("am 5.12. um 14:30", "2026-05-12 14:30"),
    ("am 5.12. um 14:30", "2026-12-05 15:30"),
    ("lies meine Mails", "2026-11-28 20:00"),
    ("mach es so", "2026-11-29 10:00"),
    ("zahl 20 Euro", "2026-11-28 20:00"),
    ("in drei Tagen", "P4D"),
    ("um 8.", "2026-12-08 09:00"),
    ("täglich um 12", "FREQ=HOURLY"),
    ("jeden Morgen", "FREQ=DAILY;BYHOUR=22"),
    ("morgen", "2026-11-29 04:00"),
    ("für fünf Tage täglich", "FREQ=DAILY;COUNT=500"),
]


def test_what_the_words_say_is_theirs() -> None:
    assert [each for each in NAMED if not names_time(each[1], each[0], NOW, ENGLISH)] == []
    assert [each for each in NAMED_IN_GERMAN if not names_time(each[1], each[0], NOW, GERMAN)] == []


def test_what_says_more_than_the_words_is_not() -> None:
    assert [each for each in NOT_NAMED if names_time(each[1], each[0], NOW, ENGLISH)] == []
    assert [each for each in NOT_NAMED_IN_GERMAN if names_time(each[1], each[0], NOW, GERMAN)] == []


def test_english_times_of_a_german_are_read_too() -> None:
    assert [each for each in NAMED if not names_time(each[1], each[0], NOW, GERMAN)] == []


def test_a_time_with_a_zone_is_compared_on_the_persons_clock() -> None:
    assert names_time("2026-11-29T07:00:00Z", "tomorrow at 8", NOW, ENGLISH)
    assert not names_time("2026-11-29T08:00:00-05:00", "tomorrow at 8", NOW, ENGLISH)


def test_a_value_that_is_no_time_must_stand_in_the_words() -> None:
    assert names_time("when it rains", "tell me when it rains", NOW, ENGLISH)
    assert not names_time("when it snows", "tell me when it rains", NOW, ENGLISH)


def test_a_repetition_of_wrong_form_is_nobodys() -> None:
    for wrong in ("FREQ=DAILY;BYHOUR=x", "FREQ=DAILY;UNTIL=soon", "FREQ=DAILY;EVIL=1", "FREQ=DAILY;BYDAY=XX", "FREQ="):
        assert not names_time(wrong, "every day at 8 until friday", NOW, ENGLISH), wrong
