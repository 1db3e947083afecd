"""Check how a request wants the model to think, and how hard."""

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json
from tests.stand_ins.claude.checks.fields import only
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import EFFORTS, ModelCard

FIELDS = {
    "adaptive": {"type", "display", "block_binding"},
    "enabled": {"type", "display", "block_binding", "budget_tokens"},
    "disabled": {"type"},
    "between_tools": {"type"},
}


def check(asked: Asked, card: ModelCard) -> None:
    if "thinking" in asked.body:
        check_kind(asked, card)
    check_effort(asked, card)
    budget = asked.output_config.get("task_budget")
    if budget is not None:
        if not card.task_budgets:
            raise ApiError("output_config.task_budget: task budgets are not supported on this model")
        if not isinstance(budget, dict) or budget.get("type") != "tokens" or budget.get("total", 0) < 20_000:
            raise ApiError("output_config.task_budget.total: Input should be greater than or equal to 20000")


def check_kind(asked: Asked, card: ModelCard) -> None:
    kind = asked.thinking.get("type")
    if kind not in FIELDS:
        raise ApiError(f"thinking: Input tag '{kind}' found using 'type' does not match any of the expected tags")
    only(f"thinking.{kind}", asked.thinking, FIELDS[kind])
    if kind == "adaptive" and kind not in card.thinking:
        raise ApiError("adaptive thinking is not supported on this model")
    if kind not in card.thinking:
        raise ApiError(f'thinking: type "{kind}" is not supported for this model.')
    if asked.thinking.get("display", "omitted") not in ("summarized", "omitted", "updates"):
        raise ApiError("thinking.display: Input should be 'summarized' or 'omitted'")
    if kind == "enabled" and asked.thinking.get("budget_tokens", 0) < 1024:
        raise ApiError("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")


def check_effort(asked: Asked, card: ModelCard) -> None:
    """Check the effort of the request, and of each system message."""
    for where, config in [("", asked.output_config), *spoken(asked)]:
        effort = config.get("effort")
        if effort is None:
            continue
        if effort not in EFFORTS:
            raise ApiError(f"{where}output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
        if effort not in card.efforts:
            raise ApiError(f"{where}output_config.effort: '{effort}' is not supported on this model")
        if where and asked.thinking.get("type") == "between_tools":
            raise ApiError(f'{where}output_config: not supported with thinking type "between_tools"')
        if effort in ("xhigh", "max") and asked.thinking.get("type") in ("disabled", "between_tools"):
            raise ApiError(
                f"{where}output_config.effort '{effort}' is not supported when thinking is disabled on this model."
                " Use effort 'high' or below, or enable thinking."
            )


def spoken(asked: Asked) -> list[tuple[str, Json]]:
    found = []
    for number, message in enumerate(asked.messages):
        if (config := message.get("output_config")) is not None:
            where = f"messages.{number}."
            only(f"{where}output_config", config, {"effort"})
            if not message["content"] and not config.get("effort"):
                raise ApiError(f"{where}content: a system message needs content or an output_config")
            found.append((where, config))
    return found
