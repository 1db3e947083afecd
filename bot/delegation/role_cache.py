"""Resolve and cache the agent that answers a chat: the lead, or the group's agent, with the tools of its person."""

from bot.core.group import Groups
from bot.core.messages import GroupName
from bot.core.reply_plan import ResolvedRole
from bot.core.rights import Rights
from bot.delegation.rules import DelegationRules


class CachedRoleResolver:
    """Resolves each agent once, until the roles or the groups change."""

    def __init__(self, rules: DelegationRules) -> None:
        self._rules = rules
        self._leads_of: object = rules.roles
        self._leads: dict[Rights, ResolvedRole] = {}
        self._made_of: tuple[object, object, dict[tuple[GroupName, Rights], ResolvedRole]]
        self._made_of = (rules.groups(), rules.roles, {})

    def current_groups(self) -> Groups:
        return self._rules.groups()

    def resolve(self, name: GroupName, groups: Groups, rights: Rights) -> ResolvedRole | None:
        roles = self._rules.roles
        if not name:
            if self._leads_of is not roles:
                self._leads_of, self._leads = roles, {}
            if rights not in self._leads:
                self._leads[rights] = self._rules.resolve_lead(rights)
            return self._leads[rights]
        if self._made_of[0] is not groups or self._made_of[1] is not roles:
            self._made_of = (groups, roles, {})
        made, group = self._made_of[2], groups.find_group(name)
        if group is None:
            return None
        if (group.name, rights) not in made:
            made[group.name, rights] = self._rules.resolve_group_agent(group, rights)
        return made[group.name, rights]
