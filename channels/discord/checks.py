"""What `retinue doctor` finds out about a bot on Discord."""

from bot.core.findings import CheckFinding, ok, warning, wrong
from bot.core.platform import BotAccount
from channels.discord import operator_texts
from channels.discord.bot_profile import fetch_discord_profile
from channels.discord.platform import DEVELOPER_PORTAL, DiscordSettings


async def check_bot(account: BotAccount[DiscordSettings]) -> list[CheckFinding]:
    settings = account.settings
    found = await fetch_discord_profile(account.token, settings.base_url, account.network)
    findings = [ok(operator_texts.ANSWERS(found.servers, name=found.name))]
    if not found.has_message_content:
        remedy = operator_texts.SWITCH_INTENT_ON(portal=DEVELOPER_PORTAL, id=found.id)
        findings.append(wrong(operator_texts.READS_NOTHING, remedy))
    if not found.servers:
        findings.append(warning(operator_texts.NO_SERVER, operator_texts.INVITE(link=found.invite)))
    if settings.owner is None and found.owner:
        findings.append(ok(operator_texts.APPLICATION_OWNER(name=found.owner_name, id=found.owner)))
    return findings
