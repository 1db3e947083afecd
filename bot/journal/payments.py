"""Payments: the price of each request is reserved before the request is made, and settled after, on every budget.

If the model declines a request, another model may answer it, and then both are paid for. The second reading of the
prompt is reserved with the request, if it fits, at the price of the dearest model that may answer. What that model
writes is paid with what the first has left, and it is stopped when that is used up. Whether a request may have a second
attempt follows from what was reserved, so no row says it.
"""

from dataclasses import dataclass, replace
from datetime import date

from bot.core import web
from bot.core.limits import DecisionTerms, LimitKind
from bot.core.messages import Address, PersonId
from bot.core.prices import Micros, PriceCard, Usage, cost_of_usage, dearest_substitute_card, find_pricing
from bot.core.sent_request import SentRequest
from bot.core.turn import PaidModelRequest, RequestId, Turn, TurnId
from bot.journal import budgets
from bot.journal.budgets import (
    FINAL_REQUEST_NOTE_TOKENS,
    MIN_OUTPUT_TOKENS,
    BudgetKind,
    context_window_tokens,
    list_budget_headroom,
    price_card_for_next_prompt,
)
from bot.store import ledger, sessions, turns
from bot.store.connection import Connection
from bot.store.ledger import TENANT_SPENDING_SCOPE, BookedRequest, SpendingTotal, person_spending_scope
from bot.store.sessions import Chapter

USUAL_MAX_OUTPUT_TOKENS = 16_000  # tokens: a reply that is cut off within a call is requested again with twice as many
DAY_BUDGET_NAMES = (BudgetKind.DAY.value, BudgetKind.SHARED_DAY.value)  # many turns may wait for these


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetShortage:
    """Why a request was not opened. `may_wait` is True if only open requests of others use up the money."""

    budget: BudgetKind
    may_wait: bool


def reserve_and_open_request(
    db: Connection,
    turn: Turn,
    chapter: Chapter,
    terms: DecisionTerms,
    *,
    limit: LimitKind | None,
    attempt: int,
    doubled: bool,
) -> BudgetShortage | None:
    """Open a turn's next request and reserve its worst-case price. If a budget has no room for it, return that budget.
    In each turn's budget the price of its own last request is kept back, until that is made. Web tools of the server
    are reserved too. If the tightest budget cannot pay for all of their uses, these are capped. A role makes no last
    request if its tokens do not suffice."""
    if turn.is_on_fallback and terms.resolved_settings.fallback_model_name:
        chapter = replace(chapter, model=terms.resolved_settings.fallback_model_name)
    uses, prompt_tokens = chapter.served, chapter.tokens + (FINAL_REQUEST_NOTE_TOKENS if limit else 0)
    if limit and not budgets.has_tokens_for_final_request(db, turn, chapter):
        return BudgetShortage(budget=BudgetKind.TURN, may_wait=False)
    pricing, most_output = find_pricing(chapter.model), terms.settings.model.max_output_tokens
    want = min(
        USUAL_MAX_OUTPUT_TOKENS * (2 if doubled else 1),
        min(most_output, pricing.most_output_tokens) if pricing else most_output,
        context_window_tokens(chapter.model, terms.settings) - chapter.tokens,
        budgets.output_token_allowance(db, turn, chapter, is_last=bool(limit)),
    )
    want = max(MIN_OUTPUT_TOKENS, want)
    worth, caps = Micros(0), chapter.web_level
    if card := price_card_for_next_prompt(chapter, web.most_tokens_of_web_pages(uses, caps)):
        rooms = list_budget_headroom(db, turn, chapter, terms, keeps_own=limit is None and not chapter.is_closing)
        tightest = min(rooms, key=lambda room: room.left_micros)
        freed = min(room.left_micros + room.reserved_by_others_micros for room in rooms)
        prompt, most = card.worst_case_cost(prompt_tokens, 0), turn.limits.tokens
        caps = web.first_affordable_web_use_level(uses, caps, card, tightest.left_micros - prompt, most)
        caps_if_freed = web.first_affordable_web_use_level(uses, chapter.web_level, card, freed - prompt, most)
        if caps_if_freed < caps and chapter.cached:
            # Wait for the open requests, which is short: with other caps the cache would be lost.
            return BudgetShortage(budget=tightest.budget, may_wait=True)
        of_web = web.worst_case_cost_of_web_uses(uses, caps, card)
        want = min(want, affordable_output_tokens(card, prompt_tokens, tightest.left_micros - of_web))
        if want < MIN_OUTPUT_TOKENS:
            may_wait = affordable_output_tokens(card, prompt_tokens, freed - of_web) >= MIN_OUTPUT_TOKENS
            return BudgetShortage(budget=tightest.budget, may_wait=may_wait)
        worth = Micros(card.worst_case_cost(prompt_tokens, want) + of_web)
        has_second = terms.resolved_settings.may_substitutes_answer and not limit
        second = substitute_prompt_price(chapter) if has_second else None
        if second and worth + second <= tightest.left_micros and has_tokens_for_substitute(db, turn, chapter, want):
            worth = Micros(worth + second)
    if caps != chapter.web_level:
        sessions.update_current_chapter(db, turn.session, web_level=caps)
    request = PaidModelRequest(
        id=RequestId(0),
        max_tokens=want,
        attempt=attempt,
        model=chapter.model,
        is_doubled=doubled,
        limit=limit,
        reserved=worth,
        uncached_tokens=chapter.uncached_tokens,
    )
    ledger.add_open_request(db, turn, terms.today, request)
    book_on_every_budget(db, turn, str(turn.address.whole_chat), str(terms.today), SpendingTotal(reserved=worth))
    return None


