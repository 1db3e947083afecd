"""Regular chores: obey orders from other processes, note that the bot is alive, delete old rows."""

import asyncio
import logging
from datetime import timedelta

from bot.core.languages import speaking
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.messages import PersonId
from bot.core.texts import logs, people_access, reasons
from bot.core.turn import OPERATOR, SessionId, TurnOutcome
from bot.journal import (
    endings,
    forgetting,
    invitations,
    linking,
    mcp_tools,
    orders,
    pairing,
    schedule_oversight,
    tenant_memories,
)
from bot.journal.deletion import delete_conversation, sweep_some_old_rows
from bot.journal.languages import language_of_turn
from bot.store import Store, inbox, outbox, turns
from bot.store.connection import FORGOTTEN_TOPIC, Connection
from bot.store.folder_lock import HeldFolderLock
from bot.store.orders import OrderAnswer
from bot.store.signals import WakeUpSignal
from bot.store.text_search.indexing import index_some_texts
from bot.tools.outgoing_folder import OutgoingFolder

FILE_AND_ORDER_CHECK_INTERVAL_SECONDS = 1.0
SWEEP_INTERVAL_SECONDS = 3600.0
INDEX_INTERVAL_SECONDS = 60.0
REWRITE_RETRY_SECONDS = 600.0
REWRITE_PAUSE = 10.0  # times the duration of the last one: everybody waits meanwhile
KEEP_SENT_COPIES = timedelta(hours=1)

log = logging.getLogger(__name__)


class Housekeeping:
    def __init__(self, store: Store, lock: HeldFolderLock, terms: GetCurrentTerms, outgoing: OutgoingFolder) -> None:
        self.outgoing = outgoing
        self.store = store
        self.lock = lock
        self.terms = terms
        self.order_handlers: dict[str, orders.OrderHandler] = {  # by the order's name
            "stop": lambda db, said: mark_all_turns_to_stop(db, terms()),
            "pair": lambda db, said: pairing.let_in_stranger_by_code(
                db, said["code"], people_access.OPERATOR(), terms()
            ),
            "invite": lambda db, said: invitations.make_invitation(db, terms()),
            "delete": lambda db, said: delete_conversation(db, SessionId(said["session"]), terms()),
            "forget person": lambda db, said: forgetting.delete_person(db, said["channel"], said["person"], terms()),
            "revoke": lambda db, said: pairing.send_away(db, PersonId(said["person"]), terms()),
            "unlink": lambda db, said: linking.cut_links(db, said["channel"], PersonId(said["account"]), terms()),
            "remember": lambda db, said: tenant_memories.save_for_everybody(db, said["text"], terms()),
            "forget memory": lambda db, said: tenant_memories.forget_of_everybody(db, said["number"]),
            "allow mcp tools": lambda db, said: mcp_tools.allow_for_operator(db, said["server"], terms()),
            "pause schedule": lambda db, said: schedule_oversight.pause_for_operator(db, said["number"], terms()),
            "delete schedule": lambda db, said: schedule_oversight.delete_for_operator(db, said["number"], terms()),
        }

    async def run(self) -> None:
        """Run until cancelled. Raise StoreDamaged if the database file is gone. Look for orders only after another
        process has written to the file: SQLite tells that without a query."""
        with self.store.signals.listen(FORGOTTEN_TOPIC) as forgotten:
            await self.run_chores(forgotten)

    async def run_chores(self, forgotten: WakeUpSignal) -> None:
        known, swept, indexed = -1, -SWEEP_INTERVAL_SECONDS, asyncio.get_running_loop().time()
        may_hold_words = True  # a kill may have come before the file was rewritten
        rewrite_at, is_log_empty = 0.0, False
        while True:
            self.store.check_file_in_place()
            self.lock.touch()
            changes = await self.store.data_version()
            if changes != known:
                before = await self.store.read(outbox.list_needed_copy_names, self.terms().now)
                if await self.store.write(orders.carry_out_waiting_orders, self.order_handlers):
                    self.outgoing.forget_plans(before)
                    await self.remove_copies_of_sent_files()  # a conversation may have been deleted
                known = changes
            now = asyncio.get_running_loop().time()
            if now - swept >= SWEEP_INTERVAL_SECONDS:
                while await self.store.write(sweep_some_old_rows, self.terms().now, self.terms().settings.keep_days):
                    pass
                await self.remove_copies_of_sent_files()
                swept = now
            if now - indexed >= INDEX_INTERVAL_SECONDS:
                # After a batch that was not the last, the next comes after other chores, and a second later.
                has_more = await self.store.write(index_some_texts, self.terms().settings.search_languages)
                indexed = indexed if has_more else now
            if forgotten.is_set():
                self.outgoing.forget_plans(forgotten.take_names_and_clear()[FORGOTTEN_TOPIC])
                await self.remove_copies_of_sent_files()
                may_hold_words = True
            if may_hold_words and now >= rewrite_at:
                may_hold_words = not await self.rewrite_file_if_needed()
                took = asyncio.get_running_loop().time() - now
                rewrite_at = now + (REWRITE_RETRY_SECONDS if may_hold_words else REWRITE_PAUSE * took)
                is_log_empty = False
            if not is_log_empty:  # as long as somebody is reading
                self.store.check_file_in_place()  # the log must not be written into another file
                is_log_empty = await self.store.empty_log()
            await asyncio.sleep(FILE_AND_ORDER_CHECK_INTERVAL_SECONDS)

    async def rewrite_file_if_needed(self) -> bool:
        try:
            await self.store.rewrite_file_if_needed()
        except OSError as error:
            log.warning(logs.FILE_NOT_REWRITTEN, self.store.path, error.strerror or error)
            return False
        return True

    async def remove_copies_of_sent_files(self) -> None:
        """Remove the copies of files that are shown, failed or deleted. Those that were shown lately stay: a back-up
        that is being made may need them."""
        needed = await self.store.read(outbox.list_needed_copy_names, self.terms().now - KEEP_SENT_COPIES)
        try:
            await asyncio.to_thread(self.outgoing.remove_all_except, needed)
        except OSError as error:
            log.error(logs.COPIES_NOT_REMOVED, self.outgoing.path, error.strerror)


def mark_all_turns_to_stop(db: Connection, terms: DecisionTerms) -> OrderAnswer:
    """Stop every turn in every chat, also what works in the background: the operator's /stop. The reports of the
    background open no turn."""
    tops = [turn for turn in turns.list_open_turns(db) if turn.id == turn.root or turn.background]
    inbox.hold_all_reports_until_next_message(db)
    for turn in tops:
        turns.save_person_who_stopped_turn(db, turn.id, OPERATOR)
        turns.update_turn_columns(db, turn.id, is_report_held=turn.background)
        with speaking(language_of_turn(turn, terms)):
            endings.mark_turn_tree_ending(db, turn.id, TurnOutcome.CANCELLED, reasons.STOPPED_BY_OPERATOR())
    return OrderAnswer(logs.TURNS_STOPPED(turns=len(tops)))
