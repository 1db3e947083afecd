"""The rows in the form in which the API answers them."""

from bot.core import citations
from bot.core.content_blocks import Block, is_media_reference
from bot.core.prices import MILLION, Micros
from bot.store import session_records
from bot.store.api_rows import SubSessionRecord
from bot.store.connection import Connection
from bot.store.page_rows import ListedConversation
from bot.store.session_records import LocatedEntry, TurnRecord
from bot.web_page.api import answers
from bot.web_page.transcript_blocks import HIDDEN_BLOCK_TYPES, describe_block


def shape_conversation(listed: ListedConversation) -> answers.Conversation:
    return answers.Conversation(
        id=listed.id,
        chat=listed.address.as_typed,
        group=listed.group or None,
        active_at=listed.newest_at,
        first_words=listed.first_words,
        last_words=listed.last_words,
        turns=listed.root_turn_count,
        is_open=listed.is_open,
        cost_usd=listed.cost / MILLION,
    )


def shape_sub_session(record: SubSessionRecord) -> answers.SubSession:
    return answers.SubSession(
        id=record.id,
        parent=record.parent,
        delegation=record.delegation,
        role=record.role,
        task=record.task_excerpt,
        status=record.status,
        opened_at=record.opened_at,
        ended_at=record.ended_at,
        turns=record.turn_count,
        cost_usd=record.cost / MILLION,
    )


def shape_entry(located: LocatedEntry) -> answers.Entry:
    """Return an entry of a transcript. The model's thoughts are left out, as on the page."""
    content = citations.merge_cited_texts(located.entry.content)
    shown = [block for block in content if block["type"] not in HIDDEN_BLOCK_TYPES]
    return answers.Entry(
        chapter=located.chapter,
        number=located.seq,
        turn=located.turn,
        role=located.turns_role,
        model=located.model,
        author=located.entry.role,
        blocks=[*map(shape_block, shown)],
    )


def shape_block(block: Block) -> answers.Block:
    """Return a block. Of a picture or a PDF only its kind is told."""
    if is_media_reference(block):
        return answers.Block(kind="other", name=block["type"], text="")
    kind, name, text = describe_block(block)
    return answers.Block(kind=kind, name=name, text=text)


def shape_delegation(db: Connection, record: TurnRecord) -> answers.Delegation:
    return answers.Delegation(
        **line_fields(db, record),
        report=record.turn.report,
        delegations=[shape_delegation(db, each) for each in record.delegations],
    )


def shape_delegation_line(db: Connection, record: TurnRecord) -> answers.DelegationLine:
    return answers.DelegationLine(**line_fields(db, record))


def line_fields(db: Connection, record: TurnRecord) -> dict[str, object]:
    turn, usage = record.turn, record.tree_usage
    is_begun_by_delegation = turn.depth > 1 and not turn.is_direct
    return {
        "id": turn.id,
        "session": turn.session,
        "conversation": session_records.find_conversation_of_turn(db, turn.id),
        "parent": turn.parent_id if is_begun_by_delegation else None,
        "role": turn.role,
        "task": record.task_excerpt,
        "person": turn.asker,
        "status": record.state,
        "reason": turn.reason,
        "begun_at": turn.begun_at,
        "ended_at": turn.ended_at,
        "seconds": record.duration_seconds,
        "tokens": answers.Tokens(input=usage.prompt_tokens, output=usage.output),
        "cost_usd": record.tree_cost / MILLION,
    }


def shape_spending(name: str, cost: Micros, tokens: int) -> answers.Spent:
    return answers.Spent(name=name, cost_usd=cost / MILLION, tokens=tokens)
