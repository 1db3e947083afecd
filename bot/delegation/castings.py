"""Who answers where: the lead, or the agent of the group whose chat it is."""

from bot.delegation.rules import Rules
from bot.group import Groups
from bot.messages import GroupName
from bot.plan import Casting


class Castings:
    """Each is made once for as long as the groups are what they are."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._lead = rules.lead()
        self._made_of: tuple[Groups, dict[GroupName, Casting]] = (rules.groups(), {})

    def groups(self) -> Groups:
        return self._rules.groups()

    def of(self, name: GroupName, groups: Groups) -> Casting | None:
        if not name:
            return self._lead
        if self._made_of[0] is not groups:
            self._made_of = (groups, {})
        made, group = self._made_of[1], groups.named(name)
        if group is None:
            return None
        if group.name not in made:
            made[group.name] = self._rules.agent(group)
        return made[group.name]
