"""`/model` and `/effort`: by what the lead is played in a chat, from its next conversation on."""

from typing import Any

import pytest

from bot.config import Config
from bot.config.resolved_settings import efforts_by_choosable_model, resolve_settings
from bot.core import phrases
from bot.core.access import Access
from bot.core.errors import ModelFailed
from bot.core.messages import ChatMovedEvent, MessageId, PersonId
from bot.core.model import ModelReply
from bot.core.prices import sort_models
from bot.core.prompt_prefix import EFFORTS
from bot.core.rights import GUEST_RIGHTS
from bot.core.settings import ModelSettings
from bot.core.texts import people, people_models
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, uses
from tests.support.group_bots import Registry, at, group

SONNET, OPUS, OLDER, OLDEST = "claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-4-6", "claude-haiku-4-5"
MODELS = {
    SONNET: frozenset(EFFORTS),
    OPUS: frozenset(EFFORTS),
    OLDER: frozenset(EFFORTS) - {"xhigh"},
    OLDEST: frozenset[str](),
}
SETTINGS = engine_options(model__lead=SONNET, efforts_by_choosable_model=MODELS)


def next_model(model: str) -> str:
    return people_models.NEXT_MODEL(model=model)


async def ask(bench: Bench, text: str, **options: Any) -> str:
    bench.chat.hears(text, **options)
    return await bench.chat.said()


def played(bench: Bench) -> list[tuple[str, str]]:
    """By what each request of the lead was to be answered."""
    return [(each.prefix.model, each.prefix.effort) for each in bench.model.asked("lead")]


def choices(bench: Bench) -> list[tuple[Any, ...]]:
    return bench.rows("SELECT chat, model, effort FROM chosen_models")


async def test_a_choice_holds_from_the_next_conversation_on_and_after_a_restart(bench: Bench) -> None:
    bench.model.says("lead", "one", "two", "three", "four")
    async with bench.run(**SETTINGS):
        await ask(bench, "hello")
        assert await ask(bench, f"/model {OPUS}") == next_model(f"{OPUS}, effort medium")
        assert await ask(bench, "/effort high") == next_model(f"{OPUS}, effort high")
        await ask(bench, "and?")
    async with bench.run(**SETTINGS):
        await ask(bench, "/new")
        await ask(bench, "hello")
        await ask(bench, "and?")
    assert played(bench) == [(SONNET, "medium")] * 2 + [(OPUS, "high")] * 2
    assert [len(each.transcript) for each in bench.model.asked("lead")] == [1, 3, 1, 3]
    assert {each.prefix.light_effort for each in bench.model.asked("lead")[2:]} == {""}


async def test_default_goes_back_from_the_next_conversation_on(bench: Bench) -> None:
    bench.model.says("lead", "one", "two", "three")
    async with bench.run(**SETTINGS):
        await ask(bench, f"/model {OPUS}")
        await ask(bench, "/effort low")
        await ask(bench, "hello")
        assert await ask(bench, "/model default") == next_model(f"{SONNET}, effort low")
        assert await ask(bench, "/effort default") == next_model(f"{SONNET}, effort medium")
        await ask(bench, "and?")
        await ask(bench, "/new")
        await ask(bench, "hello")
    assert played(bench) == [(OPUS, "low"), (OPUS, "low"), (SONNET, "medium")]


async def test_the_command_tells_the_present_and_the_next_choice(bench: Bench) -> None:
    bench.model.says("lead", "one")
    now, later = f"{SONNET}, effort medium", f"{OPUS}, effort medium"
    async with bench.run(**SETTINGS):
        await ask(bench, "hello")
        assert (await ask(bench, "/model")).startswith(
            f"{phrases.current_model_text(now, now)}\n{phrases.usable_models_text(MODELS)}"
        )
        await ask(bench, f"/model {OPUS}")
        assert (await ask(bench, "/model")).startswith(phrases.current_model_text(now, later))
        effort = await ask(bench, "/effort")
    assert effort.splitlines()[2:] == [phrases.usable_efforts_text(OPUS, EFFORTS), people_models.HOW_TO_CHOOSE()]


@pytest.mark.parametrize(
    ("before", "command", "said"),
    [
        ("/status", "/model gpt", phrases.unknown_model_text("gpt", MODELS)),
        ("/status", "/effort loud", phrases.unknown_effort_text(SONNET, "loud", EFFORTS)),
        (f"/model {OLDER}", "/effort xhigh", phrases.unknown_effort_text(OLDER, "xhigh", MODELS[OLDER])),
        (f"/model {OLDEST}", "/effort low", people_models.NO_EFFORTS(model=OLDEST)),
        ("/effort xhigh", f"/model {OLDER}", phrases.unknown_effort_text(OLDER, "xhigh", MODELS[OLDER])),
    ],
)
async def test_an_impossible_choice_is_refused_and_changes_nothing(
    bench: Bench, before: str, command: str, said: str
) -> None:
    async with bench.run(**SETTINGS):
        await ask(bench, before)
        there = choices(bench)
        assert await ask(bench, command) == said
    assert choices(bench) == there


@pytest.mark.parametrize(("family", "model"), [("opus", OPUS), ("Sonnet", SONNET), ("haiku", OLDEST)])
async def test_a_family_is_its_newest_model(bench: Bench, family: str, model: str) -> None:
    async with bench.run(**SETTINGS):
        await ask(bench, f"/model {family}")
    assert choices(bench) == [("fake:room", model, "")]


