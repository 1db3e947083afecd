"""The status of people in a chat, as the platform writes it."""

from tests.stand_ins.telegram.chats import Chat, Standing
from tests.stand_ins.telegram.errors import Json
from tests.stand_ins.telegram.people import Person

RIGHTS = (
    *("can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages", "can_manage_video_chats"),
    *("can_restrict_members", "can_promote_members", "can_change_info", "can_invite_users"),
    *("can_post_stories", "can_edit_stories", "can_delete_stories", "can_pin_messages", "can_manage_topics"),
)
GIVEN = frozenset({"can_manage_chat", "can_delete_messages", "can_pin_messages", "can_manage_topics"})
PERMISSIONS = (
    *("can_send_messages", "can_send_audios", "can_send_documents", "can_send_photos", "can_send_videos"),
    *("can_send_video_notes", "can_send_voice_notes", "can_send_polls", "can_send_other_messages"),
    *("can_add_web_page_previews", "can_change_info", "can_invite_users", "can_pin_messages", "can_manage_topics"),
    *("can_edit_tag", "can_react_to_messages"),
)


def member(person: Person, standing: Standing) -> Json:
    """Return a ChatMember."""
    whole: Json = {"user": person.as_json(), "status": standing.value}
    match standing:
        case Standing.ADMINISTRATOR:
            return whole | {right: right in GIVEN for right in RIGHTS}
        case Standing.RESTRICTED:
            return whole | dict.fromkeys(PERMISSIONS, False) | {"is_member": True, "until_date": 0}
        case Standing.KICKED:
            return whole | {"until_date": 0}
    return whole


def standing_of(chat: Chat, person: Person) -> Standing:
    if person.id in chat.admins:
        return Standing.ADMINISTRATOR
    return Standing.MEMBER if person.id in chat.people else Standing.LEFT