def affordable_output_tokens(card: PriceCard, prompt: int, left: int) -> int:
    """Return how many tokens may be written with `left` micros, after the prompt is paid."""
    return (left - card.worst_case_cost(prompt, 0)) * 1_000_000 // card.output


def substitute_prompt_price(chapter: Chapter) -> Micros | None:
    """Return what another model pays at most to read the prompt, in micros; None if no other model may answer."""
    card = dearest_substitute_card(chapter.model)
    return card.worst_case_cost(chapter.tokens, 0) if card else None


def has_tokens_for_substitute(db: Connection, turn: Turn, chapter: Chapter, output: int) -> bool:
    """Return True if a turn has tokens for another model to read what the first read and wrote, and write as much."""
    return budgets.tokens_left_for_turn(db, turn) - chapter.uncached_tokens - output >= chapter.tokens + 2 * output


def is_substitute_paid_for(request: PaidModelRequest, chapter: Chapter) -> bool:
    """Return True if what is reserved for a request pays for a second attempt too."""
    chapter = replace(chapter, model=request.model)
    pricing, second = find_pricing(chapter.model), substitute_prompt_price(chapter)
    if pricing is None or second is None or request.is_last:
        return False
    card = pricing.card_for_prompt(chapter.tokens + web.most_tokens_of_web_pages(chapter.served, chapter.web_level))
    of_web = web.worst_case_cost_of_web_uses(chapter.served, chapter.web_level, card)
    return request.reserved >= card.worst_case_cost(chapter.tokens, request.max_tokens) + of_web + second


def find_reached_limit(db: Connection, turn: Turn, chapter: Chapter, terms: DecisionTerms) -> LimitKind | None:
    """Return the limit, except money, that a turn has reached before its next request; None if it has reached none."""
    if turn.spent.steps >= turn.limits.iterations:
        return LimitKind.ITERATIONS
    if turn.spent.seconds >= turn.limits.seconds:
        return LimitKind.SECONDS
    if budgets.output_token_allowance(db, turn, chapter, is_last=False) < MIN_OUTPUT_TOKENS:
        return LimitKind.TOKENS
    room = context_window_tokens(chapter.model, terms.settings)
    return LimitKind.CONTEXT if chapter.tokens + 2 * MIN_OUTPUT_TOKENS > room * 9 // 10 else None


def settle_request(
    db: Connection, turn: Turn, request: RequestId, usage: Usage, sent: SentRequest | None = None
) -> None:
    """Charge what a request has used, in place of what was reserved for it, and keep how it was built. Do nothing if it
    is settled already."""
    booked = next((each for each in ledger.list_open_booked_requests(db, turn.id) if each.id == request), None)
    if booked:
        settle_booked_request(db, turn, booked, usage, sent)


