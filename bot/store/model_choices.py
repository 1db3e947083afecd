"""What was chosen for a chat: the lead's model and effort, from its next conversation on."""

from dataclasses import dataclass
from datetime import datetime

from bot.core.messages import Address, PersonId
from bot.store.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Empty is what the config says."""

    model: str = ""
    effort: str = ""


def load_model_choice(db: Connection, address: Address) -> ModelChoice:
    """Return what was chosen for the chat."""
    row = db.fetch_row("SELECT model, effort FROM chosen_models WHERE chat = ?", str(address.whole_chat))
    return ModelChoice(model=row["model"], effort=row["effort"]) if row else ModelChoice()


def save_model_choice(db: Connection, address: Address, choice: ModelChoice, by: PersonId, now: datetime) -> None:
    db.execute(
        "INSERT INTO chosen_models (chat, model, effort, chosen_by, since) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET model = excluded.model, effort = excluded.effort, chosen_by = excluded.chosen_by, since = excluded.since",
        (str(address.whole_chat), choice.model, choice.effort, by, now.isoformat()),
    )


def is_model_chosen(db: Connection, model: str) -> bool:
    """Return True if some chat has chosen this model."""
    return db.fetch_row("SELECT 1 FROM chosen_models WHERE model = ? LIMIT 1", model) is not None
