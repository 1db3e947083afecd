"""Carry out the orders of other processes, each whole or not at all."""

import json
import logging
from collections.abc import Callable, Mapping

from bot.store import orders, texts
from bot.store.connection import Connection
from bot.store.orders import Order, OrderAnswer
from bot.store.writer import WorkRolledBack, savepoint

OrderHandler = Callable[[Connection, dict[str, str]], OrderAnswer]

log = logging.getLogger(__name__)


def carry_out_waiting_orders(db: Connection, known: Mapping[str, OrderHandler]) -> int:
    """Carry out the waiting orders, oldest first, and write down their answers. Return how many there were."""
    waiting = orders.list_waiting_orders(db)
    for order in waiting:
        orders.save_order_answer(db, order, carry_out_order(db, order, known.get(order.name)))
    return len(waiting)


def carry_out_order(db: Connection, order: Order, handler: OrderHandler | None) -> OrderAnswer:
    """Carry out an order and return its answer. An order that fails must not keep the bot from starting."""
    if handler is None:
        return OrderAnswer(texts.UNKNOWN_ORDER(order=order.name), is_done=False)
    try:
        with savepoint(db):
            return handler(db, json.loads(order.arguments))
    except WorkRolledBack as undone:
        log.error(texts.ORDER_FAILED(number=order.id, order=order.name), exc_info=undone.error)
        return OrderAnswer(texts.FAILED(reason=undone.error), is_done=False)
