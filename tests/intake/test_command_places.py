"""Where each command is offered."""

from bot.core.command_places import EVERYWHERE, PLACES_OF_COMMANDS, CommandPlace, commands_offered_at, places_of_command
from bot.core.texts import people


def test_every_place_is_of_a_command_that_exists() -> None:
    assert PLACES_OF_COMMANDS.keys() <= people.COMMANDS.keys()
    assert all(PLACES_OF_COMMANDS.values())


def test_a_menu_has_what_its_place_offers_in_order() -> None:
    listed = [("pair", "x"), ("/mode", "y"), ("/help", "z")]
    assert commands_offered_at(CommandPlace.OWNER, listed) == [("pair", "x"), ("/help", "z")]
    assert commands_offered_at(CommandPlace.GROUP, listed) == [("/help", "z")]
    assert places_of_command("help") == EVERYWHERE
