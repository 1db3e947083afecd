"""`scripts/remove-tenant`: stop a tenant, archive it, and archive or delete its folder."""

import click

from bot.cli.setup_wizard.prompts import ask_yes_or_no
from bot.core.exit_status import ExitStatus
from bot.tenants.commands import options, texts
from bot.tenants.commands.options import echo_escaped
from bot.tenants.removal import ARCHIVE_FOLDER, remove_tenant
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import has_host_user


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.name_argument
@options.root_option
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@click.option("--delete", "is_deleted", is_flag=True, help="Delete its folder; else it is kept beside its archive.")
@click.option("--no-archive", is_flag=True, help="Make no archive.")
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens into the archive.")
def command(
    name: str, root: TenantsRoot, is_agreed: bool, is_deleted: bool, no_archive: bool, with_secrets: bool
) -> ExitStatus:
    """Stop a tenant, archive it, and take away what runs it.

    Its back-up and its folder are kept in .archive, for root alone; with --delete the folder is gone. Its uid is never
    given again.
    """
    this = options.deployment_of_tenant(root.read_tenant(name))
    if no_archive and not is_deleted and not has_host_user(this.tenant.target):
        echo_escaped(texts.DATA_ON_VOLUME)
        return ExitStatus.NOT_DONE
    question = texts.REMOVE_AND_KEEP(name=name, folder=root.path / ARCHIVE_FOLDER)
    if is_deleted and no_archive:
        question = texts.REMOVE_AND_KEEP_NOTHING(name=name)
    if not is_agreed and not ask_yes_or_no(question, usual=False):
        echo_escaped(texts.NOTHING_DONE)
        return ExitStatus.NOT_DONE
    with options.print_if_interrupted(texts.REMOVAL_INTERRUPTED(name=name)):
        remove_tenant(this, is_archived=not no_archive, with_secrets=with_secrets, is_deleted=is_deleted)
    return ExitStatus.DONE
