"""Resolve and cache the agent that answers a chat: the lead, or the group's agent, with the tools of its person."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core.group import Groups
from bot.core.messages import NO_GROUP, Address, GroupName
from bot.core.prompt_prefix import PromptPrefix
from bot.core.reply_plan import DELEGATE_TOOL_NAME, ResolvedRole
from bot.core.rights import Rights
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.turn import Turn
from bot.delegation.rules import DelegationRules


class CachedRoleResolver:
    """Resolves each agent once, until the roles, the groups or the tools change."""

    def __init__(self, rules: DelegationRules) -> None:
        self._rules = rules
        self._made: dict[tuple[GroupName, bool, Rights], ResolvedRole] = {}
        self._made_of: tuple[object, ...] = (rules.groups(), rules.roles_by_name, rules.tools)

    def last_loaded_groups(self) -> Groups:
        return self._rules.groups()

    def resolve_agent_or_lead(
        self, name: GroupName, groups: Groups, rights: Rights, at: Address
    ) -> ResolvedRole | None:
        """Return the agent of the group with this name, or for NO_GROUP the lead in the chat `at`; None if there is no
        such group. The lead is the same one in all chats that may ask the same groups."""
        group, roles = groups.find_working_group(name) if name else None, self._rules.roles_by_name
        if name and group is None:
            return None
        now = (groups, roles, self._rules.tools)
        if any(old is not new for old, new in zip(self._made_of, now, strict=True)):
            self._made_of, self._made = now, {}
        key = (group.name if group else NO_GROUP, groups.may_ask_every_group(name, at), rights)
        if key not in self._made:
            rules = self._rules
            self._made[key] = rules.resolve_group_agent(group, rights) if group else rules.resolve_lead(rights, at)
        return self._made[key]

    def resolve_ended_role(self, ended: Turn, prefix: PromptPrefix, rights: Rights) -> ResolvedRole:
        return self._rules.resolve_role_for_person(ended, prefix, rights)

    def resolve_role_for_client(self, role: Role, rights: Rights, overrides: Mapping[str, Any]) -> ResolvedRole:
        return self._rules.resolve_role_for_client(role, rights, overrides)

    def list_delegable_roles(self, name: GroupName, groups: Groups, rights: Rights, at: Address) -> Sequence[Role]:
        """Return the roles that this agent may delegate to for somebody with these rights, by name. It may delegate to
        none if it lacks the tool, or may ask groups only."""
        agent, group = self.resolve_agent_or_lead(name, groups, rights, at), groups.find_working_group(name)
        if agent is None or DELEGATE_TOOL_NAME not in agent.tools or not self._rules.may_delegate_at_depth(0):
            return []
        return self._rules.delegable_roles(group.agent if group else self._rules.roles_by_name[LEAD_ROLE_NAME])
