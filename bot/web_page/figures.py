"""The figures of the page: what was spent, as bars that the templates draw in SVG."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from bot.core.messages import role_display_name
from bot.core.prices import Micros, format_micro_dollars
from bot.store import cost_figures
from bot.store.connection import Connection
from bot.store.cost_figures import CostColumn, DayFigure
from bot.web_page import texts

DAYS = 30
MAX_NAMES = 10  # of roles, models, chats or people
NOTHING = Micros(0)
COLUMNS: tuple[CostColumn, ...] = ("role", "model", "chat", "person")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    label: str
    value: str  # as people read it
    share: float  # of the longest bar: 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresView:
    total: str
    costs_by_day: list[Bar]
    tokens_by_day: list[Bar]
    costs_by: dict[str, list[Bar]]  # by the heading


def load_figures(db: Connection, today: date) -> FiguresView:
    """Return the figures of the last DAYS days."""
    since = today - timedelta(days=DAYS - 1)
    found = {figure.day: figure for figure in cost_figures.list_days_with_costs(db, since)}
    days = [since + timedelta(days=number) for number in range(DAYS)]
    figures = [found.get(day) or DayFigure(day=day, cost=NOTHING, tokens=0) for day in days]
    labels = [day.isoformat() for day in days]
    return FiguresView(
        total=format_micro_dollars(sum(figure.cost for figure in figures)),
        costs_by_day=make_bars(labels, [figure.cost for figure in figures], format_micro_dollars),
        tokens_by_day=make_bars(labels, [figure.tokens for figure in figures], "{:,}".format),
        costs_by={texts.COSTS_BY[column]: bars_of_column(db, column, since) for column in COLUMNS},
    )


def bars_of_column(db: Connection, column: CostColumn, since: date) -> list[Bar]:
    found = cost_figures.list_costs_by(db, column, since, MAX_NAMES)
    show = role_display_name if column == "role" else str
    bars = make_bars([show(each.name) for each in found], [each.cost for each in found], format_micro_dollars)
    return [
        replace(bar, value=texts.COST_AND_TOKENS(each.tokens, cost=bar.value))
        for bar, each in zip(bars, found, strict=True)
    ]


def make_bars(labels: Sequence[str], values: Sequence[int], show: Callable[[int], str]) -> list[Bar]:
    longest = max([*values, 1])
    return [
        Bar(label=label, value=show(value), share=value / longest) for label, value in zip(labels, values, strict=True)
    ]
