"""What is wrong with a time or a rule, for the model that has written it."""

from bot.core.texts import Plural, Text

NOT_A_TIME = Text(
    "'when' is {given!r}; it must be a time such as 2026-12-01 08:00, in the person's time zone, or a duration such as "
    "PT20M (20 minutes), PT2H (2 hours) or P1D (tomorrow at this time)"
)
TIME_IS_PAST = Text("{time} is in the past; now it is {now}")
TIME_IS_TOO_FAR = Plural(
    "{time} is too far away; a schedule may begin at most {count} year from now",
    "{time} is too far away; a schedule may begin at most {count} years from now",
)
NOT_A_RULE = Text("'repeat' is {given!r}; it must be an RRULE such as FREQ=WEEKLY;BYDAY=MO,WE ({reason})")
RULE_TOO_LONG = Text("'repeat' may have at most {most} characters")
PART_MISSING = Text("FREQ is missing")
PART_NOT_ALLOWED = Text("{part} is not allowed; allowed are {allowed}")
PART_TWICE = Text("{part} stands in it twice")
PART_WITHOUT_VALUE = Text("{part} has no value")
FREQUENCY_NOT_ALLOWED = Text("FREQ={given} is not allowed; allowed are {allowed}")
NUMBER_OUT_OF_RANGE = Text("{part} must be a number from 1 to {most}")
NUMBERS_OUT_OF_RANGE = Text("{part} may only have numbers from {least} to {most}")
WEEK_OUT_OF_RANGE = Text("the number before a day, as in 1MO, may be from 1 to {most}, or from -1 to -{most}")
POSITION_WITHOUT_DAYS = Text("BYSETPOS is only allowed with FREQ=WEEKLY, MONTHLY or YEARLY")
NUMBERED_DAYS_WITHOUT_MONTH = Text("a numbered day such as 1MO is only allowed with FREQ=MONTHLY or YEARLY")
NUMBERED_AND_PLAIN_DAYS = Text("numbered days such as 1MO and days such as WE need a rule each: make two schedules")
UNTIL_WRONG = Text("UNTIL must be a date such as 20271231, or a time such as 20271231T080000")
NEVER = Plural(
    "this rule names no time within {count} year",
    "this rule names no time within {count} years",
)
TOO_OFTEN = Text(
    "this rule is due again after {minutes:g} minutes, but {shortest} minutes is the least here; choose a longer time, "
    "or give a condition that says when there is something to do"
)
UNKNOWN_ZONE = Text("There is no time zone {name}.")
