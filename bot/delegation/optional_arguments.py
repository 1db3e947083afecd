"""Arguments of `delegate` that only some agents have: for those who may ask a group, and for those who have skills. No
other agent pays for the words."""

from dataclasses import replace

from bot.core.skill import Skill
from bot.delegation import texts
from bot.tools import Tool

MAX_DEPTH_ARGUMENT = "max_depth"  # of `delegate`
SKILL_ARGUMENT_SCHEMA = {"type": "string", "description": "a skill that the role works by"}
GROUP_ARGUMENT_SCHEMA = {"type": "string", "description": "another group's agent, in place of role"}
MAX_SKILL_CHARACTERS_IN_PROMPT = 30_000


def with_group_argument(tool: Tool) -> Tool:
    """Return `delegate` with the group argument, for agents that may ask a group. No other agent pays for the words.
    With `max_depth` besides, its schema has more optional fields than a server enforces."""
    schema, several = tool.input_schema, tool.input_schema["properties"]["tasks"]
    fields = {"group": {"type": "string"}, **several["items"]["properties"]}
    task = {**several["items"], "properties": fields, "required": ["task"]}
    properties = {"group": GROUP_ARGUMENT_SCHEMA, **schema["properties"], "tasks": {**several, "items": task}}
    is_strict = MAX_DEPTH_ARGUMENT not in properties
    return replace(tool, input_schema={**schema, "properties": properties}, has_strict_schema=is_strict)


def with_skill_argument(tool: Tool) -> Tool:
    """Return `delegate` with the skill argument, for agents that have skills. With `max_depth` or a group besides, its
    schema has more optional fields than a server enforces."""
    schema, several = tool.input_schema, tool.input_schema["properties"]["tasks"]
    task = several["items"]
    task = {**task, "properties": {**task["properties"], "skill": {"type": "string"}}}
    properties = {**schema["properties"], "skill": SKILL_ARGUMENT_SCHEMA, "tasks": {**several, "items": task}}
    is_strict = tool.has_strict_schema and not properties.keys() & {MAX_DEPTH_ARGUMENT, "group"}
    return replace(tool, input_schema={**schema, "properties": properties}, has_strict_schema=is_strict)


def describe_work_with_skill(skill: Skill) -> str:
    """Return what a role is told of the skill that it works by: the instructions, as many whole lines as fit."""
    body, line = skill.body, 0
    if len(body) > MAX_SKILL_CHARACTERS_IN_PROMPT:
        body = body[: body.rfind("\n", 0, MAX_SKILL_CHARACTERS_IN_PROMPT) + 1 or MAX_SKILL_CHARACTERS_IN_PROMPT]
        line = body.count("\n") + 1
    if skill.is_trusted:
        told = texts.WORK_WITH_SKILL(name=skill.name, body=body)
    else:
        told = texts.WORK_WITH_SKILL_OF_OTHERS(name=skill.name, body=body)
    return f"{told}\n{texts.SKILL_GOES_ON(name=skill.name, line=line)}" if line else told
