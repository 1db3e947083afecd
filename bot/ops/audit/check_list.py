"""All checks of the audit, in the order of their ids. An id keeps its meaning: a new check gets a new one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.core.findings import CheckFinding, CheckState, ok_finding
from bot.ops.audit import (
    addresses,
    budgets,
    deployments,
    file_rights,
    leftovers,
    mcp_servers,
    people,
    role_files,
    shell,
    texts,
    workspaces,
)
from bot.ops.audit.subject import AuditedBot, Fault

MAX_SHOWN_FAULTS = 5  # of one check, without those that --fix mends

FindFaults = Callable[[AuditedBot], Iterator[Fault]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    id: str
    state: CheckState  # of its findings
    find: FindFaults
    has_fix: bool = False

    @property
    def title(self) -> str:
        return texts.TITLES[self.id]


def wrong(id: str, find: FindFaults, *, has_fix: bool = False) -> AuditCheck:
    """Return a check of what opens the bot to others at once."""
    return AuditCheck(id=id, state=CheckState.WRONG, find=find, has_fix=has_fix)


def warning(id: str, find: FindFaults, *, has_fix: bool = False) -> AuditCheck:
    """Return a check of what an operator may have meant, and should know."""
    return AuditCheck(id=id, state=CheckState.WARNING, find=find, has_fix=has_fix)


CHECKS = (
    wrong("A01", file_rights.find_changeable_config, has_fix=True),
    wrong("A02", file_rights.find_readable_config_with_secret, has_fix=True),
    warning("A03", file_rights.find_secret_in_config),
    wrong("A04", file_rights.find_open_secret_files, has_fix=True),
    wrong("A05", file_rights.find_open_environment_file, has_fix=True),
    wrong("A06", file_rights.find_open_data_folder, has_fix=True),
    warning("A07", file_rights.find_open_data_files, has_fix=True),
    wrong("A08", file_rights.find_changeable_workspaces, has_fix=True),
    wrong("A09", file_rights.find_changeable_operator_files, has_fix=True),
    wrong("A10", file_rights.find_changeable_parents),
    wrong("A11", file_rights.find_changeable_program, has_fix=True),
    warning("A12", file_rights.find_root),
    wrong("A13", workspaces.find_system_folders),
    wrong("A14", workspaces.find_guarded_paths),
    warning("A15", workspaces.find_secrets),
    wrong("A16", workspaces.find_overlapping_workspaces),
    warning("A17", workspaces.find_links_outside),
    warning("A18", workspaces.find_git_commands),
    wrong("A19", workspaces.find_backups),
    warning("A20", addresses.find_unencrypted_addresses),
    warning("A21", addresses.find_proxy_password_in_clear),
    warning("A22", addresses.find_public_metrics),
    wrong("A23", addresses.find_changeable_certificates, has_fix=True),
    wrong("A24", addresses.find_changeable_voice_program),
    warning("A25", addresses.find_unencrypted_pages),
    warning("A26", people.find_channels_open_to_everybody),
    warning("A27", people.find_channels_without_owner),
    warning("A28", people.find_rights_of_everybody),
    warning("A29", people.find_web_and_files),
    warning("A30", people.find_shell),
    warning("A31", people.find_rights_given_in_chats),
    warning("A32", people.find_chats_that_hear_everything),
    wrong("A33", leftovers.find_other_bots_with_token),
    warning("A34", budgets.find_high_limits),
    warning("A35", budgets.find_models_without_price),
    warning("A36", budgets.find_day_that_others_can_use_up),
    warning("A37", role_files.find_roles_with_web_and_private),
    warning("A38", role_files.find_missing_tools),
    warning("A39", role_files.find_hidden_characters),
    warning("A40", leftovers.find_old_replaced_data),
    wrong("A41", leftovers.find_open_backups, has_fix=True),
    warning("A42", leftovers.find_config_copies_with_secrets),
    wrong("A43", leftovers.find_secrets_in_log),
    wrong("A44", leftovers.find_network_file_system),
    warning("A45", leftovers.find_shared_folders),
    wrong("A46", deployments.find_loose_compose_file),
    wrong("A47", deployments.find_loose_units),
    wrong("A48", deployments.find_loose_manifests),
    warning("A49", shell.find_missing_sandbox),
    wrong("A50", shell.find_shown_secrets),
    warning("A51", mcp_servers.find_servers_outside_sandbox),
    wrong("A52", mcp_servers.find_changeable_programs),
    warning("A53", mcp_servers.find_hidden_words),
    warning("A54", people.find_open_gate),
    warning("A55", addresses.find_public_mcp_server),
    warning("A56", people.find_trusted_clients_with_much),
    warning("A57", shell.find_wide_hosts),
    warning("A58", addresses.find_public_page),
)


def audit(bot: AuditedBot) -> Iterator[CheckFinding]:
    """Yield the findings of all checks. A check that finds nothing is one "ok" finding."""
    for check in CHECKS:
        yield from run_check(check, bot)


def run_check(check: AuditCheck, bot: AuditedBot) -> Iterator[CheckFinding]:
    shown, count = 0, 0
    try:
        for fault in check.find(bot):
            count += 1
            if fault.apply_fix is None and shown >= MAX_SHOWN_FAULTS:
                continue
            shown += 1
            text = texts.FINDING(id=check.id, text=fault.text)
            yield CheckFinding(state=check.state, text=text, remedy=fault.remedy, apply_fix=fault.apply_fix)
    except OSError as error:
        count += 1
        shown += 1
        text = texts.FINDING(id=check.id, text=texts.NOT_CHECKED(path=error.filename, reason=error.strerror))
        yield CheckFinding(state=CheckState.WARNING, text=text, remedy=texts.MEND_RIGHTS)
    if count > shown:
        text = texts.FINDING(id=check.id, text=texts.MORE(count - shown))
        yield CheckFinding(state=check.state, text=text, remedy=texts.AS_ABOVE)
    if not count:
        yield ok_finding(texts.FINDING(id=check.id, text=check.title))
