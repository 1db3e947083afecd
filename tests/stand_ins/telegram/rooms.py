"""What people do in a chat, and what the bot hears of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.stand_ins.telegram.chats import Action, Chat, Kind, ShownDraft, Standing, Topic
from tests.stand_ins.telegram.errors import Json
from tests.stand_ins.telegram.malformed import Malformed, spoil
from tests.stand_ins.telegram.members import member
from tests.stand_ins.telegram.messages import Message, forwarded
from tests.stand_ins.telegram.people import Person
from tests.stand_ins.telegram.texts import marks, part
from tests.stand_ins.telegram.world import Tap, World

DRAFT_SECONDS = 30.0


@dataclass(frozen=True)
class Room:
    """A chat with its people: `room.say(ann, "hello")`, `room.texts()`."""

    world: World
    chat: Chat

    @property
    def id(self) -> int:
        return self.chat.id

    @property
    def typing(self) -> list[Action]:
        """The actions that people see. In a forum they see only those in a topic. General counts as one."""
        return [action for action in self.chat.actions if action.thread or not self.chat.is_forum]

    @property
    def draft(self) -> ShownDraft | None:
        """The draft that the person sees now: the newest one, unless it is old or a message of the bot came since."""
        newest = self.chat.drafts[-1] if self.chat.drafts else None
        is_over = newest and any(message.at >= newest.at for message in self.answers())
        return newest if newest and not is_over and self.world.now() - newest.at < DRAFT_SECONDS else None

    def stop_draft(self) -> None:
        """Let the person tap the button of the draft that they see. (Bot API 10.3.)"""
        draft = self.draft
        assert draft, "there is no draft"
        assert draft.can_stop, "this draft has no button"
        stopped: Json = {"chat": self.chat.as_json(), "draft_id": draft.number}
        stopped |= {"message_thread_id": draft.thread} if draft.thread else {}
        self.world.updates.add("stopped_message_generation", stopped)

    def seen(self, thread: int | None = None) -> list[Message]:
        """Return what a person sees now in one topic or in all, oldest first."""
        return self.chat.seen(thread)

    def texts(self, thread: int | None = None) -> list[str]:
        return [message.text for message in self.seen(thread)]

    def answers(self, thread: int | None = None) -> list[Message]:
        """Return the bot's messages among these."""
        return [message for message in self.seen(thread) if message.sender is self.world.bot]

    def voices(self) -> list[tuple[str, str]]:
        """Return who says what, of all that bots say here now."""
        return [(message.sender.name, message.text) for message in self.seen() if message.sender.is_bot]

    def say(
        self,
        person: Person,
        text: str = "",
        *,
        entities: list[Json] | None = None,
        reply_to: Message | None = None,
        thread: int = 0,
        forward_from: Person | str | None = None,
        media: Json | None = None,
        **more: Any,
    ) -> Message:
        """Let a person write. With media, the text is its caption. The bot gets it if its privacy mode permits."""
        if not self.chat.is_group:
            assert self.chat.standing is not Standing.KICKED, "this person blocked the bot: unblock it first"
            self.chat.is_started = True
        message = self.new(person, text, reply_to=reply_to, thread=thread, media=media or {}, **more)
        message.entities = marks(text) if entities is None else entities
        if forward_from is not None:
            message.origin = forwarded(forward_from, self.world.now())
        return self.tell("message", message)

    def say_as(self, person: Person, sender_chat: Json, text: str, **more: Any) -> Message:
        """Let a person write in the name of a chat: of this group, as an anonymous admin, or of a channel."""
        message = self.new(person, text, **more)
        message.entities, message.sender_chat = marks(text), sender_chat
        return self.tell("message", message)

    def album(
        self, person: Person, *media: Json, caption: str = "", captions: Sequence[str] = (), thread: int = 0
    ) -> list[Message]:
        """Send several media at once. The platform makes a message of each. One has the caption, or each its own."""
        group = str(13_000_000_000_000_000 + self.world.next_id())
        texts = captions or [caption, *[""] * (len(media) - 1)]
        pairs = zip(media, texts, strict=True)
        return [self.say(person, text, media=item, thread=thread, group=group) for item, text in pairs]

    def edit(
        self, message: Message, text: str, entities: list[Json] | None = None, *, media: Json | None = None
    ) -> None:
        """Change a message's text or caption, and its media if they are given."""
        message.media = message.media if media is None else media
        message.change(text, marks(text) if entities is None else entities, message.buttons, self.world.now())
        self.tell("edited_message", message)

    def erase(self, message: Message) -> None:
        """Delete a message. The platform does not tell bots."""
        message.deleted_at = self.world.now()

    def tap(self, person: Person, message: Message, label: str) -> Tap:
        """Let a person tap the button with this label. It must be there now."""
        assert message.deleted_at is None, f"{message} is not there any more"
        buttons = {button["text"]: button for row in message.buttons for button in row}
        assert label in buttons, f"no button {label!r} under {message}, only {list(buttons)}"
        return self.send_tap(person, message, buttons[label]["callback_data"])

    def send_tap(self, person: Person, message: Message, content: str) -> Tap:
        """Let a modified client tap: on any message, with any data."""
        tap = Tap(id=str(527_000_000_000_000_000 + self.world.next_id()), person=person, at=self.world.now())
        self.world.taps[tap.id] = tap
        told = {"id": tap.id, "from": person.as_json(), "message": message.as_json(), "data": content}
        self.world.updates.add("callback_query", {**told, "chat_instance": str(self.id)})
        return tap

    def malformed(self, person: Person, kind: Malformed) -> Message:
        """Let a person write a message whose update is malformed."""
        message = self.new(person, f"malformed: {kind}", entities=[])
        self.world.updates.add_raw(spoil(kind, message.as_json()))
        return message

    def let_topics(self) -> None:
        """Let a private chat have topics, as the bot's owner switches it on. (Bot API 9.3.)"""
        assert not self.chat.is_group, "a forum has them from the start"
        self.chat.is_forum = self.world.has_topics = True

    def topic(self, person: Person, name: str) -> Topic:
        assert self.chat.is_forum, "only a forum has topics, and a private chat with let_topics()"
        service = self.new(person, service={"forum_topic_created": {"name": name, "icon_color": 7322096}})
        service.thread = service.id
        self.chat.topics[service.id] = topic = Topic(service.id, name, service)
        self.tell("message", service)
        return topic

    def join(self, *people: Person) -> None:
        self.chat.people |= {person.id: person for person in people}
        added = {"new_chat_members": [person.as_json() for person in people]}
        self.tell("message", self.new(people[0], service=added))

    def change_bot(self, person: Person, standing: Standing, refusal: str = "") -> None:
        """Add, promote, restrict, kick or block the bot. `refusal` is the error when it writes."""
        bot, old = self.world.bot, self.chat.standing
        self.chat.standings[bot.id], self.chat.refusal = standing, refusal
        told = {"chat": self.chat.as_json(), "from": person.as_json(), "date": int(self.world.now())}
        told |= {"old_chat_member": member(bot, old), "new_chat_member": member(bot, standing)}
        self.world.updates.add("my_chat_member", told)

    def block(self) -> None:
        """Let the person of a private chat block the bot."""
        self.change_bot(self.chat.person, Standing.KICKED)

    def unblock(self) -> None:
        self.change_bot(self.chat.person, Standing.MEMBER)

    def migrate(self, person: Person) -> Room:
        """Turn the group into a supergroup: a new chat with another id and no messages. Return it."""
        assert self.chat.kind is Kind.GROUP, "only a small group can become a supergroup"
        new = self.world.open_group(self.chat.title, *self.chat.people.values(), kind=Kind.SUPERGROUP)
        new.standings, new.admins = self.chat.standings, self.chat.admins
        room = Room(self.world, new)
        self.tell("message", self.new(person, service={"migrate_to_chat_id": new.id}))
        room.tell("message", room.new(person, service={"migrate_from_chat_id": self.id}))
        self.chat.migrated_to = new
        return room

    def vanish(self) -> None:
        """Remove the chat. Nobody is told."""
        del self.world.chats[self.id]

    def new(
        self, person: Person, text: str = "", *, reply_to: Message | None = None, thread: int = 0, **more: Any
    ) -> Message:
        assert person.id in self.chat.people, f"{person.name} is not in this chat"
        reply_to, thread = self.chat.placed(reply_to, thread)
        assert not (self.chat.is_forum and thread) or thread in self.chat.topics, f"there is no topic {thread}"
        number, now = next(self.chat.numbers), self.world.now()
        message = Message(id=number, chat=self.chat, sender=person, at=now, text=text, **more)
        message.reply_to, message.thread = reply_to, thread
        return self.chat.keep(message)

    def tell(self, kind: str, message: Message) -> Message:
        if self.is_heard(message):
            self.world.updates.add(kind, message.as_json())
        return message

    def is_heard(self, message: Message) -> bool:
        """Return True if the bot gets the message. In a group, its privacy mode passes only what is for the bot."""
        if not self.chat.is_group:
            return True
        if self.chat.standing in (Standing.LEFT, Standing.KICKED):
            return False
        reads_all = self.world.reads_all or self.chat.standing is Standing.ADMINISTRATOR
        return reads_all or bool(message.service) or self.is_addressed(message)

    def is_addressed(self, message: Message) -> bool:
        bot = self.world.bot
        if message.reply_to and message.reply_to.sender is bot and not message.reply_to.service:
            return True
        for entity in message.entities:
            words = part(message.text, entity["offset"], entity["length"])
            match entity["type"]:
                case "bot_command" if words.partition("@")[2].lower() in ("", bot.username):
                    return True
                case "mention" if words[1:].lower() == bot.username:
                    return True
                case "text_mention" if entity["user"]["id"] == bot.id:
                    return True
        return False
