"""Endpoints that answer taps and commands: the callback, and what may follow it for a quarter of an hour."""

from tests.stand_ins.discord.bodies import ANSWERED, as_object
from tests.stand_ins.discord.calls import Call
from tests.stand_ins.discord.conversation import edited, message_from
from tests.stand_ins.discord.errors import choice, form, length, refusal
from tests.stand_ins.discord.interactions import LONGEST_CHOICE, MOST_CHOICES, Answered, Interaction
from tests.stand_ins.discord.messages import Flag, Message
from tests.stand_ins.discord.records import Answer
from tests.stand_ins.discord.snowflakes import Json


def answer_interaction(call: Call) -> Answer:
    interaction = call.world.interactions.get(call.id("interaction"))
    if interaction is None:
        raise refusal(10062)
    interaction.check_open(call.request.ids["token"])
    kinds = [int(kind) for kind in kinds_of(interaction)]
    if call.body.get("type") not in kinds:
        raise choice("type", call.body.get("type"), kinds)
    kind = Answered(call.body["type"])
    body = as_object(call.body.get("data") or {}, "data")
    message = begin(call, interaction, kind, body)
    interaction.answered, interaction.answered_at = kind, call.world.now()
    if call.request.query.get("with_response") not in ("1", "true"):
        return Answer(status=204)
    return Answer(body=outcome(interaction, kind, message))


def begin(call: Call, interaction: Interaction, kind: Answered, body: Json) -> Message | None:
    """Change the chat as the answer asks. Return the changed or new message. If this raises, nothing is changed."""
    match kind:
        case Answered.CHOICES:
            interaction.choices = choices_of(body)
        case Answered.MESSAGE:
            interaction.original = post(call, interaction, body)
        case Answered.DEFERRED:
            deferred = call.message_body(Flag.EPHEMERAL, {"flags": body.get("flags")})
            message = message_from(call, interaction.channel, deferred)
            message.interaction = interaction
            message.flags |= Flag.LOADING
            interaction.original = call.world.post(message)
        case Answered.UPDATE:
            assert interaction.message
            interaction.original = call.world.edit(interaction.message, call.message_body(Flag.SUPPRESS_EMBEDS, body))
        case Answered.DEFERRED_UPDATE:
            interaction.original = interaction.message
    return interaction.original


def kinds_of(interaction: Interaction) -> list[Answered]:
    """Return the kinds of answers that an interaction takes: what somebody types takes choices only."""
    if interaction.focused:
        return [Answered.CHOICES]
    others = [kind for kind in Answered if kind is not Answered.CHOICES]
    return [kind for kind in others if kind is not Answered.UPDATE or interaction.message]


def choices_of(body: Json) -> list[Json]:
    found = body.get("choices")
    if not isinstance(found, list):
        raise form("data.choices", "BASE_TYPE_REQUIRED", "This field is required")
    if len(found) > MOST_CHOICES:
        raise length("data.choices", 0, MOST_CHOICES)
    for place, offered in enumerate(found):
        for field in ("name", "value"):
            said = as_object(offered, f"data.choices.{place}").get(field)
            if not isinstance(said, str) or not 1 <= len(said) <= LONGEST_CHOICE:
                raise length(f"data.choices.{place}.{field}", 1, LONGEST_CHOICE)
    return found


def post(call: Call, interaction: Interaction, given: Json) -> Message:
    body = call.message_body(ANSWERED, given)
    if body.is_empty:
        raise refusal(50006)
    message = message_from(call, interaction.channel, body)
    message.interaction = interaction
    return call.world.post(message, body.pings)


def outcome(interaction: Interaction, kind: Answered, message: Message | None) -> Json:
    told: Json = {"id": str(interaction.id), "type": 2 if interaction.name else 3}
    if message is None or kind is Answered.DEFERRED_UPDATE:
        return {"interaction": told}
    told |= {"response_message_id": str(message.id), "response_message_loading": kind is Answered.DEFERRED}
    told["response_message_ephemeral"] = Flag.EPHEMERAL in message.flags
    resource: Json = {"type": int(kind)}
    return {"interaction": told, "resource": {**resource, "message": message.as_json()}}


def interaction_of(call: Call) -> Interaction:
    """Return the interaction that the path's token belongs to. Raise 10015 or 50027."""
    for interaction in call.world.interactions.values():
        if interaction.token == call.request.ids["token"] and interaction.application == call.id("application"):
            interaction.check_token()
            return interaction
    raise refusal(10015)


def follow_up(call: Call) -> Answer:
    """Post a further message. The first one after a deferred answer replaces it."""
    interaction = interaction_of(call)
    if interaction.original and Flag.LOADING in interaction.original.flags:
        return Answer(body=filled(call, interaction.original).as_json())
    message = post(call, interaction, call.body)
    interaction.followups.append(message)
    return Answer(body=message.as_json())


def answer_of(call: Call) -> Message:
    """Return the answer or follow-up that the path names. Raise 10008 if there is none."""
    interaction = interaction_of(call)
    known = {str(one.id): one for one in interaction.followups}
    if interaction.original:
        known |= {"@original": interaction.original, str(interaction.original.id): interaction.original}
    found = known.get(call.request.ids["message"])
    if found is None or found.is_deleted:
        raise refusal(10008)
    return found


def get_answer(call: Call) -> Answer:
    return Answer(body=answer_of(call).as_json())


def edit_answer(call: Call) -> Answer:
    message = answer_of(call)
    if Flag.LOADING in message.flags:
        return Answer(body=filled(call, message).as_json())
    return Answer(body=edited(call, message).as_json())


def filled(call: Call, message: Message) -> Message:
    """Fill a deferred answer. Whether it is ephemeral was decided before."""
    body = call.message_body(ANSWERED)
    if body.is_empty:
        raise refusal(50006)
    message.flags &= ~Flag.LOADING
    call.world.edit(message, body)
    return message


def delete_answer(call: Call) -> Answer:
    call.world.delete(answer_of(call))
    return Answer(status=204)
