"""The table of commands. Each command is imported only when it is called, so that --help stays fast."""

import shlex
from difflib import get_close_matches
from importlib import import_module

import click

from bot.cli import texts
from bot.core import program_names

COMMANDS = {  # by name: its module, which has a function of that name (with _ for -), and its line in --help
    "chat": ("bot.cli.chat", "Talk here, in the terminal; a pipe is one message."),
    "config": ("bot.cli.config", "Show the settings, and where each is from."),
    "stop": ("bot.cli.order_client", "Stop every turn at work. The bot itself keeps running."),
    "run": ("bot.cli.run", "Answer in all configured channels."),
    "health": ("bot.cli.health", "Say how the bot is doing; exit status 1 if it is not well."),
    "logs": ("bot.cli.log_reader", "Show what the bot has logged, and go on with it."),
    "report": ("bot.cli.report", "Gather what helps to find a fault, for one paste without secrets."),
    "pair": ("bot.cli.pair", "Let people in by their code, list them, send them away."),
    "memory": ("bot.cli.memory", "List, add and delete what is remembered for everybody."),
    "people": ("bot.cli.people", "List the people who have written; delete what is kept of one."),
    "schedules": ("bot.cli.schedules", "List the schedules of everybody; pause or delete one."),
    "web": ("bot.cli.web", "Show conversations and figures in a browser on this machine."),
    "mcp-servers": ("bot.cli.mcp_servers", "List the MCP servers with their tools; allow changed tools."),
    "mcp": ("bot.cli.mcp", "Have roles work for other programs, over stdio or HTTP."),
    "doctor": ("bot.cli.doctor", "Look for problems, and say how to fix them."),
    "roles": ("bot.cli.roles", "List the roles with their models and tools; what is off, and why."),
    "groups": ("bot.cli.groups", "List the groups, add one, decide which may ask which, check them."),
    "sessions": ("bot.cli.sessions", "List the conversations; show, export or delete one."),
    "backup": ("bot.cli.backup", "Write all that the bot has into one file, while it runs."),
    "restore": ("bot.cli.backup", "Put what a back-up holds in the place of what is there."),
    "migrate": ("bot.cli.doctor", "Bring the rows up to this version, and look whether it would run."),
    "setup": ("bot.cli.setup_wizard.interview", "Ask for what is needed, check it, and write the config."),
}


class LazyCommandGroup(click.Group):
    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Do as click does, but let `help` show the help. If only an option of `chat` is given, hint at `chat`."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        given = list(args)
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            from bot.cli.chat import chat  # here: only this check needs it

            options = {option for each in chat.params for option in (*each.opts, *each.secondary_opts)}
            if error.option_name not in options or COMMANDS.keys() & set(given):
                raise
            meant = program_names.retinue_command(shlex.join(["chat", *given]))
            raise click.UsageError(texts.OPTION_OF_CHAT(option=error.option_name, command=meant), context) from None

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[name][0]), name.replace("-", "_"))
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Do as click does, but if a word is not a command, name the nearest command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0].casefold(), COMMANDS, n=1, cutoff=0.5)
            if near:
                raise click.UsageError(texts.NO_SUCH_COMMAND_BUT(command=args[0], nearest=near[0]), context)
            raise click.UsageError(texts.NO_SUCH_COMMAND(command=args[0]), context)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Do as click does, but do not import the commands for their first lines."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(context)])


@click.command(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="retinue", message="retinue %(version)s")
def retinue() -> None:
    """A self-hosted assistant that answers in chats and delegates to roles."""
