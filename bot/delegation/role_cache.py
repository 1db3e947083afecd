"""Resolve and cache the agent that answers a chat: the lead, or the group's agent, with the tools of its person."""

from bot.core.group import Groups
from bot.core.messages import NO_GROUP, GroupName
from bot.core.reply_plan import ResolvedRole
from bot.core.rights import Rights
from bot.delegation.rules import DelegationRules


class CachedRoleResolver:
    """Resolves each agent once, until the roles or the groups change."""

    def __init__(self, rules: DelegationRules) -> None:
        self._rules = rules
        self._made: dict[tuple[GroupName, Rights], ResolvedRole] = {}
        self._made_of: tuple[Groups, object] = (rules.groups(), rules.roles_by_name)

    def last_loaded_groups(self) -> Groups:
        return self._rules.groups()

    def resolve_agent_or_lead(self, name: GroupName, groups: Groups, rights: Rights) -> ResolvedRole | None:
        """Return the agent of the group with this name, or the lead for NO_GROUP; None if there is no such group."""
        group, roles = groups.find_working_group(name) if name else None, self._rules.roles_by_name
        if name and group is None:
            return None
        if self._made_of[0] is not groups or self._made_of[1] is not roles:
            self._made_of, self._made = (groups, roles), {}
        key = (group.name if group else NO_GROUP, rights)
        if key not in self._made:
            rules = self._rules
            self._made[key] = rules.resolve_group_agent(group, rights) if group else rules.resolve_lead(rights)
        return self._made[key]
