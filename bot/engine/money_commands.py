"""The commands about money: what was spent, on what, and what is left."""

import re
from collections.abc import Sequence

from bot.core import phrases
from bot.core.content_blocks import sanitize_name
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage, role_display_name
from bot.core.prices import MILLION, format_micro_dollars
from bot.core.texts import people
from bot.journal import admission, budgets, payments
from bot.journal.budgets import BudgetKind
from bot.journal.openings import RoleResolver
from bot.journal.people import list_accounts_of_owner
from bot.store import guests, ledger
from bot.store.connection import Connection
from bot.store.ledger import CostPart, SpendingTotal
from bot.store.people import OWNER_KEY, PersonKey, split_account_key

RESET_CAP_WORD = "default"  # the word that takes a changed cap back
# Dollars. A comma may stand for the point, except where English would mean thousands.
AMOUNT_PATTERN = re.compile(r"\$?\s?([0-9]{1,7}(?:\.[0-9]+|,[0-9]{1,2})?)\s?\$?")
MAX_LISTED_PARTS = 10  # roles, models or people that /usage lists; the rest is one sum


def usage_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return what this chat has cost today and this month, by role and by model too, and what is left for today. In a
    private chat the owner also reads what each person has cost."""
    if terms.resolved_settings.is_demo:
        return people.DEMO_IS_FREE()
    chat, today = str(message.address.whole_chat), terms.today
    day = ledger.sum_spending_of_scope(db, chat, today)
    month = ledger.sum_spending_of_scope(db, chat, today, today.replace(day=1))
    totals = [people.CHAT_TODAY(total=spending_line(day)), people.CHAT_THIS_MONTH(total=spending_line(month))]
    return "\n".join([*totals, *spending_lines_by_part(db, message, terms), *left_today_lines(db, message, terms)])


def budget_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return what is left for today. For the owner, change the cap of the current day first if the message names one;
    the next day begins with the cap of the settings."""
    if terms.resolved_settings.is_demo:
        return people.DEMO_IS_FREE()
    is_owner = admission.is_owner(db, message.address.channel, message.sender.id, terms)
    wanted = message.text.partition(" ")[2].strip()
    if wanted and not is_owner:
        return people.OWNER_CHANGES_BUDGET()
    amount, is_reset = AMOUNT_PATTERN.fullmatch(wanted), wanted.casefold() == RESET_CAP_WORD
    if wanted and not is_reset and not amount:
        return people.NOT_AN_AMOUNT(amount=phrases.first_words(wanted))
    if wanted:
        micros = round(float(amount[1].replace(",", ".")) * MILLION) if amount else None
        ledger.save_day_cap(db, terms.today, micros)
        payments.wake_turns_waiting_for_money(db)
    cap, usual = budgets.load_day_cap_micros(db, terms), terms.settings.limits.day_micros
    lines = left_today_lines(db, message, terms)
    if cap != usual:
        zone = terms.resolved_settings.operator_time_zone
        today, otherwise = format_micro_dollars(cap), format_micro_dollars(usual)
        lines.append(people.CAP_OF_TODAY(cap=today, usual=otherwise, time_zone=str(zone)))
    return "\n".join([*lines, *([people.HOW_TO_CHANGE_BUDGET()] if is_owner and not wanted else [])])


