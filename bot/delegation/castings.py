"""Who answers where: the lead, or the agent of the group whose chat it is."""

from bot.delegation.rules import Rules
from bot.group import Groups
from bot.messages import GroupName
from bot.plan import Casting


class Castings:
    """Each is made once for as long as the roles and the groups are what they are."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._lead = (rules.roles, rules.lead())
        self._made_of: tuple[object, object, dict[GroupName, Casting]] = (rules.groups(), rules.roles, {})

    def groups(self) -> Groups:
        return self._rules.groups()

    def of(self, name: GroupName, groups: Groups) -> Casting | None:
        roles = self._rules.roles
        if not name:
            if self._lead[0] is not roles:
                self._lead = (roles, self._rules.lead())
            return self._lead[1]
        if self._made_of[0] is not groups or self._made_of[1] is not roles:
            self._made_of = (groups, roles, {})
        made, group = self._made_of[2], groups.named(name)
        if group is None:
            return None
        if group.name not in made:
            made[group.name] = self._rules.agent(group)
        return made[group.name]
