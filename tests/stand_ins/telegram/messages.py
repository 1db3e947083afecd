"""One message: its text now and before, and its JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.stand_ins.telegram.errors import Json
from tests.stand_ins.telegram.people import Person
from tests.stand_ins.telegram.uploads import Upload

if TYPE_CHECKING:
    from tests.stand_ins.telegram.chats import Chat

Buttons = list[list[Json]]


@dataclass(frozen=True, slots=True)
class Version:
    """What a message said until `until`, in seconds by the server's clock."""

    text: str
    entities: list[Json]
    buttons: Buttons
    until: float


@dataclass(eq=False, kw_only=True)
class Message:
    """One message. `text` is the caption if there is media. Times are seconds by the server's clock."""

    id: int
    chat: Chat
    sender: Person
    at: float
    text: str = ""
    entities: list[Json] = field(default_factory=list)
    buttons: Buttons = field(default_factory=list)
    media: Json = field(default_factory=dict)
    service: Json = field(default_factory=dict)  # what happened, if nobody wrote the message
    reply_to: Message | None = None
    thread: int = 0
    upload: Upload | None = None  # the file that the bot has sent
    group: str = ""  # the id of its album
    origin: Json = field(default_factory=dict)  # where it was forwarded from
    elsewhere: Json = field(default_factory=dict)  # the message of another chat that it answers, as external_reply
    picked: Json = field(default_factory=dict)  # the words of the answered message that its sender picked
    preview: Json = field(default_factory=dict)
    is_silent: bool = False
    edited_at: float | None = None
    deleted_at: float | None = None
    reactions: dict[int, str] = field(default_factory=dict)  # by the account that reacts
    versions: list[Version] = field(default_factory=list)  # the earlier ones, oldest first

    def __repr__(self) -> str:
        return f"<{self.id} {self.sender.name}: {self.text!r}>"

    @property
    def labels(self) -> list[str]:
        """Return the labels of its buttons, row after row."""
        return [button["text"] for row in self.buttons for button in row]

    def change(self, text: str, entities: list[Json], buttons: Buttons, at: float) -> None:
        self.versions.append(Version(self.text, self.entities, self.buttons, at))
        self.text, self.entities, self.buttons, self.edited_at = text, entities, buttons, at

    def as_json(self, *, with_reply: bool = True) -> Json:
        """Return the message's JSON. A reply includes the message that it answers, but not what that one answers."""
        whole: Json = {"message_id": self.id, "from": self.sender.as_json(), "chat": self.chat.as_json()}
        whole |= {"date": int(self.at)} | self.media | self.service
        if self.text:
            whole["caption" if self.media else "text"] = self.text
        if self.entities:
            whole["caption_entities" if self.media else "entities"] = self.entities
        if self.thread:
            whole["message_thread_id"] = self.thread
            whole |= {"is_topic_message": True} if self.chat.is_forum else {}
        if with_reply and self.reply_to:
            whole["reply_to_message"] = self.reply_to.as_json(with_reply=False)
        if self.edited_at:
            whole["edit_date"] = int(self.edited_at)
        if self.buttons:
            whole["reply_markup"] = {"inline_keyboard": self.buttons}
        if self.group:
            whole["media_group_id"] = self.group
        if self.origin:
            whole["forward_origin"] = self.origin
        if self.elsewhere:
            whole["external_reply"] = self.elsewhere
        if self.picked:
            whole["quote"] = self.picked
        if self.preview:
            whole["link_preview_options"] = self.preview
        return whole


def forwarded(source: Person | str, at: float) -> Json:
    """Return the origin of a forward. A string is the name of a person who hides the account."""
    if isinstance(source, Person):
        return {"type": "user", "date": int(at), "sender_user": source.as_json()}
    return {"type": "hidden_user", "date": int(at), "sender_user_name": source}
