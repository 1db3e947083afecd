"""The stand-in for Telegram as the real library meets it: who it is, what it keeps for the bot, and who may ask."""

import subprocess
import sys
from io import BytesIO
from typing import Any

import pytest
from telegram import Bot, BotCommand, BotCommandScopeAllPrivateChats
from telegram.error import BadRequest, Conflict, InvalidToken

from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.stand_ins.telegram.raw import call, exchange


def say(room: Room, *texts: str) -> None:
    for text in texts:
        room.say(room.chat.person, text)


async def heard(bot: Bot, **given: Any) -> list[str]:
    return [str(update.message and update.message.text) for update in await bot.get_updates(**given)]


async def test_a_question_and_its_answer(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    assert (await bot.get_me()).username == "retinue_bot"
    say(room, "hello")
    (update,) = await bot.get_updates(timeout=5)
    assert update.message
    assert update.message.from_user
    assert (update.message.chat_id, update.message.from_user.first_name) == (7, "Ann")
    sent = await bot.send_message(7, "Hello, Ann.")
    assert room.texts() == ["hello", "Hello, Ann."]
    assert room.answers()[0].id == sent.message_id
    (record,) = server.accepted("sendMessage", chat=7)
    assert record.parameters == {"chat_id": "7", "text": "Hello, Ann."}
    assert record.at == server.now()


PART = 'content-disposition: form-data; name="{}"\r\n\r\n{}\r\n'
FILE = 'content-disposition: form-data; name="photo"; filename="a.png"\r\ncontent-type: image/png\r\n\r\nPNG\r\n'
BODIES = {
    "application/json": '{"chat_id": 7, "text": "hellö"}',
    "application/x-www-form-urlencoded": "chat_id=7&text=hell%C3%B6",
    "multipart/form-data; boundary=x": f"--x\r\n{PART}--x\r\n{PART}--x\r\n{FILE}--x--\r\n".format(
        "chat_id", 7, "text", "hellö"
    ),
}


@pytest.mark.parametrize("kind", BODIES)
async def test_arguments_come_in_any_of_three_bodies(server: TelegramStandIn, room: Room, kind: str) -> None:
    answer = await call(server, "sendMessage", body=BODIES[kind].encode(), kind=kind)
    assert answer.status == 200, answer.body
    assert room.texts() == ["hellö"]


async def test_arguments_in_the_address_and_a_name_in_any_case_are_taken(server: TelegramStandIn, room: Room) -> None:
    request = f"GET /bot{server.token}/SENDMESSAGE?chat_id=7&text=hello HTTP/1.1\r\nhost: localhost\r\n\r\n"
    assert (await exchange(server, request.encode())).json["result"]["text"] == "hello"
    assert room.texts() == ["hello"]


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b"{", "application/json", "can't parse JSON object"),
        (b"[]", "application/json", "can't parse JSON object"),
        (b'{"chat_id": 7, "text": "\\ud83d"}', "application/json", "strings must be encoded in UTF-8"),
        (b"chat_id=7&text=\xff", "application/x-www-form-urlencoded", "strings must be encoded in UTF-8"),
        (b"hello", "text/plain", "unsupported content type"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(
    server: TelegramStandIn, room: Room, body: bytes, kind: str, reason: str
) -> None:
    answer = await call(server, "sendMessage", body=body, kind=kind)
    assert answer.status == answer.json["error_code"] == 400
    assert reason in answer.json["description"]
    assert not room.seen()


@pytest.mark.parametrize(
    ("method", "token", "status", "words"),
    [
        ("flyMessage", "", 404, "Not Found: method not found"),
        ("getMe", "123456:another", 401, "Unauthorized"),
        ("getMe", "no-token", 404, "Not Found"),
    ],
)
async def test_a_request_for_a_missing_thing_is_refused(
    server: TelegramStandIn, method: str, token: str, status: int, words: str
) -> None:
    answer = await call(server, method, token=token)
    assert answer.json == {"ok": False, "error_code": status, "description": words}


async def test_a_revoked_token_is_let_in_nowhere_until_it_is_good_again(server: TelegramStandIn, bot: Bot) -> None:
    server.is_revoked = True
    with pytest.raises(InvalidToken):
        await bot.get_updates()
    server.is_revoked = False
    assert await bot.get_updates() == ()


async def test_a_file_is_fetched_where_the_bot_is_told(server: TelegramStandIn, bot: Bot) -> None:
    server.world.files["photo-1"] = b"pixels"
    file = await bot.get_file("photo-1")
    await file.download_to_memory(pixels := BytesIO())
    assert pixels.getvalue() == b"pixels"
    with pytest.raises(BadRequest, match="Wrong file_id"):
        await bot.get_file("photo-2")
    server.world.files["photo-3"] = bytes(20 * 1024 * 1024 + 1)
    with pytest.raises(BadRequest, match="File is too big"):
        await bot.get_file("photo-3")


async def test_a_file_is_fetched_with_the_token_only(server: TelegramStandIn, bot: Bot) -> None:
    server.world.files["photo-1"] = b"pixels"
    await bot.get_file("photo-1")
    for token, status in ((server.token, 200), ("123456:another", 404)):
        request = f"GET /file/bot{token}/files/photo-1 HTTP/1.1\r\nhost: localhost\r\n\r\n"
        assert (await exchange(server, request.encode())).status == status


async def test_while_a_webhook_is_set_there_is_no_polling(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    with pytest.raises(BadRequest, match="https url must be provided"):
        await bot.set_webhook("http://example.org")
    await bot.set_webhook("https://example.org")
    say(room, "hello")
    with pytest.raises(Conflict, match="deleteWebhook"):
        await bot.get_updates()
    told = await bot.get_webhook_info()
    assert (told.url, told.pending_update_count) == ("https://example.org", 1)
    await bot.delete_webhook(drop_pending_updates=True)
    assert await heard(bot) == []


async def test_commands_are_kept_for_each_scope(bot: Bot) -> None:
    scope = BotCommandScopeAllPrivateChats()
    await bot.set_my_commands([BotCommand("help", "Help")], scope=scope, language_code="en")
    assert await bot.get_my_commands() == ()
    assert await bot.get_my_commands(scope=scope, language_code="en") == (BotCommand("help", "Help"),)
    await bot.delete_my_commands(scope=scope, language_code="en")
    assert await bot.get_my_commands(scope=scope, language_code="en") == ()


def test_it_can_be_run_by_hand() -> None:
    command = [sys.executable, "-m", "tests.stand_ins.telegram", "--help"]
    assert "--token" in subprocess.run(command, check=True, capture_output=True, text=True).stdout