def settle_booked_request(
    db: Connection, turn: Turn, booked: BookedRequest, usage: Usage, sent: SentRequest | None
) -> None:
    cost = cost_of_usage(booked.model, usage, longest_prepaid_prompt_tokens(db, turn, booked, usage))
    ledger.close_request(db, booked.id, "settled", cost, usage, sent)
    tokens = usage.tokens_without_cache_reads
    unpriced = 0 if find_pricing(booked.model) else tokens
    settled = SpendingTotal(cost=cost, reserved=-booked.reserved, tokens=tokens, unpriced=unpriced)
    book_on_every_budget(db, turn, booked.chat, booked.day, settled)
    wake_turns_waiting_for_money(db)


def longest_prepaid_prompt_tokens(db: Connection, turn: Turn, request: BookedRequest, usage: Usage) -> int | None:
    """Return the longest prompt, in tokens, that was paid for in advance; None if the usage alone decides the price. A
    server that runs tools counts the prompt again after each. That sum must not be priced as one long prompt."""
    pricing = find_pricing(request.model)
    if pricing is None or pricing.card_for_prompt(usage.prompt_tokens) is pricing.card:
        return None
    chapter = sessions.find_current_chapter(db, turn.session)
    if not chapter or not chapter.served or chapter.model != request.model:
        return None
    return chapter.tokens + web.most_tokens_of_web_pages(chapter.served, chapter.web_level)


def charge_open_request_as_lost(db: Connection, turn: Turn) -> None:
    """Charge a turn's open request at its worst case, as an estimate, because nobody knows what became of it."""
    for booked in ledger.list_open_booked_requests(db, turn.id):
        worth, tokens = booked.reserved, booked.uncached_tokens
        ledger.close_request(db, booked.id, "lost", worth)
        unpriced = 0 if find_pricing(booked.model) else tokens
        lost = SpendingTotal(cost=worth, reserved=-worth, tokens=tokens, unpriced=unpriced, estimated=worth)
        book_on_every_budget(db, turn, booked.chat, booked.day, lost)
        wake_turns_waiting_for_money(db)


def charge_turn_for_background_delegation(db: Connection, turn: Turn, amount: Micros) -> None:
    """Take a background delegation's budget off the turn that began it. (Chat and day are charged as it spends.)"""
    ledger.add_cost_to_turns(db, list_turn_and_paying_turn_ids(db, turn), amount)


def book_on_every_budget(db: Connection, turn: Turn, chat: str, day: str, more: SpendingTotal) -> None:
    """Add to every budget that a request is charged to: its turn, the turns above, the chat, the tenant, the person."""
    scopes = (chat, TENANT_SPENDING_SCOPE, person_spending_scope(turn.address.channel, turn.person))
    ledger.add_to_turn_and_scope_totals(db, list_turn_and_paying_turn_ids(db, turn), scopes, day, more)


def book_transcription(db: Connection, address: Address, person: PersonId, cost: Micros, day: date) -> None:
    """Add what a transcript has cost to the budgets of the chat, the tenant and the person. No turn has begun yet."""
    scopes = (str(address.whole_chat), TENANT_SPENDING_SCOPE, person_spending_scope(address.channel, person))
    ledger.add_to_turn_and_scope_totals(db, [], scopes, str(day), SpendingTotal(cost=cost))


def list_turn_and_paying_turn_ids(db: Connection, turn: Turn) -> list[TurnId]:
    """Return the turn and the turns above it, which pay for it too."""
    return [turn.id, *(each.id for each in turns.list_turns_above(db, turn))]


def wake_turns_waiting_for_money(db: Connection) -> None:
    """Wake the turns that wait for money, because a request has settled. All turns of the tenant may wait for a day
    budget. Of these wake only the oldest; it wakes the next."""
    if turns.is_any_turn_waiting(db):
        turns.wake_turns_waiting_for_budgets(db, besides=DAY_BUDGET_NAMES)
        wake_oldest_turn_per_day_budget(db)


def wake_oldest_turn_per_day_budget(db: Connection) -> None:
    """Wake the oldest turn that waits for the whole day's money, and the oldest that waits for the shared part."""
    for budget in DAY_BUDGET_NAMES:
        turns.wake_oldest_turn_waiting_for_budget(db, budget)
