"""The paces that people were promised: other tests run with quicker ones, so that nobody waits for them."""

from bot.core.limits import Timings
from channels.discord.channel import Discord
from channels.discord.timing import DiscordTiming
from channels.telegram.channel import Telegram
from channels.telegram.timing import TelegramRateLimits

MOST_SHOWN, MOST_EDITS = 18, 12  # by Telegram, in any 60 s in one chat
BOARD_SECONDS = 3.0
ACKNOWLEDGED_SECONDS = 3.0  # Discord shows after that that a command has failed


def test_a_draft_is_edited_ever_more_slowly() -> None:
    assert Timings().draft_edit_seconds == (1.0, 2.0, 3.0, 5.0)


def test_a_telegram_chat_keeps_its_pace_a_minute_and_room_for_an_answer() -> None:
    minute, edits = TelegramRateLimits().chat_minute_limit, TelegramRateLimits().chat_edit_limit
    assert (minute.max_calls, edits.max_calls) == (MOST_SHOWN, MOST_EDITS)
    assert min(minute.window_seconds, edits.window_seconds) > 60
    assert minute.reserved_calls >= MOST_SHOWN - MOST_EDITS


def test_a_board_changes_within_three_seconds() -> None:
    assert Telegram.board_edit_seconds == Discord.board_edit_seconds == BOARD_SECONDS


def test_a_command_on_discord_is_ended_in_time() -> None:
    assert DiscordTiming().seconds_to_finish_command < ACKNOWLEDGED_SECONDS