def test_models_are_listed_by_family_and_the_newest_first() -> None:
    named = ["a-model", OLDER, "claude-opus-5", SONNET, OPUS, OLDEST, "claude-fable-5-2", "a-gpt-9"]
    listed = ["claude-fable-5-2", OLDEST, OPUS, "claude-opus-5", OLDER, SONNET, "a-gpt-9", "a-model"]
    assert phrases.usable_models_text(named) == phrases.usable_models_text(listed)
    assert ", ".join(listed) in phrases.usable_models_text(named)


def test_an_unknown_model_gets_the_nearest() -> None:
    models = ", ".join(sort_models(MODELS))
    near = people.OR(items=OPUS, last=OLDER)
    said = people_models.UNKNOWN_MODEL_LIKE(model="claude-opuss-5-5", nearest=near, models=models)
    assert phrases.unknown_model_text("claude-opuss-5-5", MODELS) == said
    assert phrases.unknown_model_text("gpt", MODELS) == people_models.UNKNOWN_MODEL(model="gpt", models=models)


async def test_a_date_or_a_vendors_prefix_names_the_same_model(bench: Bench) -> None:
    async with bench.run(**SETTINGS):
        await ask(bench, "/model anthropic/claude-opus-5-5-20260901")
    assert choices(bench) == [("fake:room", OPUS, "")]


async def test_a_choice_is_of_one_chat_with_all_its_threads(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with bench.run(**SETTINGS):
        await ask(bench, f"/model {OPUS}", chat="room")
        await ask(bench, "hello", chat="other")
        await ask(bench, "hello", chat="room")
    assert played(bench) == [(SONNET, "medium"), (OPUS, "medium")]


async def test_a_person_without_all_rights_chooses_nothing(bench: Bench) -> None:
    access = {"fake": Access(owner_id=PersonId("Owner"), allowed_ids=frozenset({"Ann"}), others_rights=GUEST_RIGHTS)}
    async with bench.run(**SETTINGS, access=access):
        assert await ask(bench, f"/model {OPUS}", by="Ann") == people_models.OWNER_CHOOSES()
        assert await ask(bench, "/effort", by="Ann") == people_models.OWNER_CHOOSES()
        assert await ask(bench, f"/model {OPUS}", by="Owner") == people_models.NEXT_MODEL(
            model=f"{OPUS}, effort medium"
        )


async def test_the_demo_has_nothing_to_choose(bench: Bench) -> None:
    async with bench.run(**engine_options(is_demo=True)):
        assert await ask(bench, "/model") == people_models.NO_MODEL_IN_DEMO()


async def test_in_a_groups_chat_its_own_file_names_the_model(bench: Bench) -> None:
    async with bench.run(**SETTINGS, groups=Registry(group("mail", addresses=[at("room")]))):
        assert await ask(bench, f"/model {OPUS}") == people_models.GROUP_CHOOSES(group="mail")
    assert choices(bench) == []


async def test_roles_are_played_as_before(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("delegate", role="researcher", task="look")), "there")
    bench.model.says("researcher", "found")
    async with bench.run(**SETTINGS):
        await ask(bench, f"/model {OPUS}")
        await ask(bench, "go")
    assert {each.prefix.model for each in bench.model.asked("researcher")} == {ModelSettings().roles}


async def test_a_chat_that_moves_takes_its_choice_along(bench: Bench) -> None:
    async with bench.run(**SETTINGS):
        await ask(bench, f"/model {OPUS}")
        bench.chat.incoming.put_nowait(ChatMovedEvent(id=MessageId("move"), channel="fake", old="room", new="hall"))
        await bench.chat.is_taken_in()
    assert choices(bench) == [("fake:hall", OPUS, "")]


def test_the_choices_are_the_known_models_and_those_of_the_config() -> None:
    own = Config.model_validate({"model": {"lead": "claude-next-9", "prices": {"gpt": {"input": 1, "output": 2}}}})
    assert efforts_by_choosable_model(own)[SONNET] == frozenset(EFFORTS)
    assert efforts_by_choosable_model(own)["claude-next-9"] == efforts_by_choosable_model(own)["gpt"] == frozenset()
    elsewhere = Config.model_validate({"model": {"lead": "llama", "base_url": "http://gateway.example"}})
    assert efforts_by_choosable_model(elsewhere) == {"llama": frozenset(), elsewhere.model.roles: frozenset()}
    assert resolve_settings(elsewhere).efforts_by_choosable_model == efforts_by_choosable_model(elsewhere)


async def test_a_model_that_the_config_names_no_longer_is_not_asked(bench: Bench) -> None:
    bench.model.says("lead", "one")
    settings = engine_options(model__lead=SONNET, efforts_by_choosable_model={**MODELS, "llama": frozenset()})
    async with bench.run(**settings):
        await ask(bench, "/model llama")
    async with bench.run(**SETTINGS):
        await ask(bench, "/new")
        await ask(bench, "hello")
    assert played(bench) == [(SONNET, "medium")]


async def test_choosing_the_usual_model_by_name_and_back_clears_no_fault(bench: Bench) -> None:
    async def refused() -> ModelReply:
        raise ModelFailed("excuse", "the key is refused")

    bench.model.says("lead", refused)
    async with bench.run(**SETTINGS):
        await ask(bench, f"/model {SONNET}")
        await ask(bench, "hello")
        await ask(bench, "/model default")
        assert bench.select("fault", "channels", "name LIKE 'model %'") == [("the key is refused",)]
