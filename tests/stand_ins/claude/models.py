"""The stand-in's models, and what each refuses."""

import re
from dataclasses import dataclass
from typing import Any

from tests.stand_ins.claude.errors import ApiError

DEPRECATED = {"claude-sonnet-4-5": "2026-11-30T00:00:00Z"}
OTHERS = ("claude-opus-4-8",)
EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    id: str
    minimum: int = 512  # tokens: a shorter prefix is not cached
    window: int = 1_000_000
    most_output: int = 128_000
    forced_choice: bool = False
    thinking: frozenset[str] = frozenset({"adaptive", "disabled"})
    bound: bool = False  # thinking is bound to everything before it
    spoken_system: bool = False  # messages may have the role "system"
    prefill: bool = False
    task_budgets: bool = False
    effort: str = "high"
    efforts: tuple[str, ...] = EFFORTS
    fallbacks: tuple[str, ...] = ()  # models that may answer what this one declines
    shown_sentences: int | None = None  # longer text before a call is hidden; None: never hidden

    def hides(self, text: str) -> bool:
        sentences = max(1, len(re.findall(r"[.!?](?:\s|$)", text)))
        return self.shown_sentences is not None and sentences > self.shown_sentences and bool(text.strip())

    @property
    def line(self) -> str:
        return self.id.split("-")[1]

    def as_json(self, betas: str = "") -> dict[str, Any]:
        more = {"allowed_fallback_models": list(self.fallbacks)} if "server-side-fallback-2026-07-01" in betas else {}
        return self.plain_json() | more

    def plain_json(self) -> dict[str, Any]:
        yes, no = {"supported": True}, {"supported": False}
        retires = DEPRECATED.get(self.id)
        kinds = ("adaptive", "between_tools", "disabled", "enabled")
        return {
            "type": "model",
            "id": self.id,
            "display_name": " ".join(self.id.split("-")).title(),
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "deprecated" if retires else "active",
            "deprecated_at": "2026-06-30T00:00:00Z" if retires else None,
            "retires_at": retires,
            "line": self.line,
            "max_input_tokens": self.window,
            "max_tokens": self.most_output,
            "capabilities": {
                "batch": yes,
                "citations": yes,
                "code_execution": yes,
                "context_management": {
                    "supported": True,
                    "clear_thinking_20251015": yes,
                    "clear_tool_uses_20250919": yes,
                    "compact_20260112": yes,
                },
                "effort": {
                    "supported": bool(self.efforts),
                    **{effort: yes if effort in self.efforts else no for effort in EFFORTS},
                },
                "image_input": yes,
                "pdf_input": yes,
                "server_tools": {"supported": True, "code_execution": yes, "web_search": yes},
                "structured_outputs": yes,
                "thinking": {
                    "supported": True,
                    "types": {kind: yes if kind in self.thinking else no for kind in kinds},
                },
            },
        }


def new(
    id: str,
    *,
    thinking: tuple[str, ...] = ("adaptive",),
    forced: bool = False,
    effort: str = "high",
    shown_sentences: int | None = None,
) -> ModelCard:
    return ModelCard(
        id=id,
        shown_sentences=shown_sentences,
        thinking=frozenset(thinking),
        forced_choice=forced,
        effort=effort,
        fallbacks=OTHERS if "haiku" not in id else (),
        bound=True,
        spoken_system=True,
        task_budgets=True,
    )


def old(id: str, minimum: int, *, window: int = 1_000_000, output: int = 128_000, prefill: bool = False) -> ModelCard:
    """Return the card of an older model. It thinks by a budget if it is old enough."""
    generation = id[-3:]
    kinds = {"4-5": ("enabled",), "4-6": ("adaptive", "enabled")}.get(generation, ("adaptive",))
    efforts: tuple[str, ...] = EFFORTS
    if generation in ("4-5", "4-6"):
        of_4_5 = EFFORTS[:3] if "opus" in id else ()
        efforts = of_4_5 if generation == "4-5" else tuple(each for each in EFFORTS if each != "xhigh")
    return ModelCard(
        id=id,
        minimum=minimum,
        window=window,
        most_output=output,
        forced_choice=True,
        thinking=frozenset({*kinds, "disabled"}),
        efforts=efforts,
        prefill=prefill,
    )


MODELS = {
    card.id: card
    for card in (
        new("claude-opus-5-5", effort="medium", shown_sentences=0),
        new("claude-sonnet-5-5", thinking=("adaptive", "between_tools"), shown_sentences=2),
        new("claude-haiku-5-5", thinking=("adaptive", "disabled"), forced=True, effort="medium"),
        new("claude-fable-5-2", shown_sentences=0),
        new("claude-fable-5-1", shown_sentences=0),
        ModelCard(id="claude-opus-5", forced_choice=True, spoken_system=True, task_budgets=True, fallbacks=OTHERS),
        ModelCard(id="claude-sonnet-5", minimum=1024, forced_choice=True),
        old("claude-opus-4-8", 1024),
        old("claude-opus-4-7", 2048),
        old("claude-opus-4-6", 4096),
        old("claude-sonnet-4-6", 1024),
        old("claude-sonnet-4-5", 1024, window=200_000, output=64_000, prefill=True),
        old("claude-opus-4-5", 4096, window=200_000, output=64_000, prefill=True),
        old("claude-haiku-4-5", 4096, window=200_000, output=64_000, prefill=True),
    )
}


def card_of(model: str) -> ModelCard:
    """Return the model's card. Raise a 404 if there is none."""
    if model not in MODELS:
        raise ApiError(f"model: {model}", status=404)
    return MODELS[model]
