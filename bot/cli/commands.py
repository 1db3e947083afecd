"""The table of commands. Each is imported only when it is called: --help must not wait for what it does not need."""

from importlib import import_module

import click

COMMANDS = {  # name: the module that has it as `command`, and its line in --help
    "chat": ("bot.cli.chat", "Talk here, in the terminal; from a pipe, each line is a message."),
    "config": ("bot.cli.config", "Show the settings in effect, secrets hidden."),
    "stop": ("bot.cli.stop", "Stop every turn at work in a running bot."),
    "run": ("bot.cli.run", "Answer in all configured channels."),
    "health": ("bot.cli.health", "Say how the bot is doing; exit status 1 if it is not well."),
    "logs": ("bot.cli.log_reading", "Show what the bot has logged, and go on with it."),
    "report": ("bot.cli.report", "Gather what helps to find a fault, without secrets or words, to be pasted."),
    "pair": ("bot.cli.pair", "Let people in by their code, list them, send them away."),
    "doctor": ("bot.cli.doctor", "Look for whatever is wrong, and say how to mend it."),
    "roles": ("bot.cli.roles", "List the roles with their models and tools; what is off, and why."),
    "groups": ("bot.cli.groups", "List the groups, add one, say who may ask whom, check them."),
    "sessions": ("bot.cli.sessions", "List the conversations; show, export or delete one."),
    "backup": ("bot.cli.backup", "Write all that the bot has into one file, while it runs."),
    "restore": ("bot.cli.restore", "Put what a back-up holds in the place of what is there."),
    "migrate": ("bot.cli.migrate", "Bring the rows up to this version, and look whether it would run."),
    "setup": ("bot.cli.setup", "Ask for what is needed, check it, and write the config."),
}


class Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = import_module(COMMANDS[name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does it, without importing the commands for their first line."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(context)])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="retinue", message="%(prog)s %(version)s")
def retinue() -> None:
    """A self-hosted assistant that answers in chats and delegates to roles."""