def left_today_lines(db: Connection, message: InboundMessage, terms: DecisionTerms) -> list[str]:
    """Return what the sender may still spend today in this chat: their share, if they have one, and all budgets."""
    chat, limits = str(message.address.whole_chat), terms.settings.limits
    channel, account, cap = message.address.channel, message.sender.id, budgets.load_day_cap_micros(db, terms)
    person, spent_by_scope = budgets.load_day_spending(db, chat, channel, account, terms)
    day, lines = spent_by_scope.get(chat, SpendingTotal()), []
    left = [limits.chat_day_micros - day.cost - day.reserved]
    own_scope = ledger.person_spending_scope(channel, account)
    for budget, scope, limit in budgets.day_limits(db, person, own_scope, terms, cap):
        spent = spent_by_scope.get(scope, SpendingTotal())
        left.append(limit - spent.cost - spent.reserved)
        if budget is BudgetKind.PERSON:
            own, share, unspent = map(format_micro_dollars, (spent.cost, limit, max(0, left[-1])))
            lines.append(people.OWN_SHARE(spent=own, share=share, left=unspent))
    micros_kept = budgets.owner_reserve_micros(db, terms, cap)  # the part of the day's money that only the owner spends
    unspent, kept = format_micro_dollars(max(0, min(left))), format_micro_dollars(micros_kept)
    chat_day, all_day = format_micro_dollars(limits.chat_day_micros), format_micro_dollars(cap)
    if not micros_kept:
        return [*lines, people.LEFT_TODAY(left=unspent, chat=chat_day, day=all_day)]
    if person == OWNER_KEY:
        return [*lines, people.LEFT_TODAY_FOR_OWNER(left=unspent, chat=chat_day, day=all_day, kept=kept)]
    return [*lines, people.LEFT_TODAY_FOR_OTHERS(left=unspent, chat=chat_day, day=all_day, kept=kept)]


def spending_line(spent: SpendingTotal) -> str:
    tokens, unpriced = spent.tokens, spent.unpriced
    cost, estimated = format_micro_dollars(spent.cost), format_micro_dollars(spent.estimated)
    if unpriced and spent.estimated:
        return people.TOTAL_UNPRICED_ESTIMATED(tokens=tokens, unpriced=unpriced, cost=cost, estimated=estimated)
    if unpriced:
        return people.TOTAL_UNPRICED(tokens=tokens, unpriced=unpriced, cost=cost)
    if spent.estimated:
        return people.TOTAL_ESTIMATED(tokens=tokens, cost=cost, estimated=estimated)
    return people.TOTAL(tokens=tokens, cost=cost)


def spending_lines_by_part(db: Connection, message: InboundMessage, terms: DecisionTerms) -> list[str]:
    """Return what each role and each model has cost in this chat. The owner in private also reads what each person has
    cost, in all chats together."""
    chat, today = message.address.whole_chat, terms.today
    by_role = [(role_display_name(each.name), each) for each in ledger.sum_chat_cost_by_role(db, chat, today)]
    by_model = [(each.name, each) for each in ledger.sum_chat_cost_by_model(db, chat, today)]
    lines = [people.COST_BY_ROLE(parts=format_cost_parts(by_role))] if by_role else []
    lines += [people.COST_BY_MODEL(parts=format_cost_parts(by_model))] if by_model else []
    if message.group_chat is None and admission.is_owner(db, message.address.channel, message.sender.id, terms):
        costs = ledger.sum_cost_by_person(db, today, list_accounts_of_owner(terms))
        by_person = [(describe_person(db, PersonKey(each.name)), each) for each in costs]
        lines += [people.COST_BY_PERSON(parts=format_cost_parts(by_person))] if by_person else []
    return lines


def format_cost_parts(parts: Sequence[tuple[str, CostPart]]) -> str:
    """Return what each part has cost, by its name. The dearest come first; those behind them are one sum."""
    listed, rest = list(parts[:MAX_LISTED_PARTS]), [part for _, part in parts[MAX_LISTED_PARTS:]]
    if rest:
        of_rest = CostPart(name="", today=sum(each.today for each in rest), month=sum(each.month for each in rest))
        listed.append((people.OTHER_COSTS(count=len(rest)), of_rest))
    return "; ".join(
        people.COST_PART(name=name, today=format_micro_dollars(part.today), month=format_micro_dollars(part.month))
        for name, part in listed
    )


def describe_person(db: Connection, person: PersonKey) -> str:
    """Return the name and id of a person's first account, or only the id if nobody let them in. The owner reads it."""
    if person == OWNER_KEY:
        return people.SPENDER_IS_OWNER()
    channel, account = split_account_key(person)
    guest = guests.find_guest(db, channel, account)
    if guest is None:
        return people.SPENDER(channel=channel, id=account)
    return people.SPENDER_WITH_NAME(channel=channel, id=account, name=sanitize_name(guest.name))
