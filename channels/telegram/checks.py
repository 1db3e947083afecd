"""What `retinue doctor` finds out about a bot on Telegram."""

from bot.core.findings import CheckFinding, ok, wrong
from bot.core.platform import BotAccount
from bot.core.program_names import retinue_command
from channels.telegram import operator_texts
from channels.telegram.bot_profile import fetch_telegram_profile
from channels.telegram.platform import TelegramSettings


async def check_bot(account: BotAccount[TelegramSettings]) -> list[CheckFinding]:
    found = await fetch_telegram_profile(account.token, account.settings.base_url, account.network)
    if found.is_shown_everything:
        findings = [ok(operator_texts.READS_ALL(name=found.username))]
    else:
        findings = [ok(operator_texts.READS_ITS_OWN(name=found.username))]
    if found.webhook:
        remedy = operator_texts.LET_SETUP_REMOVE_WEBHOOK(command=retinue_command("setup"))
        findings.append(wrong(operator_texts.WEBHOOK_SET, remedy))
    return findings
