"""A part of setup for each platform: the bot's token, its owner there, and the steps that are left."""

import asyncio
from importlib import import_module

import click

from bot.cli.setup_wizard import prompts, texts
from bot.cli.setup_wizard.plan import SetupPlan
from bot.config.paths import DEMO_FOLDER_NAME
from bot.config.resolved_settings import network_access_from_config
from bot.core.errors import ConfigError
from bot.core.platform import AnyPlatform, BotAccountConfig, ChannelSettings, PlatformSetup
from bot.core.texts import escape_unprintable
from bot.ops.checks.servers import CHECK_TIMEOUT_SECONDS
from bot.ops.folder_holder import find_folder_holder


class PlatformStep:
    """One platform's part of the interview. It is also the `SetupInterview` that the platform's own code uses."""

    def __init__(self, plan: SetupPlan, platform: AnyPlatform) -> None:
        self.plan = plan
        self.platform = platform
        self.settings: ChannelSettings = plan.current_config.channels[platform.name]

    def ask_for_settings(self) -> None:
        settings, key = self.settings, ("channels", self.platform.name)
        if not prompts.ask_yes_or_no(texts.ANSWER_ON(platform=self.platform.title), usual=settings.enabled):
            if settings.enabled:
                self.plan.set_value(False, *key, "enabled")
            return
        setup = self.platform.make_setup(self)
        if (found := self.ask_for_token_and_check_acceptance(setup)) is None:
            click.echo(texts.LEFT_OUT(platform=self.platform.title))
            if self.plan.is_platform_enabled(self.platform.name):
                self.plan.set_value(False, *key, "enabled")
            self.plan.next_steps.append(texts.NEXT_TOKEN(platform=self.platform.title))
            return
        account, is_good = found
        self.plan.set_value(True, *key, "enabled")
        if settings.owner is None or prompts.ask_yes_or_no(texts.ANOTHER_OWNER(owner=settings.owner), usual=False):
            click.echo(texts.ABOUT_OWNER)
            owner = setup.find_and_confirm_owner_id(account) if is_good else None
            self.plan.set_value(prompts.ask_person_id(texts.OWNERS_ID) if owner is None else owner, *key, "owner")
        if is_good:
            self.plan.next_steps += setup.list_next_steps(account)

    def ask_for_token_and_check_acceptance(
        self, setup: PlatformSetup[ChannelSettings]
    ) -> tuple[BotAccountConfig[ChannelSettings], bool] | None:
        """Return the account, and True if the platform accepted its token. Return None if there is no token yet."""
        known = self.settings.token
        if known and prompts.ask_yes_or_no(texts.KEEP_TOKEN, usual=True):
            account = self.make_bot_account(known.get_secret_value())
            return account, self.check_token_and_offer_fixes(setup, account) is True
        click.echo(setup.token_instructions)
        while answer := prompts.ask_secret(setup.token_question):
            account = self.make_bot_account(setup.extract_token(answer))
            is_good = self.check_token_and_offer_fixes(setup, account)
            if is_good is not False:
                self.plan.plan_secret_file(self.platform.token_file_name, account.token)
                return account, is_good is True
        return None

    def make_bot_account(self, token: str) -> BotAccountConfig[ChannelSettings]:
        network = network_access_from_config(self.plan.current_config)
        return BotAccountConfig(token=token, settings=self.settings, network=network)

    def check_token_and_offer_fixes(
        self, setup: PlatformSetup[ChannelSettings], account: BotAccountConfig[ChannelSettings]
    ) -> bool | None:
        """Return True if the platform accepts the token, False if it refuses, None if it could not be asked."""
        try:
            with prompts.print_checking_and_hide_typing():
                for library in self.platform.slow_libraries:
                    import_module(library)  # imports take seconds, which must not count as the server's
                name = asyncio.run(asyncio.wait_for(setup.sign_in_and_describe_bot(account), CHECK_TIMEOUT_SECONDS))
            self.say(name)
            setup.offer_to_fix_missing_messages(account)
        except ConfigError as error:
            self.say(f"  {error}")
            return False
        except OSError as error:
            prompts.print_answer_not_checked(error)
            return None
        return True

    def say(self, text: str) -> None:
        click.echo(escape_unprintable(text))

    def ask_yes_or_no(self, question: str, *, usual: bool) -> bool:
        return prompts.ask_yes_or_no(escape_unprintable(question), usual=usual)

    def describe_receiving_process(self) -> str:
        """Return a line that names the running process that takes the platform's messages, or "" if none does."""
        data = self.plan.current_config.data_dir
        for folder in (data, data / DEMO_FOLDER_NAME):
            holder = find_folder_holder(folder)
            if holder and holder.platforms is None:
                return texts.PROCESS_MAY_TAKE_MESSAGES(process=holder.process_id, folder=folder)
            if holder and self.platform.name in (holder.platforms or ()):
                return texts.BOT_TAKES_MESSAGES(process=holder.process_id)
        return ""
