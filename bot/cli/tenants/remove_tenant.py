"""`scripts/remove-tenant`: stop a tenant, archive it, and put its folder away or delete it."""

from pathlib import Path

import click

from bot.cli.tenants import texts
from bot.cli.tenants.options import HELP, NOT_DONE, root_folder, the_name


@click.command(context_settings=HELP)
@the_name
@root_folder
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@click.option("--delete", "is_deleted", is_flag=True, help="Delete its folder; else it is kept beside its archive.")
@click.option("--no-archive", is_flag=True, help="Make no archive.")
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens into the archive.")
def command(
    name: str, root: Path, is_agreed: bool, is_deleted: bool, no_archive: bool, with_secrets: bool
) -> int | None:
    """Stop a tenant, archive it, and take away what runs it.

    Its back-up and its folder are kept in .archive, for root alone; with --delete the folder is gone. Its uid is never
    given again.
    """
    from bot.cli import logs  # here, since pydantic takes its time
    from bot.cli.installing.asking import yes
    from bot.cli.tenants.chosen import deployment, interrupted, say
    from bot.tenants.making import is_shared
    from bot.tenants.removing import FOLDER, Removal, remove
    from bot.tenants.root import Root

    logs.to_nobody()
    machine = Root(root)
    this = deployment(machine, name)
    if no_archive and not is_deleted and not is_shared(this.tenant.target):
        say(texts.DATA_ON_VOLUME)
        return NOT_DONE
    question = texts.REMOVE_AND_KEEP(name=name, folder=machine.path / FOLDER)
    if is_deleted and no_archive:
        question = texts.REMOVE_AND_KEEP_NOTHING(name=name)
    if not is_agreed and not yes(question, usual=False):
        say(texts.NOTHING_DONE)
        return NOT_DONE
    with interrupted(texts.REMOVAL_INTERRUPTED(name=name)):
        remove(machine, this, Removal(is_archived=not no_archive, with_secrets=with_secrets, is_deleted=is_deleted))
    return None
